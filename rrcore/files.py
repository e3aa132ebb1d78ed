"""Files that are read, and files that are written whole or not at all, never in place of another one."""

import os
import re
import secrets
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from rrcore.errors import InputError, reading

_PLAIN = re.compile(r"[^\W_](?:[\w .-]{0,58}[\w-])?")


class UnwrittenError(InputError):
    """The disk is full, or the place is not to be written to."""


def read_path(source: str | os.PathLike[str]) -> tuple[bytes, str]:
    """The content of a file and its name. Raises InputError where it cannot be read."""
    path = Path(source)
    with reading(path):
        return path.read_bytes(), path.name


def new_file_name(name: str, thing: str) -> str:
    """What somebody calls a ``thing`` that gets a file or folder of that name. Raises InputError where it is not plain."""
    plain = unicodedata.normalize("NFC", name.strip())
    if not _PLAIN.fullmatch(plain) or ".." in plain:
        raise InputError(
            f"The name of a {thing} has letters, digits, spaces, hyphens, underscores and dots, starts with a letter or a digit, and has "
            "at most 60 characters: choose another one."
        )
    return plain


def check_new_file(path: Path) -> None:
    """Refuse a name that a file or folder has already, or a link to one or to nothing; a pipe or a device may be written to.

    Raises
    ------
    InputError
    """
    if path.is_file() or path.is_dir():
        raise InputError(f"There is already a file '{path}', and nothing was written: choose another name, or move it away.")
    if path.is_symlink() and not path.exists():
        raise InputError(
            f"There is a link '{path}' that leads to no file, and nothing was written: choose another name, or remove it."
        )


@contextmanager
def new_file(path: Path, *, private: bool = False, within: AbstractContextManager[Any] | None = None) -> Iterator[BinaryIO]:
    """Write a file that does not exist yet: it has its name when the block has ended well and the disk holds every byte of it.

    Parameters
    ----------
    path : where it is to be; until then what is written stands in the same folder under a name that ends in ".part"
    private : whether only its owner may read it
    within : is entered when the file is whole, and left when it has its name: a transaction that stands and falls with the file

    Raises
    ------
    InputError
        Where it exists already, or cannot be written; a full disk, a folder that is read only and an interrupt leave nothing behind.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rrcore.files import new_file
    >>> place = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with new_file(place) as out:
    ...     _ = out.write(b"whole")
    ...     assert not place.exists()
    >>> place.read_text()
    'whole'
    """
    try:
        check_new_file(path)
        if path.exists():
            with path.open("wb") as out:
                yield out
            with within or nullcontext():
                return
        part = path.with_name(f".{secrets.token_hex(12)}.part")
        try:
            with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if private else 0o666), "wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            _place_within(within or nullcontext(), part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        if isinstance(error, FileExistsError):
            check_new_file(path)
        raise UnwrittenError(f"The file '{path}' cannot be written ({error.strerror}): choose another place.") from error


def _place_within(within: AbstractContextManager[Any], part: Path, path: Path) -> None:
    placed = False
    try:
        with within:
            place(part, path)
            placed = True
    except BaseException:
        if placed:
            path.unlink()
        raise


def place(part: Path, path: Path) -> None:
    """Give the finished file ``part`` the name ``path``, in the same folder. Raises FileExistsError where something has it."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without second names, as on memory sticks
        path.open("xb").close()
        os.replace(part, path)
    part.unlink(missing_ok=True)
    if os.name == "posix":  # the disk is to hold the name, too
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
