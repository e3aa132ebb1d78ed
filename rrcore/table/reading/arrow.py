"""Tables in memory, of any library that has the Arrow PyCapsule interface."""

import re
from typing import Protocol

import pyarrow as pa

from rrcore.table.mark import mark_beside
from rrcore.table.reading.columns import check_rows, checked_names, refuse
from rrcore.table.reading.kinds import why_left_out
from rrcore.table.reading.piece import HeldPiece, Source, as_texts

_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name


class ArrowStream(Protocol):
    """A table of any library that has the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def open_arrow(source: ArrowStream) -> tuple[Source, dict[str, tuple[tuple[str, ...], bool]]]:
    """A table in memory, and the categories of those columns that declare them (pandas Categorical, polars Enum, Arrow dictionary).

    Returns
    -------
    source : Source
    declared : name -> (categories in their order, whether the order means anything)
    """
    try:
        table = pa.RecordBatchReader.from_stream(source).read_all()
    except (pa.ArrowException, TypeError, ValueError) as error:
        why = str(error.args[0] if error.args else error).splitlines()[0]
        refuse(
            f"The table cannot be read through Arrow ({why}).", "Give every column one type and a name of its own.", quoted=why
        )
    mark = mark_beside(table.schema.metadata)
    table = table.drop_columns([name for name in table.column_names if _INDEX.fullmatch(name)])
    check_rows(table.num_rows)
    table = table.rename_columns(checked_names(table.column_names))
    left_out = {entry.name: why for entry in table.schema if (why := why_left_out(entry.name, entry))}
    table = table.drop_columns(list(left_out))
    declared = {}
    for entry, column in zip(table.schema, table.columns, strict=True):
        if pa.types.is_dictionary(entry.type):
            parts = [as_texts(chunk).dictionary for chunk in column.chunks]
            texts = [text for part in parts if part.type == pa.string() for text in part.to_pylist()]
            known = tuple(dict.fromkeys(text.strip() for text in texts if text is not None and text.strip()))
            declared[entry.name] = known, bool(entry.type.ordered)
    piece = HeldPiece("table", table, table.nbytes)
    return Source((piece,), left_out=left_out, mark=mark), declared
