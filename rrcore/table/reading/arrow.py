"""Types, data frames and Parquet: which values of Arrow are answers, and as what texts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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

_BUFFER = 1 << 20
_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name
_UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_TRUTH = "arrow.bool8"
_KNOWN = {"arrow.uuid": "UUIDs", "arrow.json": "JSON documents"}


def why_left_out(name: str, field: Any) -> str:
    """Why a column of the type of ``field`` cannot be read, in a sentence; empty where it can, unless it holds bytes that are not text.

    Texts of an extension type are read as they are written, JSON apart; what its numbers mean only the program knows that made it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from rrcore.table.reading.arrow import why_left_out
    >>> why_left_out("id", pa.field("id", pa.uuid()))
    "Column 'id' holds UUIDs, texts or numbers were expected. Convert it, or leave it out."
    """
    kind = plain(field.type)
    made = (field.metadata or {}).get(b"ARROW:extension:name", b"").decode(errors="replace")
    if isinstance(kind, pa.BaseExtensionType):
        made, kind = kind.extension_name, plain(kind.storage_type)
    if made in _KNOWN:
        return _other(name, _KNOWN[made])
    if pa.types.is_union(kind):
        return _other(name, "values of several types")
    if pa.types.is_nested(kind):
        return f"Column '{name}' holds lists or records, one value per cell was expected. Leave it out."
    if made and made != _TRUTH and not is_text(kind):
        return _other(name, f"values of the type '{made[:60]}'")
    try:
        arrow_texts(flat(pa.array([0], pa.int64()).cast(kind) if pa.types.is_timestamp(kind) else pa.nulls(1, kind)))
    except (pa.ArrowException, TypeError, ValueError):
        if pa.types.is_timestamp(kind):
            return (
                f"Column '{name}' has the time zone '{str(kind.tz)[:60]}', which is not known here. Convert it, or leave it out."
            )
        return _other(name, f"values of the type '{str(kind)[:60]}'")
    return ""


def bytes_left_out(name: str) -> str:
    """Why a column is left out whose bytes are not text."""
    return f"Column '{name}' holds bytes that are not text. Convert it, or leave it out."


def flat(values: Any) -> Any:
    """``values`` in a type that Arrow can encode as a dictionary: without runs of equal ones, extension types or short decimals."""
    kind = values.type
    if pa.types.is_run_end_encoded(kind):
        return flat(pc.run_end_decode(values))
    if isinstance(kind, pa.BaseExtensionType):
        return pc.not_equal(values.storage, 0) if kind.extension_name == _TRUTH else flat(values.storage)
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return values.cast(pa.decimal128(kind.precision, kind.scale))
    return values


def arrow_texts(values: Any) -> Any:
    """Arrow values of a ``flat`` type as texts, written as the cells of a workbook are; durations in seconds.

    Raises
    ------
    pyarrow.ArrowException
        For bytes that are not UTF-8 text, and for any type that is left out.
    """
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
    if pa.types.is_duration(kind):
        seconds = values.cast(pa.int64()).cast(pa.decimal128(38, 0)).view(pa.decimal128(38, _UNITS[kind.unit]))
        return pc.replace_substring_regex(seconds.cast(pa.string()), r"\.0+$|(\.\d*[1-9])0+$", r"\1")
    if pa.types.is_fixed_size_binary(kind) or pa.types.is_binary_view(kind):
        values = values.cast(pa.binary())
    texts = values.cast(pa.string())
    texts.validate(full=True)
    if pa.types.is_decimal(kind) or pa.types.is_temporal(kind):
        texts = pc.replace_substring_regex(pc.replace_substring_regex(texts, r"\.0+$", ""), " 00:00:00$", "")
    return texts


def plain(kind: Any) -> Any:
    """The type of the values themselves, whether a dictionary or runs of equal ones keep them."""
    while pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        kind = kind.value_type
    return kind


def is_text(kind: Any) -> bool:
    """Whether values of that type are texts, whichever way they are kept."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _other(name: str, what: str) -> str:
    return f"Column '{name}' holds {what}, texts or numbers were expected. Convert it, or leave it out."


def as_texts(values: Any) -> Any:
    """A column as dictionary<int32, string>; where it holds bytes that are not text, as dictionary<int32, binary>."""
    values = flat(values)
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    indices = values.indices if values.indices.type == pa.int32() else values.indices.cast(pa.int32())
    try:
        texts = arrow_texts(values.dictionary)
    except (pa.ArrowException, UnicodeDecodeError):
        texts = values.dictionary.cast(pa.binary())
    return pa.DictionaryArray.from_arrays(indices, texts)


def _chunks(column: Any) -> Any:
    """A column with all its parts as texts, or, where one of them is not text, all as bytes."""
    chunks = [as_texts(chunk) for chunk in column.chunks]
    kinds = {chunk.type for chunk in chunks}
    if len(kinds) > 1:
        chunks = [pa.DictionaryArray.from_arrays(each.indices, each.dictionary.cast(pa.binary())) for each in chunks]
    return pa.chunked_array(chunks, None if chunks else pa.dictionary(pa.int32(), pa.string()))


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
    size = table.nbytes
    table = pa.table([_chunks(column) for column in table.columns], names=table.column_names)
    piece = HeldPiece("table", table, size)
    return Source((piece,), left_out=left_out, mark=mark), declared


