"""What turns the columns of a table into codes of a mechanism file's attributes, or of what it reports; and names inside forms.

There questions and answers are called by letters without accents, digits, and no spaces.
"""

import re
import unicodedata
from collections.abc import Sequence

from rrcore.errors import InputError
from rrcore.table.rule import MISSING, OTHER
from rrcore.table.scale import edges_named
from rrcore.table.schema import Attribute, Schema
from rrcore.table.stream import Coder, Stream
from rrcore.table.stream.coder import GONE, codes_in_batches, declared_lookup
from rrcore.wording import spreadsheet_safe

_LONGEST = 40  # characters of a name made from a text

HOW_TO_MEND = (
    "Complete such records or remove them, or leave out those without an answer, with 'missing' drop; where categories are groups of "
    "answers with names of your own, write those into the table in place of the answers. Nothing was written."
)


def answers_coder(stream: Stream, schema: Schema, *, gone: int = GONE) -> Coder:
    """What turns the columns of a stream of true answers into codes; ``gone`` as in ``declared_lookup``."""
    names = tuple(_column(attribute, stream) for attribute in schema.attributes)
    choices = (
        {choice: code for code, choice in enumerate(choice_names(each))} | codes_in_batches(each) for each in schema.attributes
    )
    lookups = (declared_lookup(each, texts, gone=gone) for each, texts in zip(schema.attributes, choices, strict=True))
    return Coder(schema, tuple(lookups), names)


def read_as(schema: Schema) -> list[str]:
    """What of a table of true answers counts as which category without standing there, a sentence for each such attribute.

    Examples
    --------
    >>> from rrcore.promise.coder import read_as
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


def _column(attribute: Attribute, stream: Stream) -> str:
    for name in (attribute.name, attribute.name.strip(), spreadsheet_safe(attribute.name)):
        if name in stream.names:
            return name
        if name in stream.left_out:
            raise InputError(stream.left_out[name])
    have = ", ".join(f"'{name[:40]}'" for name in stream.names[:8])
    raise InputError(
        f"'{stream.title}' has no column '{attribute.name}', which the mechanism file asks for; it has {have}. Choose the answers and the "
        "mechanism file of the same survey.",
        quoted=have,
    )


def question_names(schema: Schema) -> tuple[str, ...]:
    """A name for each attribute, all different, none beginning with ``rr_`` or ending in ``_true``, which forms use themselves.

    Examples
    --------
    >>> from rrcore.promise.coder import question_names
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
    """A name for each category: the category itself where it can be one.

    Examples
    --------
    >>> from rrcore.promise.coder import choice_names
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
    """``name``, or with a number where it is taken."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
