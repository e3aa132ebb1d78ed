"""Data frames of any library and Parquet files.

The module determines which Arrow types can be answers, and converts them to text.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rrcore.errors import InputError
from rrcore.limits import MAX_CHUNK_BYTES, MAX_TEXT
from rrcore.mark import mark_in_metadata
from rrcore.progress import Report, quiet
from rrcore.table.reading.options import ReadOptions, TableFile
from rrcore.table.source import BATCH_ROWS, Content, HeldPiece, Source, cell_text, check_rows, check_size, checked_names, refuse

PIECE_ROWS = 1 << 20  # about as many rows of Parquet are one piece, however many processes work
# a time zone follows a comma
_ANSWERS = re.compile(r"null|bool|u?int\d+|.*float|double|decimal\d{3}.*|(large_|fixed_size_)?(string|binary).*|date.*|time[^,]*")


def why_left_out(schema: Any, long: Collection[str] = ()) -> dict[str, str]:
    """Return the columns that cannot be read, with reasons.

    Whether bytes are text is unknown until they are read.

    Only the program that created an extension type can interpret its values.

    Parameters
    ----------
    schema : pyarrow Schema
    long : names of columns whose texts are much longer than typical answers

    Examples
    --------
    >>> import pyarrow as pa
    >>> from rrcore.table.reading.arrow import why_left_out
    >>> why_left_out(pa.schema({"town": pa.string(), "stay": pa.duration("s")}))
    {'stay': "Column 'stay' contains values of the type 'duration[s]'. Expected strings or numbers. Convert it, or leave it out."}
    """
    why = {}
    for field in schema:
        name, kind = field.name.strip(), str(field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
        what = "texts that are far longer than answers" if field.name in long else f"values of the type '{kind[:60]}'"
        if field.name in long or not _ANSWERS.fullmatch(kind) or b"ARROW:extension:name" in (field.metadata or {}):
            why[name] = f"Column '{name}' contains {what}. Expected strings or numbers. Convert it, or leave it out."
    return why


def bytes_left_out(name: str) -> str:
    """Return why a column of bytes that are not text is left out."""
    return f"Column '{name}' contains bytes that are not text. Convert it, or leave it out."


def as_texts(values: Any) -> Any:
    """Return a column as dictionary<int32, string>.

    If its bytes are not text, the result is dictionary<int32, binary>.
    """
    if not pa.types.is_dictionary(values.type):
        # pyarrow finds the distinct numbers of half precision from version 26 on only.
        values = (values.cast(pa.float32()) if pa.types.is_float16(values.type) else values).dictionary_encode()
    try:
        texts = _texts(values.dictionary)
    except (pa.ArrowException, UnicodeDecodeError):
        texts = values.dictionary.cast(pa.binary())
    return pa.DictionaryArray.from_arrays(values.indices.cast(pa.int32()), texts)


def _texts(values: Any) -> Any:
    """Values as strings, written as the cells of a workbook are."""
    kind = values.type
    if pa.types.is_boolean(kind) or pa.types.is_floating(kind):
        return pa.array([None if value != value else cell_text(value) for value in values.to_pylist()], pa.string())
    texts = values.cast(pa.string())
    texts.validate(full=True)
    if pa.types.is_decimal(kind) or pa.types.is_temporal(kind):
        texts = pc.replace_substring_regex(texts, r"( 00:00:00)?(\.0+)?$", "")
    return texts


class ArrowStream(Protocol):
    """A table of any library with the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def open_arrow(source: ArrowStream) -> tuple[Source, dict[str, tuple[tuple[str, ...], bool]]]:
    """Return a table in memory, and the categories that its columns declare.

    Categories can come from pandas Categorical, polars Enum or Arrow dictionaries.

    Returns
    -------
    source : Source
    declared : from name to (ordered categories, whether the order is meaningful)
    """
    try:
        table = pa.RecordBatchReader.from_stream(source).read_all()
    except (pa.ArrowException, TypeError, ValueError) as error:
        why = str(error).partition("\n")[0]
        refuse(f"The table cannot be read through Arrow ({why}).", "Give each column one type and its own name.", quoted=why)
    mark = mark_in_metadata(table.schema.metadata)
    # pandas calls an index without a name so
    table = table.drop_columns([name for name in table.column_names if re.fullmatch(r"__index_level_\d+__", name)])
    check_rows(table.num_rows)
    table = table.rename_columns(checked_names(table.column_names))
    left_out = why_left_out(table.schema)
    table = table.drop_columns(list(left_out)).unify_dictionaries()
    columns, declared = {}, {}
    for field, column in zip(table.schema, table.columns, strict=True):
        columns[field.name] = pa.chunked_array([as_texts(chunk) for chunk in column.chunks])
        if pa.types.is_dictionary(field.type):
            texts = (text.strip() for text in columns[field.name].chunk(0).dictionary.drop_null().to_pylist())
            declared[field.name] = tuple(dict.fromkeys(text for text in texts if text)), bool(field.type.ordered)
    return Source((HeldPiece(Content("table"), pa.table(columns)),), left_out=left_out, mark=mark), declared


