"""What is finished of a run over a table of any size, kept in a folder beside the file to be, so that a run that was stopped is taken up.

The folder is called like the file with ".pieces" at its end. What is finished of a piece is never done again; when the file is there the
folder goes.
"""

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from rrcore.errors import InputError
from rrcore.files import UnwrittenError, check_new_file, new_file

_RUN = "run.json"
_FORMAT, _VERSION = "rrcore pieces", 1


class Pieced(Protocol):
    """What is read piece by piece: a table, or lines."""

    @property
    def title(self) -> str: ...

    def pieces(self) -> Sequence[Any]:
        """Each has the path of a file."""
        ...


@dataclass(frozen=True)
class KeptPlace:
    """Where what is finished of one piece stands. Small and picklable.

    Parameters
    ----------
    folder : Path
    number : int, of the piece
    """

    folder: Path
    number: int

    def file(self, name: str) -> Path:
        """A file of the piece."""
        return self.folder / f"{self.number:06}-{name}"

    def finished(self) -> Any:
        """What ``finish`` was given; None for a piece that is not finished."""
        try:
            return json.loads(self.file("done").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None

    def finish(self, said: Any) -> None:
        """Say that all files of the piece are there, and something about it that JSON can hold."""
        with unless_made(self.file("done")) as out:
            out.write(json.dumps(said).encode())


@contextmanager
def unless_made(path: Path) -> Iterator[BinaryIO]:
    """A new file; where one is that another run has made, before or meanwhile, that one stands, and what is written here goes nowhere."""
    if path.exists():
        with open(os.devnull, "wb") as out:
            yield out
        return
    try:
        with new_file(path) as out:
            yield out
    except UnwrittenError:
        raise
    except InputError:
        if not path.exists():
            raise


@dataclass(frozen=True)
class Kept:
    """The folder of a run.

    Parameters
    ----------
    folder : Path; None for a run of which nothing is kept
    draw : str, 32 random hexadecimal digits that belong to this run, however often it is stopped and taken up
    """

    folder: Path | None
    draw: str = ""

    def places(self, stream: Pieced, first: int = 0) -> list[KeptPlace | None]:
        """Where what is finished of each piece of a stream is kept, before which there are ``first`` pieces of others."""
        numbers = range(first, first + len(stream.pieces()))
        return [None if self.folder is None else KeptPlace(self.folder, number) for number in numbers]

    def forget(self) -> None:
        """Delete the folder: nothing in it is of use."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def kept_beside(out: Path | None, streams: Sequence[Pieced], about: Mapping[str, object]) -> Iterator[Kept]:
    """The folder of the pieces of ``out``, which is made, or taken up if it is of the same run; gone when the block has ended well.

    Parameters
    ----------
    out : the file to be, which is written within the block; None for none, and nothing is kept
    streams : what is read
    about : what else the outcome depends on, as JSON can hold it

    Raises
    ------
    InputError
        If the file exists, nothing can be written, or the folder is of another run: of other files, or of files that have changed since.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rrcore.table.stream import open_stream
    >>> from rrcore.table.stream.kept import kept_beside
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "people.csv").write_text("smokes,sex\\nno,f\\nyes,m\\n")
    >>> stream, out = open_stream(folder / "people.csv"), folder / "length"
    >>> try:
    ...     with kept_beside(out, [stream], {"job": "length"}) as kept:
    ...         kept.places(stream)[0].finish(2)
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt:
    ...     pass
    >>> with kept_beside(out, [stream], {"job": "length"}) as kept:
    ...     _ = out.write_text(str(kept.places(stream)[0].finished()))
    >>> sorted(path.name for path in folder.iterdir()), out.read_text()
    (['length', 'people.csv'], '2')
    """
    if out is None:
        yield Kept(None)
        return
    folder = folder_of(out)
    check_new_file(out)
    try:
        kept = _begin(folder, {"format": _FORMAT, "version": _VERSION, **about, "answers": fingerprint(streams)})
        yield kept
    except (UnwrittenError, FileNotFoundError) as error:
        if out.exists() or not folder.is_dir():
            check_new_file(out)
        raise InputError(
            f"{error} What is finished is kept in '{folder}': run the same again, and only the rest is done."
        ) from error
    shutil.rmtree(folder, ignore_errors=True)


def digest(what: object) -> str:
    """A fingerprint of what an outcome depends on, for ``kept_beside``: dataclasses are known by their fields, all else by its ``repr``."""
    return hashlib.sha256(repr(_written_out(what)).encode()).hexdigest()


def _written_out(what: object) -> object:
    if is_dataclass(what) and not isinstance(what, type):
        return type(what).__name__, [(each.name, _written_out(getattr(what, each.name))) for each in fields(what) if each.repr]
    if isinstance(what, tuple | list):
        return [_written_out(each) for each in what]
    return {key: _written_out(each) for key, each in what.items()} if isinstance(what, dict) else what


def folder_of(out: Path) -> Path:
    """Where the pieces of a file are kept."""
    return out.with_name(f"{out.name}.pieces")


def draw_of(folder: Path) -> str | None:
    """The draw of a run that was stopped; None where there is none."""
    return _read_run(folder / _RUN).get("draw")


def fingerprint(streams: Sequence[Pieced]) -> str:
    """Of which files there are, how large and how old: it is another one where the answers may have changed."""
    found = []
    for stream in streams:
        try:
            files = [(p.path, stat.st_size, stat.st_mtime_ns) for p in stream.pieces() for stat in (Path(p.path).stat(),)]
        except OSError as error:
            raise InputError(
                f"A file of '{stream.title}' cannot be read ({error.strerror}): check its name and place."
            ) from error
        found.append((files, stream.pieces()))
    return digest(found)


def _begin(folder: Path, about: dict[str, object]) -> Kept:
    try:
        folder.mkdir(exist_ok=True)
        if not (folder / _RUN).exists():
            with new_file(folder / _RUN) as file:
                file.write(json.dumps(about | {"draw": secrets.token_hex(16)}).encode())
    except OSError as error:
        raise UnwrittenError(f"The folder '{folder}' cannot be made ({error.strerror}): choose another place.") from error
    known = _read_run(folder / _RUN)
    if known != about | {"draw": known.get("draw")} or not re.fullmatch("[0-9a-f]{32}", str(known["draw"])):
        raise InputError(
            f"The folder '{folder}' holds a run that was stopped, of other answers, or with another mechanism file or other options: finish "
            "that one, or delete the folder."
        )
    return Kept(folder, str(known["draw"]))


def _read_run(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
