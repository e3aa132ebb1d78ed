"""Opening a table of any size: a file, a folder of files, or a list of files, with one set of columns over all of them."""

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rrcore.errors import InputError, reading
from rrcore.table.mark import marks_in
from rrcore.table.stream.parquet import ParquetPiece, parquet_pieces
from rrcore.table.stream.piece import Piece
from rrcore.table.stream.text import text_pieces

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".pq")
"""What files of a folder that are tables end in."""


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
    """

    title: str
    names: tuple[str, ...]
    parts: tuple[Piece, ...] = field(repr=False)
    notes: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """Size as stored."""
        return sum(piece.bytes for piece in self.parts)

    def mark(self, answers: Collection[str] = ()) -> str:
        """The marks of a simulation, of columns that are none of ``answers`` and of what files say; see ``rrcore.table.mark``."""
        beside = {piece.mark for piece in self.parts if isinstance(piece, ParquetPiece)}
        return marks_in([*(name for name in self.names if name not in answers), *sorted(beside)])

    def pieces(self) -> tuple[Piece, ...]:
        """Where the records are, in their order: small and picklable, the same for any number of processes."""
        return self.parts


def open_stream(
    place: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, header: bool | None = None, encoding: str = ""
) -> Stream:
    """Open a table of any size.

    Parameters
    ----------
    place : path of a CSV, gzipped CSV or Parquet file, of a folder of them (by their names, without those below it), or a list of files
    header : whether the first row of a CSV file holds names; None finds out, and refuses where that is not certain
    encoding : what decides where a CSV file is UTF-8 in some places and not in others, as in ``Layout``

    Raises
    ------
    InputError
        If there is no file, one cannot be read, or one has other columns than the first.
    """
    if isinstance(place, str | os.PathLike):
        if not os.fspath(place):
            raise InputError("The name of the table is empty: give that of a file or folder.")
        path = Path(place)
        files, title = (_files(path) if path.is_dir() else [path]), _title(path)
    else:
        files = [Path(each) for each in place]
        title = _title(files[0]) if len(files) == 1 else f"{len(files)} files"
    if not files:
        raise InputError("No file is given: choose at least one table.")
    found: list[Piece] = []
    notes: dict[str, None] = {}
    left_out: dict[str, str] = {}
    for file in files:
        pieces, sentences, missing = _pieces(file, header, encoding)
        notes |= dict.fromkeys([*sentences, *missing.values()])
        left_out |= missing
        found += pieces
        _check_same(found[0], pieces[0], left_out)
    return Stream(title, found[0].names, tuple(found), tuple(notes), left_out)


def _title(path: Path) -> str:
    """The name of a file without its ending, or of a folder."""
    ending = next((each for each in sorted(ENDINGS, key=len, reverse=True) if path.name.lower().endswith(each)), "")
    return path.name[: len(path.name) - len(ending)] or str(path)


def is_table(path: Path) -> bool:
    """Whether the name of a file says that it is a table that can be read in batches."""
    return path.name.lower().endswith(ENDINGS)


def _files(folder: Path) -> list[Path]:
    with reading(folder, kind="folder"):
        files = sorted(each for each in folder.iterdir() if each.is_file() and is_table(each))
    files = [file for file in files if not file.name.startswith((".", "_"))]
    if not files:
        raise InputError(f"The folder '{folder}' holds no table: put CSV or Parquet files into it.")
    return files


def _pieces(file: Path, header: bool | None, encoding: str) -> tuple[tuple[Piece, ...], list[str], dict[str, str]]:
    with reading(file):
        if not file.is_file():
            raise InputError(f"'{file}' is not a file: give the name of a file or folder.")
        with file.open("rb") as content:
            first = content.read(4)
    if first == b"PAR1":
        pieces, left_out = parquet_pieces(str(file))
        return pieces, [], left_out
    return *text_pieces(str(file), header=header, encoding=encoding), {}


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
