"""A function run on bytes that nobody vouches for: in a process of its own, with bounded memory and time, that can be stopped.

What comes back is JSON and Arrow tables, nothing that is unpickled: a process that reads hostile bytes may itself have become hostile.
Bytes go there and back through a pipe; nothing is written to disk, not even when the process crashes.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from rrcore.errors import InputError
from rrcore.limits import MAX_READING_MEGABYTES, MAX_READING_SECONDS
from rrcore.work.process import ONE_THREAD, Process, Server
from rrcore.work.progress import Report, quiet

_SERVER = Server(
    ONE_THREAD
    | {  # Arrow takes memory from the system, so that bounds hold for it, and few threads, whose stacks count too
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "OMP_NUM_THREADS": str(min(4, os.cpu_count() or 1)),
        "MALLOC_ARENA_MAX": "2",
    },
    output=False,
)
_MOST_BESIDE = 64 * 2**20  # bytes of what is not a table
_LATE = -1000
_XCPU = -24  # what systems call SIGXCPU


@dataclass(frozen=True)
class Bounds:
    """What one piece of bounded work may take.

    Parameters
    ----------
    seconds : time, by the clock and of the processor
    megabytes : memory at the peak, with the bytes that are worked on, in units of 2^20 bytes
    report : called now and then; raising ends the work
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


def prepare(module: str) -> None:
    """Have the process that bounded work is forked from import ``module`` now, so that the first work need not wait for it."""
    _SERVER.load("rrcore.work.apart", module)


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
        As the function does; ``OutgrownError`` where memory or time does not suffice, ``NoRoomError`` where no process can be started.
    CrashedError
        Where the function comes to no end, or raises anything else.

    Examples
    --------
    >>> from rrcore.work.bounded import bounded
    >>> asked = {"name": "a.csv", "encoding": ""}
    >>> bounded("rrcore.table.reading.file:look", b"a,b", asked, what="Reading", action="Leave out rows.").about["title"]
    'a'
    """
    bounds = present()
    found, streams, code, peak = _run(function, content, asked, bounds)
    if "refused" in found:
        raise InputError(str(found["refused"]), quoted=str(found.get("quoted", "")))
    if "about" in found:
        return Returned(found["about"], tuple(_table(stream) for stream in streams))
    if "failed" in found:
        raise CrashedError(str(found["failed"])[:200])
    if code in (_LATE, _XCPU):
        raise OutgrownError(f"{what} takes longer than the {bounds.seconds:,.0f} seconds allowed. {action}")
    if "outgrown" in found or _starved(code, peak, bounds.megabytes):
        raise OutgrownError(f"{what} needs more memory than the {bounds.megabytes:,} MB allowed. {action}")
    if code == -signal.SIGABRT:  # a library gave up: over memory that it asked for all at once, or over what it found
        why = f"its content is damaged, or it needs more memory than the {bounds.megabytes:,} MB allowed"
        raise OutgrownError(f"{what} ended before its end: {why}. {action}")
    raise CrashedError(f"ended with {code}")


def _run(
    function: str, content: bytes, asked: Mapping[str, Any], bounds: Bounds
) -> tuple[dict[str, Any], list[memoryview], int, float]:
    """What the process says at its end, the streams of its tables, how it ended, and its memory at the peak."""
    prepare(function.partition(":")[0])
    process = _SERVER.start("rrcore.work.apart:serve", function, dict(asked), len(content), bounds.seconds, bounds.megabytes)
    found: dict[str, Any] = {}
    streams: list[memoryview] = []
    late = False
    try:
        with suppress(ConnectionError):
            process.pipe.send(content)
        with suppress(EOFError, ConnectionError):  # how it ended says why
            found, streams = _received(process, bounds)
    except TimeoutError:
        late = True
    finally:
        code, peak = process.close()
        bounds.ended(peak)
    return found, streams, _LATE if late else code, peak


def _received(process: Process, bounds: Bounds) -> tuple[dict[str, Any], list[memoryview]]:
    """What the process says at its end, and the streams of its tables. Raises TimeoutError where it takes too long."""
    end, at, text = time.monotonic() + bounds.seconds, 0.0, ""

    def tick() -> None:
        if time.monotonic() > end:
            raise TimeoutError
        bounds.report(at, text)

    try:
        while True:
            found, streams = _said(process.receive(tick, bounds.megabytes * 2**20 + _MOST_BESIDE))
            if "at" not in found:
                return found, streams
            at, text = found["at"], found["text"]
            tick()
    except MemoryError:
        return {"outgrown": True}, []


def _said(message: list[memoryview]) -> tuple[dict[str, Any], list[memoryview]]:
    """What a message says, with the streams in it."""
    try:
        first, *streams = message
        found = dict(json.loads(bytes(first)))
        if "at" in found:
            found = {"at": min(max(float(found["at"]), 0.0), 1.0), "text": str(found["text"])[:200]}
        return found, streams
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise CrashedError("what came back is damaged") from None


def _table(stream: memoryview) -> Any:
    try:
        table = pa.ipc.open_stream(pa.py_buffer(stream)).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise CrashedError("what came back is damaged") from error
    return table


def _starved(code: int, peak: float, megabytes: int) -> bool:
    """Whether a process that died had too little memory: killed by the system, or close to what it was allowed."""
    if code >= 0 or sys.platform != "linux":
        return False
    return code == -signal.SIGKILL or peak > 0.7 * megabytes
