"""Rows of delimited text cut into columns, block by block, and which rows are wrong."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.csv as pacsv

from rrcore.progress import Report
from rrcore.table.reading.columns import MIB, SAVE_AS, Growing, UnevenRowsError, check_size, refuse, value_count

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar"}
"""What may stand between two values, and what messages call it."""

BLOCK_BYTES = 4 * MIB
_BLOCKS = (BLOCK_BYTES, 64 * MIB)  # the longer one for rows that are longer than the other
_FIRST = 3  # wrong rows that a message names


class Views(io.RawIOBase):
    """Bytes in a row as a file, none of them copied before they are read."""

    def __init__(self, *parts: bytes | memoryview) -> None:
        self.parts = [memoryview(part) for part in parts if len(part)]
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        if not self.parts:
            return 0
        part = self.parts[0]
        size = min(len(into), len(part))
        into[:size] = part[:size]
        self.taken += size
        self.parts[:1] = [part[size:]] if size < len(part) else []
        return size


def records(parts: Sequence[bytes | memoryview], delimiter: str, used: list[int] | None = None) -> Iterator[list[str]]:
    """Records by the csv module; adds the bytes of the lines taken so far to ``used``. May raise csv.Error."""

    def lines() -> Iterator[str]:
        for line in io.TextIOWrapper(io.BufferedReader(Views(*parts)), "utf-8", errors="ignore", newline=""):
            if used is not None:
                used[0] += len(line.encode())
            yield line

    return csv.reader(lines(), delimiter=delimiter)


@dataclass(frozen=True, eq=False)
class Body:
    """The rows of answers.

    Parameters
    ----------
    text : their bytes
    delimiter : str
    number : of the first row
    what : how many values each is to have, as a message says it
    width : the same as a number
    """

    text: memoryview
    delimiter: str
    number: int
    what: str
    width: int

    @property
    def end(self) -> bytes:
        """A row of empty cells below the others: an unclosed quotation mark swallows it, and so shows."""
        return "\n{}\n".format(self.delimiter.join(['""'] * self.width)).encode()

    def cut(self, *, leave_uneven: bool, report: Report) -> tuple[list[Growing], int]:
        """The columns, each with one more cell, that of ``end``; and how many rows have too many or too few values."""
        for block in _BLOCKS:
            try:
                columns, uneven, closed = self._parse(block, report)
            except pa.ArrowInvalid:
                continue
            if not closed:
                self._refuse_unclosed()
            if uneven and not leave_uneven:
                self._refuse_uneven(uneven)
            return columns, uneven
        if self._unclosed():
            self._refuse_unclosed()
        refuse("The file cannot be cut into rows and columns.", SAVE_AS)

    def _parse(self, block: int, report: Report) -> tuple[list[Growing], int, bool]:
        uneven = 0

        def on_uneven_row(row: Any) -> str:
            nonlocal uneven
            uneven += bool(row.text.strip())
            return "skip"

        keys = [str(i) for i in range(self.width)]
        views = Views(self.text, self.end)
        reader = pacsv.open_csv(
            pa.PythonFile(io.BufferedReader(views, block), mode="r"),
            pacsv.ReadOptions(column_names=keys, block_size=block),
            pacsv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=on_uneven_row),
            pacsv.ConvertOptions(
                column_types=dict.fromkeys(keys, pa.dictionary(pa.int32(), pa.string())),
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )
        columns, rows, last = [Growing() for _ in keys], 0, [""]
        size = max(len(self.text), 1)
        for batch in reader:
            if not batch.num_rows:
                continue
            rows += batch.num_rows
            check_size(rows - 1, self.width)
            for column, values in zip(columns, batch.columns, strict=True):
                column.add(values)
            last = [values[-1].as_py() for values in batch.columns]
            report(min(1.0, views.taken / size), f"{rows:,} rows")
        return columns, uneven, bool(rows) and not any(last)

    def _unclosed(self) -> int:
        """The number of the row with a quotation mark that is not closed; 0 if there is none."""
        number, filled = self.number - 1, False
        try:
            for record in records([self.text, self.end], self.delimiter):
                number, filled = number + 1, any(record)
        except csv.Error:
            return number + 1
        return number if filled else 0

    def _refuse_unclosed(self) -> NoReturn:
        number = self._unclosed()
        row = f"Row {number:,} opens" if number else "A row opens"
        refuse(f"{row} a quotation mark that is not closed.", "Close it, or double it inside a quoted value.")

    def _refuse_uneven(self, rows: int) -> NoReturn:
        """Say which rows have too many or too few values, and where in the first a delimiter seems too many or missing."""
        wrong: list[tuple[int, list[str]]] = []
        try:
            for number, record in enumerate(records([self.text], self.delimiter), self.number):
                if len(record) != self.width and self.delimiter.join(record).strip():
                    wrong.append((number, record))
                    if len(wrong) == min(rows, _FIRST):
                        break
        except csv.Error:
            pass
        if not wrong:
            raise UnevenRowsError(
                f"{rows:,} rows have more or fewer values than {self.what}. Check how they are quoted.", rows=rows
            )
        number, record = wrong[0]
        message, quoted = width_told(
            f"Row {number:,}", self.delimiter.join(record), len(record), self.width, self.delimiter, self.what
        )
        if rows > 1:
            others = " and ".join(f"row {other:,}" for other, _ in wrong[1:])
            are = "1 more row is" if rows == 2 else f"{rows - 1:,} more rows are"
            message += f" {are} too long or too short{', such as ' if rows > len(wrong) else ': '}{others}."
        raise UnevenRowsError(message, quoted=quoted, rows=rows)


def width_told(row: str, text: str, found: int, width: int, delimiter: str, what: str) -> tuple[str, str]:
    """That a row has ``found`` values, with the place in its text where a delimiter seems too many or missing; and what it quotes."""
    sign = re.escape(delimiter)
    near = re.search(rf"[^{sign}\"]+{sign}[ \u00a0][^{sign}\"]*", text) if found > width else None
    words = " ".join((near.group() if near else text).split())
    quoted = words[:40] + ("..." if len(words) > 40 else "")
    fault = "an unquoted" if found > width else "a missing"
    return f"{row} has {value_count(found)}, {what}. Check for {fault} {DELIMITERS[delimiter]} near '{quoted}'.", quoted
