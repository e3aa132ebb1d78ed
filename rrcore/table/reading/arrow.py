"""Arrow tables: flat columns of any type, each value as text. They come from Parquet files or from tables in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rrcore.limits import MAX_CHUNK_BYTES, MAX_DISTINCT, MAX_UNPACKED_BYTES
from rrcore.table.reading.columns import LESS, MIB, Found, Growing, check_rows, check_size, checked_names, encoded, refuse
from rrcore.table.reading.layout import Layout, Row
from rrcore.work import Report, quiet

_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name


class ArrowStream(Protocol):
    """A table of any library that has the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def arrow_texts(values: Any) -> Any:
    """Arrow values of any flat type as texts, written as the cells of a workbook are."""
    kind = values.type
    if pa.types.is_boolean(kind):
        return pc.if_else(values, "TRUE", "FALSE")
    if pa.types.is_floating(kind):
        texts = pc.if_else(pc.is_nan(values), pa.scalar(None, kind), values).cast(pa.string())
        return pc.if_else(pc.equal(texts, "-0"), "0", texts)
    texts = values.cast(pa.string())
    if pa.types.is_decimal(kind) or pa.types.is_temporal(kind):
        texts = pc.replace_substring_regex(pc.replace_substring_regex(texts, r"\.0+$", ""), " 00:00:00$", "")
    return texts


def read_arrow(source: ArrowStream) -> tuple[Found, dict[str, tuple[tuple[str, ...], bool]]]:
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
    found, declared = Found(), {}
    for name, chunks in zip(checked_names(table.column_names), table.columns, strict=True):
        if pa.types.is_nested(chunks.type):
            found.left_out[name] = _nested(name)
            continue
        try:
            values, indices = encoded(chunks)
            texts = arrow_texts(values)
        except pa.ArrowException:
            refuse(f"Column '{name}' holds values of type {chunks.type}, texts were expected.", "Convert it, or leave it out.")
        if found.add(name, texts, indices) is not None and pa.types.is_dictionary(chunks.type):
            known = [text.strip() for text in texts.to_pylist() if text is not None and text.strip()]
            declared[name] = tuple(dict.fromkeys(known)), bool(chunks.type.ordered)
    return found, declared


@dataclass(frozen=True, eq=False)
class ParquetFile:
    """A Parquet file: it knows the names of its columns, and how much each of them unpacks to."""

    data: memoryview
    sheets: tuple[str, ...] = ()
    buffer: Any = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "buffer", pa.py_buffer(self.data))

    @property
    def memory(self) -> int:
        about = pq.ParquetFile(pa.BufferReader(self.buffer)).metadata
        groups = [about.row_group(i) for i in range(about.num_row_groups)]
        chunks = [chunk for group in groups for chunk in map(group.column, range(group.num_columns)) if not self._large(chunk)]
        largest = max((chunk.total_uncompressed_size for chunk in chunks), default=0)
        texts = sum(chunk.total_uncompressed_size for chunk in chunks)
        return 7 * largest + 2 * texts + 2 * about.num_rows * about.num_columns + 120 * min(about.num_rows, MAX_DISTINCT)

    def head(self, sheet: str = "") -> tuple[Row, ...]:
        return ()

    def read(self, layout: Layout, report: Report = quiet) -> Found:
        file = pq.ParquetFile(pa.BufferReader(self.buffer))
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
        file = pq.ParquetFile(pa.BufferReader(self.buffer), read_dictionary=texts)
        found = Found()
        for number, (name, entry) in enumerate(zip(names, schema, strict=True)):
            report(number / len(names), f"column {number + 1:,} of {len(names):,}")
            if pa.types.is_nested(entry.type):
                found.left_out[name] = _nested(name)
            elif entry.name in large:
                what = f"unpacks to more than {MAX_CHUNK_BYTES // MIB} MB at once"
                found.left_out[name] = f"Column '{name}' {what}. Leave it out, or write the file in smaller row groups."
            else:
                self._read_one(file, len(groups), name, entry.name, about.num_rows, found)
        return found

    def _read_one(self, file: Any, groups: int, name: str, key: str, rows: int, found: Found) -> None:
        column = Growing()
        for group in range(groups):
            for chunk in file.read_row_group(group, columns=[key], use_threads=False).column(key).chunks:
                column.add(chunk)
        values, indices = column.finish()
        if len(indices) != rows:
            raise ValueError("a column is shorter or longer than the file says")
        if values.nbytes > MAX_CHUNK_BYTES:
            found.left_out[name] = f"Column '{name}' holds values of {values.nbytes // MIB:,} MB in all. Leave it out."
        else:
            found.add(name, arrow_texts(values), indices)

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


def _nested(name: str) -> str:
    return f"Column '{name}' holds lists or records, one value per cell was expected. Leave it out."
