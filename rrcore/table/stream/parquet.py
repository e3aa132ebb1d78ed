"""Parquet files read a few row groups at a time, each page when it is needed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rrcore.errors import InputError
from rrcore.limits import MAX_CHUNK_BYTES, MAX_TEXT
from rrcore.progress import Report, quiet
from rrcore.table.mark import mark_beside
from rrcore.table.reading.columns import checked_names
from rrcore.table.stream.piece import BATCH_ROWS, PIECE_ROWS, Batch

_BUFFER = 1 << 20


@dataclass(frozen=True)
class ParquetPiece:
    """Some row groups of a Parquet file.

    Parameters
    ----------
    path : str
    groups : tuple of int, numbers of the row groups, from 0
    rows : int, their rows
    names : tuple of str, the columns without surrounding spaces
    keys : tuple of str, the same as they are in the file
    bytes : int, their size as stored
    mark : str, of a simulation, where the file has one beside its columns
    """

    path: str
    groups: tuple[int, ...]
    rows: int
    names: tuple[str, ...]
    keys: tuple[str, ...]
    bytes: int
    mark: str = field(default="", repr=False)

    def before(self) -> int:
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.path) as file:
            return sum(file.metadata.row_group(i).num_rows for i in range(self.groups[0]))

    def batches(self, names: Sequence[str] | None = None, *, report: Report = quiet) -> Iterator[Batch]:
        import pyarrow as pa

        wanted = self.names if names is None else tuple(names)
        keys = [self.keys[self.names.index(name)] for name in wanted]
        try:
            with _open(self.path, keys) as file:
                done = 0
                for batch in file.iter_batches(BATCH_ROWS, row_groups=list(self.groups), columns=keys, use_threads=False):
                    yield pa.RecordBatch.from_arrays([_texts(batch.column(key)) for key in keys], names=list(wanted))
                    done += batch.num_rows
                    report(done / max(self.rows, 1), "")
                if done != self.rows:
                    raise ValueError("other rows than the file says")
        except InputError:
            raise
        except (pa.ArrowException, OSError, ValueError, LookupError) as error:
            raise InputError(f"The Parquet file '{self.path}' is damaged, or changed meanwhile: make it again.") from error


def parquet_pieces(path: str) -> tuple[tuple[ParquetPiece, ...], dict[str, str]]:
    """The pieces of a Parquet file, of about ``PIECE_ROWS`` rows each; and the columns that cannot be read, with a sentence why.

    Raises
    ------
    InputError
        If it is damaged, or no column can be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from rrcore.table.reading.kinds import why_left_out

    try:
        with pq.ParquetFile(path) as file:
            schema, meta = file.schema_arrow, file.metadata
            groups = [(meta.row_group(i).num_rows, _stored(meta.row_group(i))) for i in range(meta.num_row_groups)]
            long = {name for i in range(meta.num_row_groups) for name in _long(meta.row_group(i))}
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"The Parquet file '{path}' is damaged or cut short: save or download it again.") from error
    names = tuple(checked_names(schema.names))
    left_out = {name: why for name, entry in zip(names, schema, strict=True) if (why := why_left_out(name, entry))}
    for name in (name for name, key in zip(names, schema.names, strict=True) if key in long and name not in left_out):
        left_out[name] = f"Column '{name}' holds texts that are far longer than answers. Leave it out."
    if not sum(rows for rows, _ in groups):
        raise InputError(f"The file '{path}' has column names but no rows of answers: leave it out.")
    if not names or len(left_out) == len(names):
        raise InputError(next(iter(left_out.values()), f"The file '{path}' has no columns: leave it out."))
    known = {name: key for name, key in zip(names, schema.names, strict=True) if name not in left_out}
    pieces, own, rows, size = [], [], 0, 0
    for number, (more, stored) in enumerate(groups):
        own.append(number)
        rows, size = rows + more, size + stored
        if rows >= PIECE_ROWS or number == len(groups) - 1:
            pieces.append(
                ParquetPiece(path, tuple(own), rows, tuple(known), tuple(known.values()), size, mark_beside(schema.metadata))
            )
            own, rows, size = [], 0, 0
    return tuple(pieces), left_out


def _stored(group: Any) -> int:
    return sum(group.column(i).total_compressed_size for i in range(group.num_columns))


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


def _open(path: str, keys: Sequence[str]) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = (pa.string(), pa.binary(), pa.large_string(), pa.large_binary())
    with pq.ParquetFile(path) as file:
        texts = [key for key in keys if file.schema_arrow.field(key).type in kinds]
    return pq.ParquetFile(path, read_dictionary=texts, buffer_size=_BUFFER, pre_buffer=False)


def _texts(values: Any) -> Any:
    """A column as dictionary<int32, string>; where it holds bytes that are not text, as dictionary<int32, binary>."""
    import pyarrow as pa

    from rrcore.table.reading.kinds import arrow_texts, flat

    values = flat(values)
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    indices = values.indices if values.indices.type == pa.int32() else values.indices.cast(pa.int32())
    try:
        texts = arrow_texts(values.dictionary)
    except pa.ArrowInvalid:
        texts = values.dictionary.cast(pa.binary())
    return pa.DictionaryArray.from_arrays(indices, texts)