@dataclass(frozen=True)
class ParquetPiece:
    """A range of row groups in a Parquet file.

    Parameters
    ----------
    content : Content
    groups : tuple of int, numbers of the row groups, from 0
    start, rows : int, the number of rows before this piece, and the number of its own rows
    names : tuple of str, names of the columns without surrounding spaces
    keys : tuple of str, names of the columns as written in the file
    """

    content: Content
    groups: tuple[int, ...]
    start: int
    rows: int
    names: tuple[str, ...]
    keys: tuple[str, ...]

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Any]:
        wanted = list(self.names if names is None else names)
        keys, done = [self.keys[self.names.index(name)] for name in wanted], 0
        try:
            with _open(self.content, read_dictionary=keys, buffer_size=1 << 20, pre_buffer=False) as file:
                for batch in file.iter_batches(BATCH_ROWS, row_groups=self.groups, columns=keys, use_threads=False):
                    yield pa.RecordBatch.from_arrays([as_texts(batch.column(key)) for key in keys], names=wanted)
                    done += batch.num_rows
                    report(done / self.rows, "")
            if done != self.rows:
                raise ValueError("other rows than the file says")
        except (pa.ArrowException, OSError, ValueError, LookupError) as error:
            raise InputError(
                f"{self.content.called('Parquet file')} is damaged, or changed while it was read. Create it again."
            ) from error


@dataclass(frozen=True, eq=False)
class ParquetFile(TableFile):
    """A Parquet file, which contains the names of its columns."""

    content: Content

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        """Return the pieces of the file, each with about ``PIECE_ROWS`` rows.

        A damaged file can raise any exception.
        """
        with _open(self.content) as file:
            schema, meta = file.schema_arrow, file.metadata
        groups = [meta.row_group(number) for number in range(meta.num_row_groups)]
        names = checked_names(schema.names)
        if self.content.data is not None:
            check_size(meta.num_rows, len(names), sum(group.total_byte_size for group in groups))
        if not meta.num_rows:
            refuse(f"{self.content.called('table')} has column names but no rows of answers.", "Add a row for each person.")
        chunks = (group.column(number) for group in groups for number in range(group.num_columns))
        most = MAX_TEXT / 4  # bytes of a text on average, in columns that take much memory
        long = {
            each.path_in_schema for each in chunks if each.total_uncompressed_size > max(MAX_CHUNK_BYTES, most * each.num_values)
        }
        left_out = why_left_out(schema, long)
        known = {name: key for name, key in zip(names, schema.names, strict=True) if name not in left_out}
        if not known:
            raise InputError(next(iter(left_out.values()), f"{self.content.called()} has no columns. Leave it out."))
        starts, parts = list(accumulate((group.num_rows for group in groups), initial=0)), []
        for _, numbers in groupby(range(len(groups)), lambda number: starts[number] // PIECE_ROWS):
            own = tuple(numbers)
            start, end = starts[own[0]], starts[own[-1] + 1]
            parts.append(ParquetPiece(self.content, own, start, end - start, tuple(known), tuple(known.values())))
        return Source(tuple(parts), left_out=left_out, mark=mark_in_metadata(schema.metadata))


def _open(content: Content, **how: Any) -> Any:
    return pq.ParquetFile(content.name if content.data is None else pa.BufferReader(content.data), **how)
