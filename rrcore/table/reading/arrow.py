"""Arrow tables: columns of values, each value as text. They come from Parquet files or from tables in memory."""

import re
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from rrcore.limits import MAX_CHUNK_BYTES, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.mark import mark_beside
from rrcore.table.reading.columns import LESS, MIB, FoundColumns, check_rows, check_size, checked_names, grown, refuse
from rrcore.table.reading.kinds import arrow_texts, bytes_left_out, flat, why_left_out
from rrcore.table.reading.layout import Layout, NamedColumns

_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name


class ArrowStream(Protocol):
    """A table of any library that has the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def read_arrow(source: ArrowStream) -> tuple[FoundColumns, dict[str, tuple[tuple[str, ...], bool]]]:
    """Columns of a table in memory, and the categories of those that declare them (pandas Categorical, polars Enum, Arrow dictionary).

    Returns
    -------
    found : Found
    declared : name -> (categories in their order, whether the order means anything)
    """
    try:
        table = pa.RecordBatchReader.from_stream(source).read_all()
    except (pa.ArrowException, TypeError, ValueError) as error:
        why = str(error.args[0] if error.args else error).splitlines()[0]
        refuse(
            f"The table cannot be read through Arrow ({why}).", "Give every column one type and a name of its own.", quoted=why
        )
    table = table.drop_columns([name for name in table.column_names if _INDEX.fullmatch(name)])
    check_rows(table.num_rows)
    found, declared = FoundColumns(beside=mark_beside(table.schema.metadata)), {}
    for name, entry, chunks in zip(checked_names(table.column_names), table.schema, table.columns, strict=True):
        if why := why_left_out(name, entry):
            found.left_out[name] = why
            continue
        try:
            column = grown(map(flat, chunks.chunks))
            if column.crowded:
                found.give_up(name)
                continue
            values, indices = column.finish()
            texts = arrow_texts(values)
        except (pa.ArrowException, UnicodeDecodeError):
            found.left_out[name] = bytes_left_out(name)
            continue
        if found.add(name, texts, indices) is not None and pa.types.is_dictionary(chunks.type):
            known = [text.strip() for text in texts.to_pylist() if text is not None and text.strip()]
            declared[name] = tuple(dict.fromkeys(known)), bool(chunks.type.ordered)
    return found, declared


@dataclass(frozen=True, eq=False)
class ParquetFile(NamedColumns):
    """A Parquet file: it knows the names of its columns, and how much each of them unpacks to."""

    data: memoryview

    def _open(self, **how: Any) -> Any:
        return pq.ParquetFile(pa.BufferReader(pa.py_buffer(self.data)), **how)

    def read(self, layout: Layout, report: Report = quiet) -> FoundColumns:
        file = self._open()
        about, schema = file.metadata, file.schema_arrow
        names = checked_names(schema.names)
        check_rows(about.num_rows)
        check_size(about.num_rows, len(names))
        groups = [about.row_group(i) for i in range(about.num_row_groups)]
        if sum(group.total_byte_size for group in groups) > MAX_UNPACKED_BYTES:
            refuse(f"The Parquet file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
        large = {
            chunk.path_in_schema
            for group in groups
            for chunk in map(group.column, range(group.num_columns))
            if self._large(chunk)
        }
        texts = [field.name for field in schema if field.type in (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())]
        file = self._open(read_dictionary=texts)
        found = FoundColumns(beside=mark_beside(schema.metadata))
        for number, (name, entry) in enumerate(zip(names, schema, strict=True)):
            report(number / len(names), f"column {number + 1:,} of {len(names):,}")
            if why := why_left_out(name, entry):
                found.left_out[name] = why
            elif entry.name in large:
                what = f"unpacks to more than {MAX_CHUNK_BYTES // MIB} MB at once"
                found.left_out[name] = f"Column '{name}' {what}. Leave it out, or write the file in smaller row groups."
            else:
                self._read_one(file, len(groups), name, entry.name, about.num_rows, found)
        return found

    def _read_one(self, file: Any, groups: int, name: str, key: str, rows: int, found: FoundColumns) -> None:
        read = (file.read_row_group(group, columns=[key], use_threads=False).column(key) for group in range(groups))
        try:
            column = grown(flat(chunk) for part in read for chunk in part.chunks)
        except UnicodeDecodeError:
            found.left_out[name] = bytes_left_out(name)
            return
        if column.rows != rows:
            raise ValueError("a column is shorter or longer than the file says")
        if column.crowded:
            found.give_up(name)
            return
        values, indices = column.finish()
        if values.nbytes > MAX_CHUNK_BYTES:
            found.left_out[name] = f"Column '{name}' holds values of {values.nbytes // MIB:,} MB in all. Leave it out."
            return
        try:
            texts = arrow_texts(values)
        except pa.ArrowException:
            found.left_out[name] = bytes_left_out(name)
        else:
            found.add(name, texts, indices)

    def _large(self, chunk: Any) -> bool:
        """Whether a column of a row group, or its dictionary, is too large to be unpacked; a dictionary may be shared by many rows."""
        if chunk.total_uncompressed_size > MAX_CHUNK_BYTES:
            return True
        return chunk.has_dictionary_page and _page_size(self.data, chunk.dictionary_page_offset) > MAX_CHUNK_BYTES


def _page_size(data: memoryview, at: int) -> int:
    """What the page that starts there says it unpacks to: the second field of its header in Thrift's compact protocol; 0 if unclear."""
    place = at + 1
    for expected in (0x15, 0x15):  # a field of 32 bits, next in order: the kind of the page, then its size
        if not 0 <= place - 1 < len(data) or data[place - 1] != expected:
            return 0
        value = shift = 0
        while place < len(data) and shift < 35:
            value |= (data[place] & 0x7F) << shift
            shift, place = shift + 7, place + 1
            if data[place - 1] < 0x80:
                break
        place += 1
    return value >> 1
