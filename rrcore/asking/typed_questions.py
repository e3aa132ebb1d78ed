"""Read and write questions and answers as a person types them, one per line."""

import re
from collections.abc import Iterable

from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES
from rrcore.table.schema import Attribute, Kind, Schema

_QUOTED = r'"(?:[^"]|"")*"'
_NAME = re.compile(rf'({_QUOTED}\s*|[^:"][^:]*):(.*)$')
# one blank on each side, because patterns for runs of blanks can take very long
_SEPARATORS: dict[Kind, str] = {"nominal": ",", "ordinal": r"\s<\s"}


def read_questions(text: str) -> Schema:
    """Return the schema typed in ``text``, one question per line.

    A line has a name, a colon, and the possible answers. Separate answers with commas, or with `` < `` if they have an order. A
    single number stands for that many answers, 1, 2, 3 and so on. Use double quotes around a name with a colon or an answer
    with a separator. Empty lines are ignored. Raises InputError, which quotes the invalid line.

    Examples
    --------
    >>> schema = read_questions('Smokes: no, yes\\nHealth: poor < fair < good\\nRegion: 4')
    >>> schema.sizes, [attribute.kind for attribute in schema.attributes]
    ((2, 3, 4), ['nominal', 'ordinal', 'nominal'])
    """
    return Schema(tuple(_question(line, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()))


def read_answers(text: str) -> tuple[str, ...]:
    """Return the answers typed in ``text``, separated by commas.

    An answer that contains a comma needs double quotes.

    Examples
    --------
    >>> read_answers('non, "oui, souvent"')
    ('non', 'oui, souvent')
    """
    return tuple(map(_bare, _parts(text, _SEPARATORS["nominal"]))) if text.strip() else ()


def write_answers(answers: Iterable[str]) -> str:
    """Return answers as they would be typed.

    Examples
    --------
    >>> write_answers(["non", "oui, souvent"])
    'non, "oui, souvent"'
    """
    return ", ".join(map(_quoted, answers))


def write_questions(schema: Schema) -> str:
    """Return ``schema`` as it would be typed.

    ``read_questions`` restores the schema, except for line breaks and outer spaces in names.

    Examples
    --------
    >>> write_questions(read_questions("Health: poor<fair, good"))
    'Health: "poor<fair", good'
    """
    return "\n".join(_write_question(each.name, each.categories, each.kind) for each in schema.attributes)


def _write_question(name: str, answers: Iterable[str], kind: Kind = "nominal") -> str:
    """Return one question as it would be typed."""
    return f"{_quoted(name)}: {(', ' if kind == 'nominal' else ' < ').join(map(_quoted, answers))}"


def _question(line: str, number: int) -> Attribute:
    found = _NAME.match(line.strip())
    if found is None:
        raise InputError(
            f"Line {number}, '{line.strip()[:40]}', has no name followed by a colon before its answers. Write, for example, "
            "'smokes: no, yes'."
        )
    name, rest = _bare(found[1]), found[2].strip()
    if rest.isdecimal() and len(rest) <= 6:
        if int(rest) > MAX_CATEGORIES:
            raise InputError(
                f"'{name}' has {int(rest):,} categories, but at most {MAX_CATEGORIES:,} are allowed. Group its answers."
            )
        return Attribute(name, tuple(str(i) for i in range(1, int(rest) + 1)))
    outside = re.sub(_QUOTED, '""', rest)
    kind: Kind = "ordinal" if "," not in outside and re.search(_SEPARATORS["ordinal"], outside) else "nominal"
    answers = (_bare(part) for part in _parts(rest, _SEPARATORS[kind]))
    return Attribute(name, tuple(answer for answer in answers if answer), kind)


def _parts(text: str, separator: str) -> list[str]:
    """Split ``text`` at the separators outside quotes."""
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
    """Replace each line break in ``text`` by a blank."""
    return " ".join(text.split("\n"))


def _quoted(text: str) -> str:
    text = _on_one_line(text)
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",:<]', text) or text != text.strip() else text
