"""Reading and writing the files that commands name, with one sentence where that fails; ``-`` is standard input or output."""

from __future__ import annotations

import io
import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES

if TYPE_CHECKING:
    from rrcore.collect import MechanismFile

STANDARD = "-"
"""In place of a file's name: standard input where a command reads, standard output where it writes."""


def load(name: str) -> bytes:
    """The content of a file, or what is piped in."""
    if name == STANDARD:
        return _piped()
    path = Path(name)
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"'{name}' is not a file: give the name of a file.")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise InputError(f"The file '{name}' has {size / 2**20:,.1f} MB: at most {MAX_FILE_BYTES // 2**20} MB are read.")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"The file '{name}' cannot be read ({error.strerror}): check its name and place.") from error


def _piped() -> bytes:
    content = b"" if sys.stdin is None else sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    if not content:
        raise InputError("Nothing is left on standard input: pipe one file into the command, and write '-' for that one only.")
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"There is more than {MAX_FILE_BYTES // 2**20} MB on standard input: at most that much is read.")
    return content


def title(name: str) -> str:
    """What a file is called in results: its name without folders."""
    return "standard input" if name == STANDARD else Path(name).name


def load_mechanism(name: str) -> MechanismFile:
    """A mechanism file."""
    from rrcore.collect import MechanismFile

    return MechanismFile.from_bytes(load(name))


def save(name: str, text: str) -> None:
    """Write ``text`` to a file, or to standard output."""
    if name == STANDARD:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", newline="")  # what a file would hold
        say(text, end="")
        return
    save_bytes(name, text.encode("utf-8"))


def save_bytes(name: str, content: bytes) -> None:
    """Write ``content`` as it is to a file, or to standard output."""
    if name == STANDARD:
        if sys.stdout is None:
            raise InputError("Standard output is closed: leave it open, or write to a file.")
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        Path(name).write_bytes(content)
    except OSError as error:
        raise InputError(f"The file '{name}' cannot be written ({error.strerror}): choose another place.") from error


def check_new(name: str) -> None:
    """Refuse the name of a file that exists."""
    if name != STANDARD and Path(name).exists():
        raise InputError(f"There is already a file '{name}', and nothing was written: choose another name, or move it away.")


def save_new(name: str, content: bytes) -> None:
    """Write a file that does not exist yet, as a whole or not at all; text also to standard output."""
    if name == STANDARD:
        save(name, content.decode("utf-8"))
        return
    check_new(name)
    path = Path(name)
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as out:
            part.chmod(0o600)
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.link(part, path)  # which refuses what has come into being meanwhile
    except OSError as error:
        raise InputError(f"The file '{name}' cannot be written ({error.strerror}): choose another place.") from error
    finally:
        part.unlink(missing_ok=True)


def say(text: str, end: str = "\n") -> None:
    """Write to standard output, at once.

    Raises
    ------
    BrokenPipeError
        Where nobody reads any further, as with ``| head``.
    InputError
        Where it cannot be written.
    """
    if sys.stdout is None:
        raise InputError("Standard output is closed: leave it open, or write to a file.")
    try:
        sys.stdout.write(_writable(text + end))
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left unwritten goes there as Python ends
        if isinstance(error, BrokenPipeError):
            raise
        raise InputError(f"Standard output cannot be written ({error.strerror}): make room, or write elsewhere.") from error


def says_everything() -> bool:
    """Whether standard output takes every character."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def _writable(text: str) -> str:
    """``text`` with escapes for what the encoding of standard output lacks."""
    if says_everything():
        return text
    return text.encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding)


def note(text: str) -> None:
    """Write to standard error; where that is closed, full or read by nobody, the exit code alone says what happened."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(text, file=sys.stderr, flush=True)
