"""Whether a table is too large to be read whole, told before it is read."""

import gzip
import os
import zlib
from pathlib import Path
from typing import Any

from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES, MAX_ROWS, MAX_UNPACKED_BYTES

_AT_ONCE = 1 << 22
# of programs: read whole or not at all
_TABLES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"$FL2", b"$FL3", b"<sta", b"RDX2", b"RDX3", b"X\n\0\0")


def read_in_batches(place: str | os.PathLike[str]) -> bool:
    """Whether a file or folder goes beyond what is read whole, and can be read in batches: folders, and large CSV or Parquet files.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    path = Path(place)
    try:
        if path.is_dir():
            return True
        if not path.is_file():
            return False
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(4)
            if start == b"PAR1":
                return size > MAX_FILE_BYTES or _large_parquet(path)
            if start in _TABLES:
                return False
            if size > MAX_FILE_BYTES:
                return True
        with gzip.open(path) if start[:2] == b"\x1f\x8b" else path.open("rb") as content:
            return _long(content)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return False  # which reading it whole says better
    except OSError as error:
        raise InputError(f"The file '{place}' cannot be read ({error.strerror}): check its name and place.") from error


def _long(content: Any) -> bool:
    """Whether a text has too many rows, or, once unpacked, too many bytes."""
    rows = size = 0
    while piece := content.read(_AT_ONCE):
        rows, size = rows + piece.count(b"\n"), size + len(piece)
        if rows > MAX_ROWS or size > MAX_UNPACKED_BYTES:
            return True
    return False


def _large_parquet(path: Path) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        meta = pq.read_metadata(path)
        unpacked = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
    except (pa.ArrowException, ValueError):
        return False  # which reading it whole says better
    return meta.num_rows > MAX_ROWS or max(unpacked, meta.num_rows * meta.num_columns) > MAX_UNPACKED_BYTES
