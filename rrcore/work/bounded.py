"""A function run on bytes that nobody vouches for: in a process of its own, with bounded memory and time, that can be stopped.

What comes back is JSON and Arrow tables, nothing that is unpickled: a process that reads hostile bytes may itself have become hostile.
Bytes go there and back through anonymous memory; nothing is written to disk, not even when the process crashes.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from rrcore.errors import InputError
from rrcore.limits import MAX_READING_MEGABYTES, MAX_READING_SECONDS
from rrcore.work.apart import OUTGROWN
from rrcore.work.progress import Report, quiet

_POLL = 0.05
_MOST_TOLD = 64 * 2**20
_LINUX = sys.platform == "linux"


@dataclass(frozen=True)
class Bounds:
    """What one piece of bounded work may take.

    Parameters
    ----------
    seconds : time, by the clock and of the processor
    megabytes : memory at the peak, with the bytes that are worked on, in units of 2^20 bytes
    report : told now and then; raising ends the work
    ended : told at the end of each piece of work how much memory it took at the peak, in the same units, 0 where that is not known
    """

    seconds: float = MAX_READING_SECONDS
    megabytes: int = MAX_READING_MEGABYTES
    report: Report = quiet
    ended: Callable[[float], None] = lambda peak: None


_DEFAULT = Bounds()
_present: ContextVar[Bounds] = ContextVar("bounds", default=_DEFAULT)


@contextmanager
def within(bounds: Bounds) -> Iterator[None]:
    """All bounded work of this thread keeps to ``bounds``, until the end of the ``with`` block."""
    token = _present.set(bounds)
    try:
        yield
    finally:
        _present.reset(token)


def present() -> Bounds:
    """The bounds that work of this thread keeps to now."""
    return _present.get()


@dataclass(frozen=True)
class Returned:
    """What a bounded function returned.

    Parameters
    ----------
    about : what JSON can hold
    tables : Arrow tables
    """

    about: Any
    tables: tuple[Any, ...] = ()


class OutgrownError(InputError):
    """Bounded work needed more memory or time than it may."""


class CrashedError(ValueError):
    """Bounded work came to no end: the library that does it crashed, or raised what it should not."""


def bounded(function: str, content: bytes, asked: Mapping[str, Any], *, what: str, action: str) -> Returned:
    """What ``function`` makes of ``content``, in a process that has the present ``Bounds`` (see ``within``).

    Parameters
    ----------
    function : "module:name" of a function that is called as ``f(content, report=report, **asked)``, with content as a memoryview, and
        gives a value that JSON can hold and a sequence of Arrow tables
    content : bytes
    asked : what JSON can hold
    what : what is done, as the beginning of a sentence, such as "Reading the file"
    action : what to do where it takes too much, a sentence

    Raises
    ------
    InputError
        As the function does; ``OutgrownError`` where memory or time does not suffice.
    CrashedError
        Where the function comes to no end, or raises anything else.

    Examples
    --------
    >>> from rrcore.work.bounded import bounded
    >>> asked = {"name": "a.csv", "encoding": ""}
    >>> bounded("rrcore.table.reading.apart:look", b"a,b", asked, what="Reading", action="Leave out rows.").about["title"]
    'a'
    """
    bounds = present()
    task = {"function": function, "asked": dict(asked), "seconds": bounds.seconds, "megabytes": bounds.megabytes}
    run = _in_fork if _LINUX else _in_subprocess
    with _Result() as result:
        code, peak = run(task, content, result, bounds)
        bounds.ended(peak)
        told = result.told()
        if "refused" in told:
            raise InputError(str(told["refused"]), quoted=str(told.get("quoted", "")))
        if code in (_LATE, _XCPU):
            raise OutgrownError(f"{what} takes longer than the {bounds.seconds:,.0f} seconds allowed. {action}")
        if "outgrown" in told or code == OUTGROWN or _starved(code, peak, bounds.megabytes):
            raise OutgrownError(f"{what} needs more memory than the {bounds.megabytes:,} MB allowed. {action}")
        if code or "about" not in told:
            raise CrashedError(str(told.get("failed", f"ended with {code}"))[:200])
        return Returned(told["about"], result.tables())


def prepare(module: str) -> None:
    """Have the process that bounded work is forked from import ``module`` now, so that the first work need not wait for it."""
    if _LINUX:
        with suppress(OSError):
            _server.send({"prepare": module}, ())


_LATE = -1000
_XCPU = -24  # what systems call SIGXCPU


def _starved(code: int, peak: float, megabytes: int) -> bool:
    """Whether a process that died had too little memory: killed by the system, an allocation that a library could not do without."""
    if code >= 0 or not _LINUX:
        return False
    return code in (-signal.SIGKILL, -signal.SIGABRT) or peak > 0.7 * megabytes


class _Result:
    """What comes back: anonymous memory where there is such, else bytes; JSON first, with its length, then Arrow streams."""

    def __init__(self) -> None:
        self.file = os.memfd_create("result", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING) if _LINUX else -1
        self.data: Any = b""

    def __enter__(self) -> _Result:
        return self

    def __exit__(self, *_: object) -> None:
        if self.file >= 0:
            os.close(self.file)

    def told(self) -> dict[str, Any]:
        if self.file >= 0:
            self.seal()
            size = os.fstat(self.file).st_size
            self.data = mmap.mmap(self.file, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) if size else b""
        if len(self.data) < 8:
            return {}
        (length,) = struct.unpack("<Q", self.data[:8])
        if length > min(len(self.data), _MOST_TOLD):
            return {}
        try:
            found = json.loads(self.data[8 : 8 + length])
        except (ValueError, RecursionError):
            return {}
        self.start = -(-(8 + length) // 64) * 64
        return found if isinstance(found, dict) else {}

    def seal(self) -> None:
        """Have nobody change it any more: memory that were cut off while it is read would end this process, too."""
        import fcntl

        try:
            fcntl.fcntl(self.file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        except OSError as error:
            raise CrashedError("what came back is still being written") from error

    def tables(self) -> tuple[Any, ...]:
        source, found = pa.BufferReader(pa.py_buffer(self.data)), []
        source.seek(self.start)
        try:
            while source.tell() < len(self.data):
                table = pa.ipc.open_stream(source).read_all()
                table.validate(full=True)
                found.append(table)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise CrashedError("what came back is damaged") from error
        return tuple(found)


class _Server:
    """A process without threads that has imported what the work needs and forks a process for each piece of it; ends with this one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.owner, self.line = 0, socket.socket()

    def send(self, task: Mapping[str, Any], files: tuple[int, ...]) -> None:
        message = json.dumps(task).encode()
        with self.lock:
            if self.owner != os.getpid():
                self._start()
            try:
                socket.send_fds(self.line, [message], files)
            except (BrokenPipeError, ConnectionError):  # it was killed, for want of memory perhaps
                self._start()
                socket.send_fds(self.line, [message], files)

    def _start(self) -> None:
        self.line.close()
        self.line, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        subprocess.Popen(
            [sys.executable, "-m", "rrcore.work.apart", str(other.fileno())],
            pass_fds=[other.fileno()],
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        other.close()
        self.owner = os.getpid()


_server = _Server()


def _environment() -> dict[str, str]:
    """Arrow takes memory from the system, so that bounds hold for it, and few threads, whose stacks count too."""
    threads = str(min(4, os.cpu_count() or 1))
    own = {
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }
    return os.environ | own | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _in_fork(task: Mapping[str, Any], content: bytes, result: _Result, bounds: Bounds) -> tuple[int, float]:
    """How the process ended, negative by a signal, and its memory at the peak."""
    given = os.memfd_create("content")
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        _write(given, content)
        _server.send(task, (theirs.fileno(), given, result.file))
        theirs.close()
        ours.settimeout(_POLL)
        end, at, text = time.monotonic() + bounds.seconds, 0.0, ""
        while True:
            try:
                message = ours.recv(2**16)
            except TimeoutError:
                message = None
            if message == b"":
                return -signal.SIGKILL, 0.0
            if message:
                told = _understood(message)
                if "code" in told:
                    return told["code"], told["peak"]
                at, text = told["at"], told["text"]
            if time.monotonic() > end:
                return _LATE, 0.0
            bounds.report(at, text)
    finally:
        ours.close()  # a process that still works ends now
        theirs.close()
        os.close(given)


def _understood(message: bytes) -> dict[str, Any]:
    """How far the process is (``at``, ``text``), or how it ended (``code``, ``peak``). Raises CrashedError for anything else."""
    try:
        told = json.loads(message)
        if "code" in told:
            return {"code": int(told["code"]), "peak": float(told["peak"])}
        return {"at": min(max(float(told["at"]), 0.0), 1.0), "text": str(told["text"])[:200]}
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise CrashedError("what came back is damaged") from None


def _write(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest[: 2**30]) :]


def _in_subprocess(task: Mapping[str, Any], content: bytes, result: _Result, bounds: Bounds) -> tuple[int, float]:
    """The same where there is neither anonymous memory nor a bound for it: a process for each piece of work, started anew."""
    message = json.dumps(task).encode()
    process = subprocess.Popen(
        [sys.executable, "-m", "rrcore.work.apart"],
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + bounds.seconds
    given: bytes | None = struct.pack("<Q", len(message)) + message + content
    try:
        while True:
            try:
                result.data, _ = process.communicate(given, timeout=4 * _POLL)
                return process.returncode, 0.0
            except subprocess.TimeoutExpired:
                given = None
            if time.monotonic() > end:
                return _LATE, 0.0
            bounds.report(0.0, "")
    finally:
        process.kill()
        process.wait()
