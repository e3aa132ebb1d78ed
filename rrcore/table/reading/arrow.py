"""Which types of Arrow are answers, and as what texts; data frames of any library, and Parquet files."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from rrcore.errors import InputError
from rrcore.limits import MAX_CHUNK_BYTES, MAX_TEXT, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.mark import mark_beside
from rrcore.table.reading.options import NamedColumns, ReadOptions
from rrcore.table.source import (
    BATCH_ROWS,
    LESS,
    MIB,
    PIECE_ROWS,
    Batch,
    Content,
    HeldPiece,
    Source,
    check_rows,
    check_size,
    checked_names,
    refuse,
)

_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name


def why_left_out(field: Any) -> str:
    """Why a column of the type of ``field`` cannot be read, in a sentence. Empty if it can, unless it holds bytes that are not text.

    Only the program that made an extension type knows what its values mean.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from rrcore.table.reading.arrow import why_left_out
    >>> why_left_out(pa.field("day", pa.list_(pa.int8())))
    "Column 'day' holds values of the type 'list<item: int8>', texts or numbers were expected. Convert it, or leave it out."
    """
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    extension = isinstance(kind, pa.BaseExtensionType) or b"ARROW:extension:name" in (field.metadata or {})
    try:
        # only a moment that is there needs its time zone
        as_texts(pa.array([0], pa.int64()).cast(kind) if pa.types.is_timestamp(kind) else pa.nulls(1, kind))
        known = not extension and not pa.types.is_duration(kind)
    except (pa.ArrowException, TypeError, ValueError):
        known = False
    what = f"values of the type '{str(kind)[:60]}', texts or numbers were expected"
    return "" if known else f"Column '{field.name.strip()}' holds {what}. Convert it, or leave it out."


def bytes_left_out(name: str) -> str:
    """Why a column is left out whose bytes are not text."""
    return f"Column '{name}' holds bytes that are not text. Convert it, or leave it out."


def is_text(kind: Any) -> bool:
    """Whether values of that type are texts."""
    return bool(pa.types.is_string(kind))


def as_texts(values: Any) -> Any:
    """A column as dictionary<int32, string>; where it holds bytes that are not text, as dictionary<int32, binary>."""
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    try:
        texts = _texts(values.dictionary)
    except (pa.ArrowException, UnicodeDecodeError):
        texts = values.dictionary.cast(pa.binary())
    return pa.DictionaryArray.from_arrays(values.indices.cast(pa.int32()), texts)


def _texts(values: Any) -> Any:
    """Values as texts, written as the cells of a workbook are."""
    kind = values.type
    if pa.types.is_boolean(kind):
        return pc.if_else(values, "TRUE", "FALSE")
    if pa.types.is_floating(kind):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, kind), values)
        texts = values.cast(pa.string())
        if kind == pa.float64():  # where it was in single precision before, as few digits as there
            single = values.cast(pa.float32(), safe=False)
            was = pc.and_(pc.equal(single.cast(kind), values), pc.not_equal(pc.floor(values), values))
            texts = pc.if_else(was, single.cast(pa.string()), texts)
        return pc.if_else(pc.equal(texts, "-0"), "0", texts)
    texts = values.cast(pa.string())
    texts.validate(full=True)
    if pa.types.is_decimal(kind) or pa.types.is_temporal(kind):
        texts = pc.replace_substring_regex(texts, r"( 00:00:00)?(\.0+)?$", "")
    return texts


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
        why = str(error).partition("\n")[0]
        refuse(
            f"The table cannot be read through Arrow ({why}).", "Give every column one type and a name of its own.", quoted=why
        )
    size, mark = table.nbytes, mark_beside(table.schema.metadata)
    table = table.drop_columns([name for name in table.column_names if _INDEX.fullmatch(name)])
    check_rows(table.num_rows)
    table = table.rename_columns(checked_names(table.column_names))
    columns, left_out, declared = {}, {}, {}
    for field, column in zip(table.schema, table.columns, strict=True):
        why = why_left_out(field)
        chunks = [] if why else [as_texts(chunk) for chunk in column.chunks]
        if why or not all(is_text(chunk.dictionary.type) for chunk in chunks):
            left_out[field.name] = why or bytes_left_out(field.name)
            continue
        columns[field.name] = pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.string()))
        if pa.types.is_dictionary(field.type):
            texts = (text.strip() for chunk in chunks for text in chunk.dictionary.drop_null().to_pylist())
            declared[field.name] = tuple(dict.fromkeys(text for text in texts if text)), bool(field.type.ordered)
    return Source((HeldPiece("table", pa.table(columns), size),), left_out=left_out, mark=mark), declared


@dataclass(frozen=True)
class ParquetPiece:
    """Some row groups of a Parquet file.

    Parameters
    ----------
    content : Content
    groups : tuple of int, numbers of the row groups, from 0
    start, rows : int, the rows before them, and their own
    keys : tuple of str, names of the columns as they are in the file
    bytes : int, their size as stored
    """

    content: Content
    groups: tuple[int, ...]
    start: int
    rows: int
    keys: tuple[str, ...]
    bytes: int

    @property
    def path(self) -> str:
        return self.content.name

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(key.strip() for key in self.keys)

    def before(self) -> int:
        return self.start

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Batch]:
        wanted = list(self.names if names is None else names)
        keys, done = [self.keys[self.names.index(name)] for name in wanted], 0
        try:
            with _open(self.content, read_dictionary=keys, buffer_size=MIB, pre_buffer=False) as file:
                for batch in file.iter_batches(BATCH_ROWS, row_groups=self.groups, columns=keys, use_threads=False):
                    yield pa.RecordBatch.from_arrays([as_texts(batch.column(key)) for key in keys], names=wanted)
                    done += batch.num_rows
                    report(done / self.rows, "")
            if done != self.rows:
                raise ValueError("other rows than the file says")
        except (pa.ArrowException, OSError, ValueError, LookupError) as error:
            raise InputError(f"{self.content.called('Parquet file')} is damaged, or changed meanwhile: make it again.") from error


@dataclass(frozen=True, eq=False)
class ParquetFile(NamedColumns):
    """A Parquet file: it knows the names of its columns."""

    content: Content

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        """Its pieces, of about ``PIECE_ROWS`` rows each. A damaged file may raise any exception."""
        with _open(self.content) as file:
            schema, meta = file.schema_arrow, file.metadata
        groups = [meta.row_group(number) for number in range(meta.num_row_groups)]
        chunks = [[group.column(i) for i in range(group.num_columns)] for group in groups]
        names = checked_names(schema.names)
        if self.content.data is not None:
            check_size(meta.num_rows, len(names))
            if sum(group.total_byte_size for group in groups) > MAX_UNPACKED_BYTES:
                refuse(f"The Parquet file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
        if not meta.num_rows:
            refuse(f"{self.content.called('table')} has column names but no rows of answers.", "Add a row for each person.")
        long = {chunk.path_in_schema for group in chunks for chunk in group if _is_long(chunk)}
        what = f"holds texts that are far longer than answers, more than {MAX_CHUNK_BYTES // MIB} MB at once. Leave it out."
        why = {name: f"Column '{name}' {what}" for name, key in zip(names, schema.names, strict=True) if key in long}
        left_out = why | {name: sentence for name, field in zip(names, schema, strict=True) if (sentence := why_left_out(field))}
        keys = tuple(key for key in schema.names if key.strip() not in left_out)
        if not keys:
            raise InputError(next(iter(left_out.values()), f"{self.content.called()} has no columns: leave it out."))
        starts, parts = list(accumulate((group.num_rows for group in groups), initial=0)), []
        for _, numbers in groupby(range(len(groups)), lambda number: starts[number] // PIECE_ROWS):
            own = tuple(numbers)
            start, end = starts[own[0]], starts[own[-1] + 1]
            size = sum(chunk.total_compressed_size for number in own for chunk in chunks[number])
            parts.append(ParquetPiece(self.content, own, start, end - start, keys, size))
        return Source(tuple(parts), left_out=left_out, mark=mark_beside(schema.metadata))


def _open(content: Content, **how: Any) -> Any:
    return pq.ParquetFile(content.name if content.data is None else pa.BufferReader(content.data), **how)


def _is_long(chunk: Any) -> bool:
    """Whether a column of texts in one row group would take much memory to read, for texts that are no answers."""
    most = max(MAX_CHUNK_BYTES, MAX_TEXT * chunk.num_values / 4)
    return bool(chunk.physical_type == "BYTE_ARRAY" and chunk.total_uncompressed_size > most)
