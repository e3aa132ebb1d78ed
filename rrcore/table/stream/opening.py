"""Opening a table of any size: a file, a folder of files, or a list of files, with one set of columns over all of them."""

import gzip
import os
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rrcore.errors import InputError, reading
from rrcore.limits import MAX_FILE_BYTES, MAX_ROWS, MAX_UNPACKED_BYTES
from rrcore.table.mark import marks_in
from rrcore.table.reading.file import recognise, title_of
from rrcore.table.reading.guess import guess_options
from rrcore.table.reading.labelled import tool_of
from rrcore.table.reading.piece import About, Content, Piece, Source

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq")
"""What files of a folder that are tables end in."""

_AT_ONCE = 1 << 22
# of programs: read whole or not at all
_TABLES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"RDX2", b"RDX3", b"X\n\0\0")


@dataclass(frozen=True)
class Stream:
    """A table of any size that has been looked at but not read.

    Parameters
    ----------
    title : str, its name without folders
    names : tuple of str, the columns, the same in every file
    parts : the pieces
    notes : sentences about what was found
    left_out : columns that cannot be read -> why, in a sentence that is among the notes, too
    about : what files say of their columns, by their names
    beside : marks of a simulation that files have beside their columns
    """

    title: str
    names: tuple[str, ...]
    parts: tuple[Piece, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, About] = field(default_factory=dict)
    beside: tuple[str, ...] = ()

    @property
    def bytes(self) -> int:
        """Size as stored."""
        return sum(piece.bytes for piece in self.parts)

    def mark(self, answers: Collection[str] = ()) -> str:
        """The marks of a simulation, of columns that are none of ``answers`` and of what files say; see ``rrcore.table.mark``."""
        return marks_in([*(name for name in self.names if name not in answers), *self.beside])

    def pieces(self) -> tuple[Piece, ...]:
        """Where the records are, in their order: small and picklable, the same for any number of processes."""
        return self.parts


def open_stream(place: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, encoding: str = "", **given: Any) -> Stream:
    """Open a table of any size.

    Parameters
    ----------
    place : path of a file, of a folder of CSV and Parquet files (by their names, without those below it), or a list of files
    encoding, header, start, skip : how each file is read, as in ``ReadOptions``; what is uncertain without them is refused

    Raises
    ------
    InputError
        If there is no file, one cannot be read, or one has other columns than the first.
    """
    if isinstance(place, str | os.PathLike):
        if not os.fspath(place):
            raise InputError("The name of the table is empty: give that of a file or folder.")
        path = Path(place)
        files, title = (_files(path), path.name) if path.is_dir() else ([path], title_of(path.name))
    else:
        files = [Path(each) for each in place]
        title = title_of(files[0].name) if len(files) == 1 else f"{len(files)} files"
    if not files:
        raise InputError("No file is given: choose at least one table.")
    found: list[Piece] = []
    notes: dict[str, None] = {}
    left_out: dict[str, str] = {}
    about: dict[str, About] = {}
    marks: dict[str, None] = {}
    for file in files:
        source = _source(file, encoding, given)
        notes |= dict.fromkeys([*source.notes, *source.left_out.values()])
        left_out |= source.left_out
        marks[source.mark] = None
        about |= source.about
        found += source.parts
        _check_same(found[0], source.parts[0], left_out)
    return Stream(title, found[0].names, tuple(found), tuple(notes), left_out, about, tuple(filter(None, sorted(marks))))


def _files(folder: Path) -> list[Path]:
    with reading(folder, kind="folder"):
        files = sorted(each for each in folder.iterdir() if each.is_file() and each.name.lower().endswith(ENDINGS))
    files = [file for file in files if not file.name.startswith((".", "_"))]
    if not files:
        raise InputError(f"The folder '{folder}' holds no table: put CSV or Parquet files into it.")
    return files


def _source(file: Path, encoding: str, given: Mapping[str, Any]) -> Source:
    """The records of one file; refuses where it is not certain where its table is."""
    with reading(file):
        if not file.is_file():
            raise InputError(f"'{file}' is not a file: give the name of a file or folder.")
        opened = recognise(Content(str(file)), encoding)
    guess = guess_options(opened, given)
    for each in guess.proposed:
        each.refuse()
    return opened.source(guess.options)


def _check_same(first: Piece, other: Piece, left_out: Mapping[str, str]) -> None:
    if set(first.names) == set(other.names):
        return
    marks = {piece.path: marks_in(piece.names) for piece in (first, other)}
    if len(set(marks.values())) > 1:
        path, mark = next((path, mark) for path, mark in reversed(marks.items()) if mark)
        raise InputError(f"The file '{path}' is marked '{mark}', unlike others: leave it out, or choose it alone.")
    lacks = [name for name in first.names if name not in other.names]
    more = [name for name in other.names if name not in first.names]
    for name in (name for name in (*lacks, *more) if name in left_out):
        raise InputError(f"Of a column that '{first.path}' and '{other.path}' both have, one cannot be read. {left_out[name]}")
    what = f"has no column '{lacks[0]}'" if lacks else f"has a column '{more[0]}'"
    raise InputError(f"The file '{other.path}' {what}, unlike '{first.path}': give every file the same columns, or leave it out.")


def read_in_batches(place: str | os.PathLike[str]) -> bool:
    """Whether a file or folder goes beyond what is read whole, and can be read in batches: folders, and large CSV or Parquet files.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    path, content = Path(place), Content(str(place))
    if path.is_dir():
        return True
    if not path.is_file():
        return False
    with reading(path):
        start = content.start(4)
        if start == b"PAR1":
            return content.size > MAX_FILE_BYTES or _large_parquet(path)
        if start in _TABLES or tool_of(content.start(300)):
            return False
        try:
            return content.size > MAX_FILE_BYTES or _long(content)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return False  # which reading it whole says better


def _long(content: Content) -> bool:
    """Whether a text has too many rows, or, once unpacked, too many bytes."""
    rows = size = 0
    with content.unpack() as stored:
        while block := stored.read(_AT_ONCE):
            rows, size = rows + block.count(b"\n"), size + len(block)
            if rows > MAX_ROWS or size > MAX_UNPACKED_BYTES:
                return True
    return False


def _large_parquet(path: Path) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        meta = pq.read_metadata(path)
    except (pa.ArrowException, ValueError):
        return False  # which reading it whole says better
    unpacked = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
    return meta.num_rows > MAX_ROWS or max(unpacked, meta.num_rows * meta.num_columns) > MAX_UNPACKED_BYTES
