"""Columns in which everybody has the same value: attributes only once the other possible answers are declared."""

from __future__ import annotations

from collections.abc import Iterable

from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.table.reading import TextColumn
from rrcore.table.rule import ColumnRule
from rrcore.table.typed import on_one_line, read_questions, write_question


def one_valued(columns: Iterable[TextColumn]) -> tuple[TextColumn, ...]:
    """The columns in which everybody who has a value has the same one."""
    return tuple(column for column in columns if len(column.values) == 1 and len(column.values[0]) <= MAX_TEXT)


def lone_answers(columns: Iterable[TextColumn]) -> str:
    """The columns as questions, one a line, each with the answer that was given, to be completed and read by ``declared_rules``."""
    return "\n".join(write_question(column.name, column.values) for column in columns)


def declared_rules(columns: Iterable[TextColumn], text: str) -> dict[str, ColumnRule]:
    """The rules of those columns that ``text`` gives more possible answers, typed as ``read_questions`` takes them.

    Raises
    ------
    InputError
        If it gives none, names another column, or leaves out the answer that was given.

    Examples
    --------
    >>> from rrcore.table import read_text_table
    >>> columns = one_valued(read_text_table(b"smokes,ward\\nno,3\\nno,3\\n", "a.csv").columns)
    >>> lone_answers(columns)
    'smokes: no\\nward: 3'
    >>> {name: rule.categories for name, rule in declared_rules(columns, "smokes: no, yes\\nward: 3").items()}
    {'smokes': ('no', 'yes')}
    """
    known = {on_one_line(column.name): column for column in columns}
    same = {line.strip() for line in lone_answers(known.values()).split("\n")}
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
        if on_one_line(given) not in attribute.categories:
            raise InputError(f"Everybody answered '{given[:40]}' to '{attribute.name}': keep it among the possible answers.")
        categories = tuple(given if each == on_one_line(given) else each for each in attribute.categories)
        rules[column.name] = ColumnRule(kind=attribute.kind, categories=categories)
    return rules
