"""Parquet files read a few row groups at a time, each page when it is needed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rrcore.errors import InputError
from rrcore.limits import MAX_CHUNK_BYTES, MAX_TEXT, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.mark import mark_beside
from rrcore.table.reading.columns import LESS, MIB, check_size, checked_names, refuse
from rrcore.table.reading.kinds import why_left_out
from rrcore.table.reading.options import NamedColumns, ReadOptions
from rrcore.table.reading.piece import BATCH_ROWS, PIECE_ROWS, Batch, Content, Source, as_texts

_BUFFER = 1 << 20


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