@dataclass(frozen=True)
class ParquetPiece:
    """Some row groups of a Parquet file.

    Parameters
    ----------
    content : Content
    groups : tuple of int, numbers of the row groups, from 0
    rows : int, their rows
    names : tuple of str, the columns without surrounding spaces
    keys : tuple of str, the same as they are in the file
    bytes : int, their size as stored
    """

    content: Content
    groups: tuple[int, ...]
    rows: int
    names: tuple[str, ...]
    keys: tuple[str, ...]
    bytes: int

    @property
    def path(self) -> str:
        return self.content.name

    def before(self) -> int:
        with pq.ParquetFile(_stored(self.content)) as file:
            return sum(file.metadata.row_group(i).num_rows for i in range(self.groups[0]))

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Batch]:
        wanted = self.names if names is None else tuple(names)
        keys = [self.keys[self.names.index(name)] for name in wanted]
        try:
            with _open(self.content, keys) as file:
                done = 0
                for batch in file.iter_batches(BATCH_ROWS, row_groups=list(self.groups), columns=keys, use_threads=False):
                    yield pa.RecordBatch.from_arrays([as_texts(batch.column(key)) for key in keys], names=list(wanted))
                    done += batch.num_rows
                    report(done / max(self.rows, 1), "")
                if done != self.rows:
                    raise ValueError("other rows than the file says")
        except InputError:
            raise
        except (pa.ArrowException, OSError, ValueError, LookupError) as error:
            raise InputError(f"{self.content.called('Parquet file')} is damaged, or changed meanwhile: make it again.") from error


@dataclass(frozen=True, eq=False)
class ParquetFile(NamedColumns):
    """A Parquet file: it knows the names of its columns."""

    content: Content

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        """Its pieces, of about ``PIECE_ROWS`` rows each."""
        return open_parquet(self.content)


def open_parquet(content: Content) -> Source:
    """The pieces of a Parquet file, of about ``PIECE_ROWS`` rows each.

    Raises
    ------
    InputError
        If it is damaged, or no column can be read.
    """
    try:
        with pq.ParquetFile(_stored(content)) as file:
            schema, meta = file.schema_arrow, file.metadata
            found = [meta.row_group(i) for i in range(meta.num_row_groups)]
            groups = [
                (each.num_rows, sum(each.column(i).total_compressed_size for i in range(each.num_columns))) for each in found
            ]
            long = {name for each in found for name in _long(each)}
            unpacked = sum(each.total_byte_size for each in found)
    except (pa.ArrowException, OSError, ValueError):
        refuse(f"{content.called('Parquet file')} is damaged or cut short.", "Save or download it again.")
    names = tuple(checked_names(schema.names))
    if content.data is not None:
        check_size(sum(rows for rows, _ in groups), len(names))
        if unpacked > MAX_UNPACKED_BYTES:
            refuse(f"The Parquet file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
    left_out = {name: why for name, entry in zip(names, schema, strict=True) if (why := why_left_out(name, entry))}
    for name in (name for name, key in zip(names, schema.names, strict=True) if key in long and name not in left_out):
        what = f"holds texts that are far longer than answers, more than {MAX_CHUNK_BYTES // MIB} MB at once"
        left_out[name] = f"Column '{name}' {what}. Leave it out."
    if not sum(rows for rows, _ in groups):
        refuse(f"{content.called('table')} has column names but no rows of answers.", "Add a row for each person.")
    known = {name: key for name, key in zip(names, schema.names, strict=True) if name not in left_out}
    if not known:
        raise InputError(next(iter(left_out.values()), f"{content.called()} has no columns: leave it out."))
    parts, own, rows, size = [], list[int](), 0, 0
    for number, (more, stored) in enumerate(groups):
        own.append(number)
        rows, size = rows + more, size + stored
        if rows >= PIECE_ROWS or number == len(groups) - 1:
            keys = tuple(known.values())
            parts.append(ParquetPiece(content, tuple(own), rows, tuple(known), keys, size))
            own, rows, size = [], 0, 0
    return Source(tuple(parts), left_out=left_out, mark=mark_beside(schema.metadata))


def _long(group: Any) -> Iterator[str]:
    """Columns of long texts that would take much memory to read."""
    for i in range(group.num_columns):
        chunk = group.column(i)
        large = chunk.total_uncompressed_size > MAX_CHUNK_BYTES
        if (
            large
            and chunk.physical_type == "BYTE_ARRAY"
            and chunk.total_uncompressed_size > MAX_TEXT * max(chunk.num_values, 1) / 4
        ):
            yield chunk.path_in_schema


def _stored(content: Content) -> Any:
    return content.name if content.data is None else pa.BufferReader(content.data)


def _open(content: Content, keys: Sequence[str]) -> Any:
    kinds = (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())
    with pq.ParquetFile(_stored(content)) as file:
        texts = [key for key in keys if file.schema_arrow.field(key).type in kinds]
    return pq.ParquetFile(_stored(content), read_dictionary=texts, buffer_size=_BUFFER, pre_buffer=False)
