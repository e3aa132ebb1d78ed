"""Parquet files: flat columns of any type, each value as text."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rrcore.limits import MAX_UNPACKED_BYTES
from rrcore.table.reading.columns import LESS, MIB, Columns, check_rows, checked_names, encoded, make_column, refuse

__all__ = ["read_parquet"]


def _arrow_texts(values: Any) -> Any:
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


def read_parquet(data: bytes) -> tuple[Columns, list[str]]:
    """Columns of a Parquet file, and no notes. A damaged file may raise any exception."""
    file = pq.ParquetFile(pa.BufferReader(data))
    rows, schema = file.metadata.num_rows, file.schema_arrow
    names = checked_names(schema.names)
    check_rows(rows)
    stored = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
    if max(stored, rows * len(names)) > MAX_UNPACKED_BYTES:
        refuse(f"The Parquet file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
    for field in schema:
        if pa.types.is_nested(field.type):
            refuse(f"Column '{field.name}' holds lists or records, one value a cell was expected.", "Leave it out.")
    texts = [field.name for field in schema if field.type in (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())]
    file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    columns = []
    for name, key in zip(names, schema.names, strict=True):
        values, indices = encoded(file.read(columns=[key]).column(0))
        if len(indices) != rows:
            raise ValueError("a column is shorter or longer than the file says")
        columns.append(make_column(name, _arrow_texts(values), indices))
    return columns, []
