"""Where the table in a file may be: which sheet, below which title, whether names stand above it; and whether that is certain."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from rrcore.limits import PREVIEW_ROWS
from rrcore.table.reading.exports import Export, find_export
from rrcore.table.reading.header import MARKS, judge_first_row
from rrcore.table.reading.layout import Layout, Looked, Row
from rrcore.table.reading.text_table import TextTable, to_numbers
from rrcore.wording import counted

_LOOKED_AT = 50
_MOST_SUMMED = 100_000
_SUMS = frozenset({
    "total", "totals", "sum", "sums", "subtotal", "grandtotal", "overall", "mean", "average", "all", "n", "count",
    "summe", "gesamt", "insgesamt", "mittelwert", "somme", "ensemble", "totale", "totaal", "suma",
})  # fmt: skip


@dataclass(frozen=True)
class Guess:
    """Where the table may be.

    Parameters
    ----------
    layout : Layout, the likeliest
    sure : bool, whether nothing needs to be asked
    why : str, a sentence: what was found, or what is in doubt
    export : Export or None, what is known where a survey tool wrote the file
    """

    layout: Layout
    sure: bool
    why: str
    export: Export | None = None


def guess_layout(file: Looked, *, sheet: str = "", start: int = 0) -> Guess:
    """The likeliest layout of a file; ``sheet`` and ``start`` (the number of a row) are kept where they are given.

    Raises
    ------
    InputError
        If there is no such sheet.
    """
    if not file.content.head(sheet):
        return Guess(Layout(encoding=file.encoding), True, f"A {file.kind} knows the names of its columns.")
    sheets = file.content.sheets
    filled = {name: sum(sum(map(bool, cells)) for _, cells in file.content.head(name)) for name in sheets}
    chosen = sheet or max(sheets, key=filled.__getitem__, default="")
    rows = file.content.head(chosen)
    first = next((i for i, (number, _) in enumerate(rows) if number >= start), len(rows) - 1) if start else _first(rows)
    table = [cells for _, cells in rows[first:]]
    number, export = rows[first][0], find_export(table)
    if export is not None:
        layout = Layout(chosen, number, True, export.skip, encoding=file.encoding)
        return Guess(layout, len(sheets) < 2 or bool(sheet), f"This looks like an export of {export.tool}.", export)
    verdict = judge_first_row(table[0], table[1:])
    layout = Layout(chosen, number, verdict.names, encoding=file.encoding)
    if len(sheets) > 1 and not sheet:
        names = ", ".join(f"'{name}'" for name in sheets[:PREVIEW_ROWS])
        more = ", ..." if len(sheets) > PREVIEW_ROWS else ""
        return Guess(layout, False, f"The workbook has {len(sheets)} sheets with cells: {names}{more}.")
    if first and not start:
        above = counted(first, "row that looks like a title", "rows that look like a title")
        return Guess(layout, False, f"The table seems to start in row {number:,}, below {above}.")
    return Guess(layout, verdict.sure, verdict.why)


def guess_last_rows(table: TextTable) -> int:
    """How many rows at the end look like totals or a note, not like people: at most 5.

    A total is named in the first column that has a value ("Total", "Mean"), where nobody else has that value; or it is one row, without
    any other text, that adds up every column of numbers.
    """
    found = 0
    while found < min(5, table.n - 1):
        row = table.n - 1 - found
        cells = [(column, int(column.codes[row])) for column in table.columns]
        filled = [(column, column.values[code]) for column, code in cells if code >= 0]
        if not filled:
            break
        column, text = filled[0]
        word = "".join(c for c in text.lower() if c.isalnum())
        alone = int((column.codes == column.values.index(text)).sum()) == 1
        note = len(filled) == 1 and table.names[0] == column.name and len(table.columns) > 2 and " " in text and alone
        if not ((word in _SUMS and alone) or note):
            break
        found += 1
    return found or int(_adds_up(table))


def _adds_up(table: TextTable) -> bool:
    """Whether the last of at least 6 rows holds, beside empty cells, nothing but the sums of the rows above."""
    if not 6 <= table.n <= _MOST_SUMMED:
        return False
    sums = 0
    for column in table.columns:
        last = int(column.codes[-1])
        if last < 0:
            continue
        numbers = to_numbers([value for value in column.values if value.lower() not in MARKS])
        if numbers is None or len(numbers) < len(column.values):
            return False
        above = column.codes[:-1]
        total = float(numbers[above[above >= 0]].sum())
        if abs(total) < 1e-9 or abs(total - numbers[last]) > 1e-6 * abs(total):
            return False
        sums += 1
    return sums > 0


def _first(rows: Sequence[Row]) -> int:
    """The first of the rows that is at least half as full as those after it usually are."""
    full = [sum(map(bool, cells)) for _, cells in rows[:_LOOKED_AT]]
    if len(full) < 3:
        return 0
    usual = median(full[1:])
    return next((i for i, count in enumerate(full) if count > usual / 2), 0)
