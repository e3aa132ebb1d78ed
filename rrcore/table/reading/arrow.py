"""Arrow tables: flat columns of any type, each value as text. They come from Parquet files or from tables in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rrcore.limits import MAX_UNPACKED_BYTES
from rrcore.table.reading.columns import LESS, MIB, Columns, check_rows, checked_names, encoded, make_column, refuse
from rrcore.table.reading.layout import Layout, Row

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
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, kind), values)
    texts = values.cast(pa.string())
    if pa.types.is_decimal(kind) or pa.types.is_temporal(kind):
        texts = pc.replace_substring_regex(pc.replace_substring_regex(texts, r"\.0+$", ""), " 00:00:00$", "")
    return texts


def read_arrow(source: ArrowStream) -> tuple[Columns, dict[str, tuple[tuple[str, ...], bool]]]:
    """Columns of a table in memory, and the categories of those that declare them (pandas Categorical, polars Enum, Arrow dictionary).

    Returns
    -------
    columns : Columns
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
    _check_flat(table.schema)
    columns, declared = [], {}
    for name, chunks in zip(checked_names(table.column_names), table.columns, strict=True):
        try:
            values, indices = encoded(chunks)
            texts = arrow_texts(values)
        except pa.ArrowException:
            refuse(f"Column '{name}' holds values of type {chunks.type}, texts were expected.", "Convert it, or leave it out.")
        columns.append(make_column(name, texts, indices))
        if pa.types.is_dictionary(chunks.type):
            known = [text.strip() for text in texts.to_pylist() if text is not None and text.strip()]
            declared[name] = tuple(dict.fromkeys(known)), bool(chunks.type.ordered)
    return columns, declared


@dataclass(frozen=True)
class ParquetFile:
    """A Parquet file: it knows the names of its columns."""

    data: bytes
    sheets: tuple[str, ...] = ()

    def head(self, sheet: str = "") -> tuple[Row, ...]:
        return ()

    def read(self, layout: Layout) -> tuple[Columns, list[str]]:
        return _read_parquet(self.data)


def _read_parquet(data: bytes) -> tuple[Columns, list[str]]:
    file = pq.ParquetFile(pa.BufferReader(data))
    rows, schema = file.metadata.num_rows, file.schema_arrow
    names = checked_names(schema.names)
    check_rows(rows)
    stored = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
    if max(stored, rows * len(names)) > MAX_UNPACKED_BYTES:
        refuse(f"The Parquet file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
    _check_flat(schema)
    texts = [field.name for field in schema if field.type in (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())]
    file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    columns = []
    for name, key in zip(names, schema.names, strict=True):
        values, indices = encoded(file.read(columns=[key]).column(0))
        if len(indices) != rows:
            raise ValueError("a column is shorter or longer than the file says")
        columns.append(make_column(name, arrow_texts(values), indices))
    return columns, []


def _check_flat(schema: Any) -> None:
    for field in schema:
        if pa.types.is_nested(field.type):
            refuse(f"Column '{field.name}' holds lists or records, one value per cell was expected.", "Leave it out.")
