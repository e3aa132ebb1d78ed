"""What stands at the end of a Parquet file, taken apart and put together again, so that files are joined without decoding them.

It is a struct of Thrift's compact protocol (github.com/apache/parquet-format, ``parquet.thrift``). Only what moves is looked at, the places
of columns in their file; everything else is kept as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

MAGIC = b"PAR1"
"""First and last bytes of a file."""

_BOOLS, _BYTE, _INTS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
_ROWS, _GROUPS = 3, 4  # numbers of the fields of a footer
_COLUMNS, _GROUP_PLACE, _ORDINAL = 1, 5, 7  # of a row group; the last counts row groups in 16 bits, and may be left out
_CHUNK_PLACES, _CHUNK = (2, 4, 6), 3  # of a column in it
_PAGE_PLACES = (9, 10, 11, 14)  # of what it says of itself

Fields = dict[int, tuple[int, Any]]
"""Number of a field -> its type and value; lists are (type of the elements, elements)."""


@dataclass(frozen=True)
class RowGroup:
    """One row group of a file.

    Parameters
    ----------
    fields : as in the footer
    """

    fields: Fields

    @property
    def rows(self) -> int:
        return int(self.fields[3][1])

    @property
    def start(self) -> int:
        """Where its bytes begin."""
        return min(
            place for column in self._columns() for number, (_, place) in column[_CHUNK][1].items() if number in _PAGE_PLACES
        )

    def moved(self, by: int) -> bytes:
        """As it is written in the footer of a file in which it stands so many bytes farther on."""
        fields = {number: own for number, own in self.fields.items() if number != _ORDINAL}
        _move(fields, (_GROUP_PLACE,), by)
        kind, (of, _) = fields[_COLUMNS]
        fields[_COLUMNS] = kind, (of, [_moved_column(column, by) for column in self._columns()])
        return _struct(fields)

    def _columns(self) -> Iterator[Fields]:
        return iter(self.fields[_COLUMNS][1][1])


@dataclass(frozen=True)
class Footer:
    """The end of a Parquet file.

    Parameters
    ----------
    fields : as in the file
    start : int, where it begins: the end of the last row group
    """

    fields: Fields
    start: int

    @classmethod
    def of(cls, file: IO[bytes]) -> Footer:
        """The footer of a whole file that is open."""
        size = file.seek(0, 2)
        file.seek(size - 8)
        length = int.from_bytes(file.read(4), "little")
        assert file.read(4) == MAGIC, "a Parquet file of our own is whole"
        start = file.seek(size - 8 - length)
        fields, _ = _read_struct(file.read(length), 0)
        return cls(fields, start)

    @property
    def groups(self) -> list[RowGroup]:
        return [RowGroup(fields) for fields in self.fields[_GROUPS][1][1]]

    @property
    def schema(self) -> Any:
        """The columns, to be compared."""
        return self.fields[2]

    def over(self, rows: int, groups: list[bytes]) -> bytes:
        """The bytes from the end of the last row group on of a file with the same columns and these row groups."""
        fields = self.fields | {_ROWS: (6, rows), _GROUPS: (_LISTS[0], (_STRUCT, groups))}
        written = _struct(dict(sorted(fields.items())))
        return written + len(written).to_bytes(4, "little") + MAGIC


def _move(fields: Fields, numbers: tuple[int, ...], by: int) -> None:
    for number in numbers:
        if number in fields:
            kind, place = fields[number]
            fields[number] = kind, place + by if place else place  # writers that do not say where write 0


def _moved_column(column: Fields, by: int) -> Fields:
    column = dict(column)
    _move(column, _CHUNK_PLACES, by)
    kind, chunk = column[_CHUNK]
    chunk = dict(chunk)
    _move(chunk, _PAGE_PLACES, by)
    column[_CHUNK] = kind, chunk
    return column


def _read_number(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def _read_struct(data: bytes, at: int) -> tuple[Fields, int]:
    fields: Fields = {}
    number = 0
    while head := data[at]:
        kind, at = head & 15, at + 1
        if head >> 4:
            number += head >> 4
        else:
            number, at = _read_value(data, at, _INTS[0])
        if kind in _BOOLS:
            fields[number] = kind, None
        else:
            value, at = _read_value(data, at, kind)
            fields[number] = kind, value
    return fields, at + 1


def _read_value(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind in _INTS:
        number, at = _read_number(data, at)
        return (number >> 1) ^ -(number & 1), at
    if kind == _BINARY:
        size, at = _read_number(data, at)
        return data[at : at + size], at + size
    if kind == _STRUCT:
        return _read_struct(data, at)
    if kind in _LISTS:
        size, of, at = data[at] >> 4, data[at] & 15, at + 1
        if size == 15:
            size, at = _read_number(data, at)
        values = []
        for _ in range(size):
            value, at = _read_value(data, at, of)
            values.append(value)
        return (of, values), at
    size = {_DOUBLE: 8, _BYTE: 1, 1: 1, 2: 1}[kind]
    return data[at : at + size], at + size


def _number(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _struct(fields: Fields) -> bytes:
    out, last = bytearray(), 0
    for number, (kind, value) in fields.items():
        step = number - last
        out += bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + _value(_INTS[0], number)
        if kind not in _BOOLS:
            out += _value(kind, value)
        last = number
    out.append(0)
    return bytes(out)


def _value(kind: int, value: Any) -> bytes:
    if kind in _INTS:
        return _number(value << 1 if value >= 0 else -value * 2 - 1)
    if kind == _BINARY:
        return _number(len(value)) + value
    if kind in _LISTS:
        of, values = value
        head = bytes([len(values) << 4 | of]) if len(values) < 15 else bytes([15 << 4 | of]) + _number(len(values))
        return head + b"".join(_value(of, each) for each in values)
    return _struct(value) if isinstance(value, dict) else bytes(value)  # what is written already stays as it is
