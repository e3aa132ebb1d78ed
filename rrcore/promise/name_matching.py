"""Match columns and answers of a table to the names in a mechanism file.

Names inside forms consist of unaccented letters, digits and underscores.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rrcore.errors import InputError
from rrcore.table.dataset import codes_of
from rrcore.table.reading.exports import Export
from rrcore.table.recoding import MISSING, OTHER, edges_named
from rrcore.table.scanning import GONE, Coder, Lookup, declared_lookup
from rrcore.table.schema import Attribute, Schema
from rrcore.table.source import Source
from rrcore.table.text_table import is_number
from rrcore.wording import spreadsheet_safe

_LONGEST = 40  # characters of a name made from a text
_DIGITS = 15  # that a spreadsheet keeps of a number
_RELEASED = "_released"
_TRUE = "true wahr vrai verdadero verdadeiro vero waar sant sand sann tosi prawda pravda igaz doğru истина"
_FALSE = "false falsch faux falso onwaar usand falsk epätosi fałsz nepravda hamis yanlış ложь"
_WORDS = {word: value for value, words in (("true", _TRUE), ("false", _FALSE)) for word in words.split()}

HOW_TO_MEND = (
    "Complete or remove such records, or leave out records without an answer with missing=drop. If your categories are groups "
    "of answers, replace the answers in the table with the names of their groups. Nothing was written."
)


@dataclass(frozen=True)
class AnswerLookup(Lookup):
    """Codes of the strings of one attribute.

    The lookup includes spellings that a spreadsheet or a survey tool produces.

    Parameters
    ----------
    alike : plain form of a string -> code, if only one category has that form; see ``plain_form``
    """

    alike: Mapping[str, int] = field(default_factory=dict)

    def codes(self, texts: Sequence[str | None]) -> list[int]:
        """Return the codes of the strings of one column."""
        forms = {text: plain_form(text) for text in texts if text and text not in self.texts}
        more = {text: self.alike[form] for text, form in forms.items() if form in self.alike}
        return Lookup({**self.texts, **more}, self.missing, self.other, self.edges).codes(texts)


def plain_form(text: str) -> str:
    """Return the form of a string after a spreadsheet has opened and saved it.

    The spreadsheet can be in any language.

    Examples
    --------
    >>> from rrcore.promise.name_matching import plain_form
    >>> plain_form("01") == plain_form("1") == plain_form("1,0"), plain_form("WAHR") == plain_form("true")
    (True, True)
    """
    folded = " ".join(unicodedata.normalize("NFKC", text).split()).casefold()
    if is_number(folded) and sum(letter.isdigit() for letter in folded) <= _DIGITS:
        return repr(float(folded.replace(",", ".")))
    return _WORDS.get(folded, folded)


def answer_lookup(attribute: Attribute, *, true: bool, gone: int = GONE, values: Sequence[str] | None = None) -> AnswerLookup:
    """Return the lookup of codes for the strings of a column.

    The codes are those of the true answers if ``true``, else those of the reports. If ``true``, numbers are converted to intervals and
    other strings to ``OTHER``, as in ``declared_lookup``, which also explains ``gone``. ``values`` are all strings of the column, if known.

    Raises
    ------
    InputError
        If two categories differ in outer spaces only. If ``values`` is None, also if a category is written like another one made safe for
        a spreadsheet.
    """
    if len({category.strip() for category in attribute.categories}) < attribute.size:
        raise InputError(
            f"Categories of '{attribute.name}' differ in outer spaces only, which tables leave out. Rename one of them."
        )
    choices = choice_names(attribute)
    written = _codes_in_batches(attribute) if values is None else codes_of(attribute, values)
    texts = {choice: code for code, choice in enumerate(choices)} | written
    forms: dict[str, set[int]] = {}
    for code, names in enumerate(zip(attribute.categories, choices, strict=True)):
        for name in names:
            forms.setdefault(plain_form(name), set()).add(code)
    alike = {form: next(iter(codes)) for form, codes in forms.items() if len(codes) == 1}
    how = declared_lookup(attribute, texts, gone=gone) if true else Lookup(texts, gone)
    return AnswerLookup(how.texts, how.missing, how.other, how.edges, alike)


def answers_coder(stream: Source, schema: Schema, *, export: Export | None = None, gone: int = GONE) -> Coder:
    """Return a coder for the columns of a stream of true answers.

    ``export`` is information about the survey tool that wrote the stream. ``gone`` is as in ``declared_lookup``.
    """
    names = column_names(stream.names, schema, stream.title, export=export, left_out=stream.left_out)
    return Coder(schema, tuple(answer_lookup(each, true=True, gone=gone) for each in schema.attributes), names)


def _codes_in_batches(attribute: Attribute) -> dict[str, int]:
    """Return ``codes_of`` for batches of strings.

    Raises
    ------
    InputError
        If a category is written like another one made safe for a spreadsheet: only all strings of a column together tell which is meant.
    """
    for category in attribute.categories:
        safe = spreadsheet_safe(category)
        if safe != category and safe in attribute.categories:
            both = f"'{attribute.name}' has the categories {category} and {safe}, which can look the same in a CSV file"
            raise InputError(f"{both}. Rename one of them.")
    return codes_of(attribute)


def read_as(schema: Schema) -> list[str]:
    """Describe strings of true answers that count as a category of another name.

    The result has one sentence for each such attribute.

    Examples
    --------
    >>> from rrcore.promise.name_matching import read_as
    >>> from rrcore.table import Attribute, Schema
    >>> read_as(Schema((Attribute("age", ("below 40", "40 and more", "(missing)")), Attribute("sex", ("f", "m")))))
    ["'age': numbers count as the interval that they are in, an empty cell as '(missing)'."]
    """
    found = []
    for each in schema.attributes:
        texts = ["numbers count as the interval that they are in"] if edges_named(each.categories) else []
        texts += [f"an empty cell as '{MISSING}'"] if MISSING in each.categories else []
        texts += [f"what is no category as '{OTHER}'"] if OTHER in each.categories else []
        if texts:
            texts[0] = texts[0] if "count" in texts[0] else texts[0].replace(" as ", " counts as ", 1)
            found.append(f"'{each.name}': {', '.join(texts)}.")
    return found


def column_names(
    names: Sequence[str], schema: Schema, title: str, *, export: Export | None = None, left_out: Mapping[str, str] = {}
) -> tuple[str, ...]:
    """Return the column of each attribute.

    ``names`` are the names of the columns.

    A column with the name of the attribute is used if there is one. Otherwise, the column can have its plain name, be inside groups,
    have the suffix ``_released``, or have the attribute as the text of its question.

    Parameters
    ----------
    names : names of the columns of a table
    schema : Schema
    title : name of the table in messages
    export : information about the survey tool that wrote the table
    left_out : unreadable column -> reason

    Raises
    ------
    InputError
        If an attribute has no column or several columns, or two attributes have the same column.
    """
    about = set(export.interview) if export else set()
    kept = [name for name in names if name not in about]
    asked = zip(schema.names, question_names(schema), strict=True)
    found = tuple(_column(attribute, short, names, kept, export, title, left_out) for attribute, short in asked)
    if twice := next((name for name in found if found.count(name) > 1), None):
        both = " and ".join(f"'{own}'" for own, name in zip(schema.names, found, strict=True) if name == twice)
        what = f"In the file '{title}', the column '{twice[:60]}' matches the attributes {both}"
        raise InputError(f"{what}. Name each column after its attribute.", quoted=twice[:60])
    return found


def _column(
    attribute: str,
    short: str,
    names: Sequence[str],
    kept: Sequence[str],
    export: Export | None,
    title: str,
    left_out: Mapping[str, str],
) -> str:
    for name in (attribute, attribute.strip(), spreadsheet_safe(attribute).strip()):
        if name in names:
            return name
        if name in left_out:
            raise InputError(left_out[name])
    wanted = {attribute.strip(), short}
    found = [name for name in kept if wanted & _called(name, export)]
    if len(found) == 1:
        return found[0]
    if found:
        both = " and ".join(f"'{name[:60]}'" for name in found[:3])
        raise InputError(
            f"In the file '{title}', several columns match '{attribute}': {both}. Rename one of them to '{attribute}'.",
            quoted=both,
        )
    have = ", ".join(f"'{' '.join(name.split())[:40]}'" for name in names[:8])
    raise InputError(
        f"The file '{title}' has no column '{attribute}', which the mechanism file requires. Its columns are {have}. Choose "
        "the answers and the mechanism file of the same survey.",
        quoted=have,
    )


def _called(name: str, export: Export | None) -> set[str]:
    """What a column may be called: without its groups, by its plainer name, by its question."""
    names = {name, name.rpartition("/")[2]}
    if export is not None:
        names |= {name.rpartition("-")[2], export.questions.get(name, name).strip()}
    return names | {each.removesuffix(_RELEASED) for each in names}


def question_names(schema: Schema) -> tuple[str, ...]:
    """Return a different name for each attribute, for use inside forms.

    No name begins with ``rr_`` or ends in ``_true``, which forms use themselves.

    Examples
    --------
    >>> from rrcore.promise.name_matching import question_names
    >>> from rrcore.table import Attribute, Schema
    >>> question_names(Schema((Attribute("Connected to a gang?", ("no", "yes")), Attribute("Région", ("N", "S")))))
    ('connected_to_a_gang', 'region')
    """
    found: list[str] = []
    for number, name in enumerate(schema.names, 1):
        word = _plain(name).lower().replace(".", "_").replace("-", "_").strip("_")[:_LONGEST]
        usable = re.match(r"[a-z]", word) and not word.startswith("rr_") and not word.endswith("_true")
        plain = word if usable else f"question_{number}"
        found.append(_unlike(plain, found))
    return tuple(found)


def choice_names(attribute: Attribute) -> tuple[str, ...]:
    """Return a name for each category: the category itself if it is a valid name.

    Examples
    --------
    >>> from rrcore.promise.name_matching import choice_names
    >>> from rrcore.table import Attribute
    >>> choice_names(Attribute("health", ("very good", "fair", "poor"))), choice_names(Attribute("mood", (":-)", ":-(")))
    (('very_good', 'fair', 'poor'), ('choice_1', 'choice_2'))
    """
    words = tuple(_plain(category) for category in attribute.categories)
    if all(words) and len({word.lower() for word in words}) == len(words):
        return words
    taken, found = list(attribute.categories), list[str]()
    for number in range(1, attribute.size + 1):
        found.append(_unlike(f"choice_{number}", taken + found))
    return tuple(found)


def _plain(text: str) -> str:
    letters = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", letters).strip("_.-")[:_LONGEST]


def _unlike(name: str, taken: Sequence[str]) -> str:
    """Return ``name``, or ``name`` with a number if it is taken."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
