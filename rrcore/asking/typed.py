"""Questions and their answers as a person types them, one question a line: of a schema, and of columns whose other answers are declared."""

import re
from collections.abc import Iterable

from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, MAX_TEXT
from rrcore.table.recoding import ColumnRule
from rrcore.table.schema import Attribute, Kind, Schema
from rrcore.table.text_table import TextColumn

_QUOTED = r'"(?:[^"]|"")*"'
_NAME = re.compile(rf'({_QUOTED}\s*|[^:"][^:]*):(.*)$')
_SEPARATORS: dict[Kind, str] = {"nominal": ",", "ordinal": r"\s<\s"}  # one blank on each side: runs of blanks would take long


def read_questions(text: str) -> Schema:
    """The schema that is typed in ``text``: one question a line, its name, a colon and its possible answers.

    Answers are separated by commas, or by `` < `` where their order means something; a number alone stands for that many
    answers, 1, 2, 3 and so on. A name that holds a colon, or an answer that holds a separator, stands in double quotes. Empty lines
    mean nothing. Raises InputError with the line concerned.

    Examples
    --------
    >>> schema = read_questions('Smokes: no, yes\\nHealth: poor < fair < good\\nRegion: 4')
    >>> schema.sizes, [attribute.kind for attribute in schema.attributes]
    ((2, 3, 4), ['nominal', 'ordinal', 'nominal'])
    """
    return Schema(tuple(_question(line, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()))


def read_answers(text: str) -> tuple[str, ...]:
    """The answers that are typed in ``text``, separated by commas; one that holds a comma stands in double quotes.

    Examples
    --------
    >>> read_answers('non, "oui, souvent"')
    ('non', 'oui, souvent')
    """
    return tuple(map(_bare, _parts(text, _SEPARATORS["nominal"]))) if text.strip() else ()


def write_answers(answers: Iterable[str]) -> str:
    """Answers as they would be typed.

    Examples
    --------
    >>> write_answers(["non", "oui, souvent"])
    'non, "oui, souvent"'
    """
    return ", ".join(map(_quoted, answers))


def write_questions(schema: Schema) -> str:
    """``schema`` as it would be typed; ``read_questions`` makes the same of it, but for line breaks and outer blanks in names.

    Examples
    --------
    >>> write_questions(read_questions("Health: poor<fair, good"))
    'Health: "poor<fair", good'
    """
    return "\n".join(write_question(each.name, each.categories, each.kind) for each in schema.attributes)


def write_question(name: str, answers: Iterable[str], kind: Kind = "nominal") -> str:
    """One question as it would be typed, also with a single answer, to which others are to be added."""
    return f"{_quoted(name)}: {(', ' if kind == 'nominal' else ' < ').join(map(_quoted, answers))}"


def one_valued_questions(columns: Iterable[TextColumn]) -> tuple[TextColumn, ...]:
    """The columns in which everybody who has a value has the same one."""
    return tuple(column for column in columns if len(column.values) == 1 and len(column.values[0]) <= MAX_TEXT)


def unfinished_questions(columns: Iterable[TextColumn]) -> str:
    """The columns as questions, one a line, each with the answer that was given, to be completed and read by ``question_rules``."""
    return "\n".join(write_question(column.name, column.values) for column in columns)


def question_rules(columns: Iterable[TextColumn], text: str) -> dict[str, ColumnRule]:
    """The rules of those columns that ``text`` gives more possible answers, typed as ``read_questions`` takes them.

    Raises
    ------
    InputError
        If it gives none, names another column, or leaves out the answer that was given.

    Examples
    --------
    >>> from rrcore.table import read_text_table
    >>> columns = one_valued_questions(read_text_table(b"smokes,ward\\nno,3\\nno,3\\n", "a.csv").columns)
    >>> unfinished_questions(columns)
    'smokes: no\\nward: 3'
    >>> {name: rule.categories for name, rule in question_rules(columns, "smokes: no, yes\\nward: 3").items()}
    {'smokes': ('no', 'yes')}
    """
    known = {_on_one_line(column.name): column for column in columns}
    same = {line.strip() for line in unfinished_questions(known.values()).split("\n")}
    lines = [line for line in text.split("\n") if line.strip() and line.strip() not in same]
    if not lines:
        first = next(iter(known.values()))
        raise InputError(
            f"No answer was added: write at least one more, for example '{write_question(first.name, first.values)}, ...'."
        )
    rules = {}
    for attribute in read_questions("\n".join(lines)).attributes:
        column = known.get(attribute.name)
        if column is None:
            raise InputError(f"There is no column '{attribute.name}' with a single value: keep the names as they are.")
        (given,) = column.values
        if _on_one_line(given) not in attribute.categories:
            raise InputError(f"Everybody answered '{given[:40]}' to '{attribute.name}': keep it among the possible answers.")
        categories = tuple(given if each == _on_one_line(given) else each for each in attribute.categories)
        rules[column.name] = ColumnRule(kind=attribute.kind, categories=categories)
    return rules


def _question(line: str, number: int) -> Attribute:
    found = _NAME.match(line.strip())
    if found is None:
        raise InputError(
            f"Line {number}, '{line.strip()[:40]}', has no name and colon before its answers: write for example 'smokes: no, yes'."
        )
    name, rest = _bare(found[1]), found[2].strip()
    if rest.isdecimal() and len(rest) <= 6:
        if int(rest) > MAX_CATEGORIES:
            raise InputError(
                f"'{name}' has {int(rest):,} categories: at most {MAX_CATEGORIES:,} are allowed, so group its answers."
            )
        return Attribute(name, tuple(str(i) for i in range(1, int(rest) + 1)))
    outside = re.sub(_QUOTED, '""', rest)
    kind: Kind = "ordinal" if "," not in outside and re.search(_SEPARATORS["ordinal"], outside) else "nominal"
    answers = (_bare(part) for part in _parts(rest, _SEPARATORS[kind]))
    return Attribute(name, tuple(answer for answer in answers if answer), kind)


def _parts(text: str, separator: str) -> list[str]:
    """``text`` between the separators that stand outside quotes."""
    parts, start = [], 0
    piece = re.compile(rf"(\s*{_QUOTED}\s*(?=$|{separator})|.*?)(?:$|{separator})")
    while start < len(text) and (found := piece.match(text, start)) is not None:
        parts.append(found[1])
        start = found.end()
    return parts


def _bare(part: str) -> str:
    part = part.strip()
    return part[1:-1].replace('""', '"') if re.fullmatch(_QUOTED, part) else part


def _on_one_line(text: str) -> str:
    """``text`` with a blank for each line break, as it is typed."""
    return " ".join(text.split("\n"))


def _quoted(text: str) -> str:
    text = _on_one_line(text)
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",:<]', text) or text != text.strip() else text
