"""Reading and writing the files that commands name, with one sentence where that fails; ``-`` is standard input or output."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from rrcore.errors import InputError, reading
from rrcore.files import check_new_file, new_file
from rrcore.limits import MAX_FILE_BYTES

if TYPE_CHECKING:
    from rrcore.promise import MechanismFile

STANDARD = "-"
"""In place of a file's name: standard input where a command reads, standard output where it writes."""

PLACES = ("FILE", "FOLDER", "FILES", ("CERTIFICATE", "KEY"))
"""What options that name a file, a folder or a database are called in help: all of them take a ``place``."""


def place(name: str) -> str:
    """A name as it is typed, as a type for argparse: an empty one, as of a variable that a shell does not know, names the current folder."""
    if not name.strip():
        raise argparse.ArgumentTypeError("the name is empty, give that of a file or place")
    return name


def load(name: str) -> bytes:
    """The content of a file, or what is piped in."""
    if name == STANDARD:
        return _piped()
    path = Path(name)
    with reading(name):
        if path.exists() and not path.is_file():
            raise InputError(f"'{name}' is not a file: give the name of a file.")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise InputError(f"The file '{name}' has {size / 2**20:,.1f} MB: at most {MAX_FILE_BYTES // 2**20} MB are read.")
        return path.read_bytes()


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
    from rrcore.promise import MechanismFile

    return MechanismFile.from_json(load(name))


def save(name: str, content: str | bytes) -> None:
    """Write a file that does not exist yet, as a whole or not at all; or to standard output."""
    with writing(name) as out:
        out.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def tidied() -> Iterator[None]:
    """While this lasts an interrupt is an exception, so that what is half done is cleared away; it then ends the program as ever."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_DFL or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def writing(name: str, *, private: bool = False, within: AbstractContextManager[Any] | None = None) -> Iterator[BinaryIO]:
    """A binary stream to a file that does not exist yet, which gets its name when all is written, or to standard output.

    ``private``: for its owner alone; ``within`` as for ``new_file``.
    """
    if name != STANDARD:
        with tidied(), new_file(Path(name), private=private, within=within) as out:
            yield out
        return
    if sys.stdout is None:
        raise InputError("Standard output is closed: leave it open, or write to a file.")
    try:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except OSError as error:
        raise _unwritten(error) from error
    with within or nullcontext():
        return


def check_outputs(names: Iterable[str | None]) -> None:
    """Refuse, before any work is done, names of files that exist, and one name for two files."""
    files = [Path(name) for name in names if name is not None and name != STANDARD]
    for path in files:
        check_new_file(path)
    if len({path.absolute() for path in files}) < len(files):
        raise InputError("Two files are to be written under one name, and nothing was written: give each a name of its own.")


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
        raise _unwritten(error) from error


def _unwritten(error: OSError) -> Exception:
    """What to raise where standard output cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left unwritten goes there as Python ends
    if isinstance(error, BrokenPipeError):
        return error
    return InputError(f"Standard output cannot be written ({error.strerror}): make room, or write elsewhere.")


def says_everything() -> bool:
    """Whether standard output takes every character."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def _writable(text: str) -> str:
    """``text`` with a hyphen as the sign of numbers and escapes for what else the encoding of standard output lacks."""
    if says_everything():
        return text
    return text.replace("\N{MINUS SIGN}", "-").encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding)


def note(text: str) -> None:
    """Write to standard error; where that is closed, full or read by nobody, the exit code alone says what happened."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(text, file=sys.stderr, flush=True)
