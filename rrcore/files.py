"""Read files and write new files completely or not at all."""

import os
import re
import secrets
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from rrcore.errors import InputError, reading
from rrcore.limits import MAX_FILE_BYTES

_PLAIN = re.compile(r"[^\W_](?:[\w .-]{0,58}[\w-])?")


class UnwrittenError(InputError):
    """The disk is full, or the location is not writable."""


def read_path(source: str | os.PathLike[str]) -> tuple[bytes, str]:
    """Return the content and the name of a file.

    Raises InputError if the file cannot be read or is larger than ``MAX_FILE_BYTES``.
    """
    path = Path(source)
    with reading(path), path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)  # a device such as /dev/zero never ends
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"The file '{path}' is larger than {MAX_FILE_BYTES // 2**20} MB. Leave out rows or columns.")
    return content, path.name


def new_file_name(name: str, thing: str) -> str:
    """Return the name given to a ``thing`` that is stored under that name.

    Raises InputError if the name cannot be the name of a file or folder.
    """
    plain = unicodedata.normalize("NFC", name.strip())
    if not _PLAIN.fullmatch(plain) or ".." in plain:
        raise InputError(
            f"'{plain[:60]}' is not a valid name for a {thing}. Use letters, digits, spaces, hyphens, underscores and dots. Start "
            "with a letter or a digit, and use at most 60 characters."
        )
    return plain


def check_new_file(path: Path) -> None:
    """Refuse a path that exists already, except for a pipe or a device.

    Raises
    ------
    InputError
    """
    if path.is_file() or path.is_dir():
        raise InputError(f"The file '{path}' already exists, so nothing was written. Choose another name, or move that file.")
    if path.is_symlink() and not path.exists():
        raise InputError(f"'{path}' is a broken link, so nothing was written. Choose another name, or remove the link.")


@contextmanager
def new_file(path: Path, *, private: bool = False, within: AbstractContextManager[Any] | None = None) -> Iterator[BinaryIO]:
    """Write a new file, which gets its name when the block ends without an error.

    Parameters
    ----------
    path : path of the new file; until the file is complete, its name in the same folder ends in ".part"
    private : whether only the owner may read the file
    within : context that is entered when the file is complete and exited when the file has its name, such as a transaction

    Raises
    ------
    InputError
        If the file exists already or cannot be written. A full disk, a read-only folder, or an interrupt leaves no file behind.

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
        raise UnwrittenError(f"The file '{path}' cannot be written ({error.strerror}). Choose another place.") from error


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
    """Rename the finished file ``part`` to ``path``, in the same folder.

    Raises FileExistsError if ``path`` exists.
    """
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
