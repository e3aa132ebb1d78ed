"""Reading and writing the files that commands name, with one sentence where that fails."""

from __future__ import annotations

from pathlib import Path

from rrcore.collect import MechanismFile
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES

__all__ = ["load", "load_mechanism", "save"]


def load(name: str) -> bytes:
    """The content of a file."""
    path = Path(name)
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"'{name}' is no file: give the name of a file.")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise InputError(f"The file '{name}' has {size / 2**20:,.1f} MB: at most {MAX_FILE_BYTES // 2**20} MB are read.")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"The file '{name}' cannot be read ({error.strerror}): check its name and place.") from error


def load_mechanism(name: str) -> MechanismFile:
    """A mechanism file."""
    return MechanismFile.from_bytes(load(name))


def save(name: str, text: str) -> None:
    """Write ``text`` to a file."""
    try:
        Path(name).write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"The file '{name}' cannot be written ({error.strerror}): choose another place.") from error
