"""Codebooks: what codes mean, from a file of code and label, or of column, code and label."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rrcore.errors import InputError
from rrcore.table.opening import read_text_table
from rrcore.table.reading.options import ReadOptions
from rrcore.table.recoding import ColumnRule
from rrcore.table.text_table import TextColumn, TextTable, to_numbers

_HEADINGS = frozenset({
    "code", "codes", "value", "values", "label", "labels", "meaning", "text", "column", "variable", "question", "name", "category",
})  # fmt: skip
Labels = tuple[tuple[str, str], ...]
"""Codes and what they mean."""


def read_codebook(data: bytes, filename: str) -> dict[str, Labels]:
    """Labels by the name of the column they are for; in a file of two columns, code and label, that name is "".

    The first row is taken for headings where it holds a word such as ``code`` or ``label``.

    Raises
    ------
    InputError
        If the file cannot be read, has another number of columns, or gives one code two labels.

    Examples
    --------
    >>> from rrcore.table import read_codebook
    >>> read_codebook(b"code,label\\n1,male\\n2,female\\n", "sex.csv")
    {'': (('1', 'male'), ('2', 'female'))}
    """
    table = read_text_table(data, filename, ReadOptions(header=False))
    width = len(table.columns)
    if width not in (2, 3):
        raise InputError(f"The codebook has {width} columns: give two, code and label, or three, column, code and label.")
    texts = (["" if code < 0 else column.values[code] for code in column.codes.tolist()] for column in table.columns)
    rows = list(zip(*texts, strict=True))
    if any(text.lower() in _HEADINGS for text in rows[0]) and len(rows) > 1:
        rows = rows[1:]
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        column, code, label = row if width == 3 else ("", *row)
        if not code or not label:
            continue
        known = found.setdefault(column, {})
        if known.setdefault(code, label) != label:
            where = f" of '{column}'" if column else ""
            raise InputError(f"The codebook gives the code '{code[:40]}'{where} two labels: keep one of them.", quoted=code[:40])
    if not found:
        raise InputError("The codebook has no row with a code and a label: give each code a label.")
    return {column: tuple(labels.items()) for column, labels in found.items()}


def apply_labels(column: TextColumn, rule: ColumnRule, labels: Iterable[tuple[str, str]]) -> ColumnRule:
    """The rule by which the codes of a column go by ``labels``; every label is then a possible answer, in the order given.

    Codes that are numbers match whichever way they are written (``1``, ``01``, ``1.0``). Values without a label keep their own name and
    come last.

    Raises
    ------
    InputError
        If no code occurs in the column.
    """
    labels = list(labels)
    by_text = dict(labels)
    by_number = {number: label for code, label in labels if (number := _number(code)) is not None}
    called = {}
    for value in column.values:
        number = _number(value)
        label = by_text.get(value) or (None if number is None else by_number.get(number))
        if label is not None:
            called[value] = label
    if not called:
        codes = ", ".join(f"'{code[:20]}'" for code, _ in labels[:5])
        raise InputError(
            f"None of the codes {codes} occurs in '{column.name}': choose the codebook of this column.", quoted=codes
        )
    marks = set(rule.missing_marks)
    names = [label for code, label in labels if code not in marks]
    rest = [value for value in column.values if value not in called and value not in marks]
    categories = tuple(dict.fromkeys([*names, *rest]))
    known = {**{code: label for code, label in labels if code not in marks}, **called}  # also codes that nobody gave
    return replace(rule, use=True, edges=(), labels=tuple(known.items()), categories=categories, declared=not rest)


def apply_codebook(table: TextTable, rules: Mapping[str, ColumnRule], codebook: Mapping[str, Labels]) -> dict[str, ColumnRule]:
    """The rules of those columns that the codebook names.

    Raises
    ------
    InputError
        If it names a column that there is not, or whose codes do not occur.
    """
    return {name: apply_labels(table.column(name), rules.get(name, ColumnRule()), labels) for name, labels in codebook.items()}


def _number(text: str) -> float | None:
    numbers = to_numbers([text])
    return None if numbers is None else float(numbers[0])
