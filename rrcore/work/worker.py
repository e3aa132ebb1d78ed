"""Computations in processes of their own: told of, bounded in time and memory, and ended at once when nobody wants them any more."""

import math
import os
import pickle  # nosec B403: between this program and its own children only
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rrcore.errors import InputError, need
from rrcore.work.memory import limit_memory
from rrcore.work.pipe import Pipe
from rrcore.work.process import ONE_THREAD, LostError, Server
from rrcore.work.progress import Report, quiet

Produce = Callable[[Report], Iterable[Any]]
"""Work that hands over piece after piece and reports its progress."""

REPORT_SECONDS = 0.1
"""Seconds between two reports that a process sends on."""

_POLITE = 10  # niceness: who asks for a page goes before who computes
_SERVER = Server(ONE_THREAD, output=True)


def prepare_worker(modules: Iterable[str] = ("rrcore",)) -> None:
    """Have a process ready, with ``modules`` imported, that workers are forked from: each then starts within some milliseconds.

    It runs nothing itself, has no threads, and ends with this process. Where there is no such thing (Windows) nothing is done, and
    each worker imports what it needs. Calling it again does nothing.
    """
    _SERVER.load(__name__, *modules)


class Worker:
    """A process that does ``produce(report)`` and hands its pieces over.

    ``produce`` and what it refers to are sent to the process, and the pieces back, through a pipe: nothing is written to disk. It may be
    a closure, so refer to no more than is needed. The process gives way to others, has one thread for linear algebra, leaves no copy of
    its memory when it crashes, and ends with the process that started it.

    Parameters
    ----------
    produce : what is done; a function or closure; it and its pieces are things that cloudpickle can send
    megabytes : memory that it may take, in MiB beyond what a process has that did nothing yet; 0 for as much as there is, and for a
        process that gives way to nobody

    Raises
    ------
    LostError
        If no process can be started.

    Examples
    --------
    >>> from rrcore.work.worker import Worker
    >>> list(Worker(lambda report: map(abs, [3, -4]), megabytes=500).pieces(seconds=60))
    [3, 4]
    """

    def __init__(self, produce: Produce | None = None, *, megabytes: int = 0) -> None:
        if produce is not None:
            need("cloudpickle", "Work in another process")
        self._produce, self._megabytes = produce, megabytes
        self._process = _SERVER.start(f"{__name__}:serve", megabytes)

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def pieces(self, *, seconds: float, report: Report = quiet) -> Iterator[Any]:
        """The pieces as they come. To be read once; however that ends, the process ends with it.

        Parameters
        ----------
        seconds : how long all of it may take
        report : told how far it is; what it raises ends the work

        Raises
        ------
        LostError
            If it took more time or memory than it may, or its process was lost.
        Exception
            Whatever ``produce`` raised; its traceback is among the notes, but for an InputError.
        """
        try:
            yield from self.do(self._produce, seconds=seconds, report=report)
        finally:
            self.close()

    def do(self, produce: Produce | None, *, seconds: float = math.inf, report: Report = quiet) -> Iterator[Any]:
        """``pieces`` of ``produce``; where they are read to the end, the process is there for more work."""
        until = time.monotonic() + seconds

        def check_time() -> None:
            if time.monotonic() > until:
                raise LostError(
                    f"The calculation takes longer than the {seconds:,.0f} seconds that one may take here: ask for less of it.",
                    "time",
                )

        try:
            _send(self._process.pipe, produce)
            while True:
                kind, value = _opened(self._process.receive(check_time))
                check_time()
                if kind == "report":
                    report(*value)
                elif kind == "piece":
                    yield value
                elif kind == "memory":
                    raise LostError(
                        f"The calculation needs more than the {self._megabytes:,} MB of memory that one may take here: ask for less of it.",
                        "memory",
                    )
                elif kind == "error":
                    raise value
                else:
                    return
        except (EOFError, ConnectionError) as error:
            raise LostError(
                "The calculation was cut off, as happens where the memory of this computer runs out: start it again, or ask for less of it."
            ) from error

    def end(self) -> None:
        """End the process, at work or not."""
        self._process.end()

    def close(self) -> None:
        """End the process, whose pieces nobody may be reading any more."""
        self._process.close()


def serve(pipe: Pipe, megabytes: int) -> None:
    """What the process of a ``Worker`` does: receive work, do it, and tell of it, until it is ended."""
    sent = 0.0

    def report(fraction: float, text: str) -> None:
        nonlocal sent
        if (now := time.monotonic()) - sent > REPORT_SECONDS:
            sent = now
            _send(pipe, ("report", (fraction, text)))

    if megabytes:
        limit_memory(megabytes * 2**20)
        if hasattr(os, "nice"):
            os.nice(_POLITE)
    while True:
        outcome: tuple[str, Any] = ("done", None)
        try:
            for piece in _opened(pipe.receive())(report):
                _send(pipe, ("piece", piece))
        except MemoryError as error:
            outcome = ("memory", None) if megabytes else ("error", error)
        except Exception as error:  # raised again where the pieces are read
            outcome = ("error", _portable(error))
        _send(pipe, outcome)


def _portable(error: Exception) -> Exception:
    """``error`` as it can be sent, with its traceback, which is not sent by itself, as a note; without one where a person is at fault."""
    if not isinstance(error, InputError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # nosec B301: from its own child or parent
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _send(pipe: Pipe, what: Any) -> None:
    """Send ``what``, its arrays without a copy, and, where cloudpickle is installed, functions that no module has as they are."""
    try:
        from cloudpickle import dumps
    except ModuleNotFoundError:
        from pickle import dumps  # nosec B403: between this program and its own children only
    buffers: list[pickle.PickleBuffer] = []
    packed = dumps(what, protocol=5, buffer_callback=buffers.append)
    pipe.send(packed, *(buffer.raw() for buffer in buffers))


def _opened(message: list[memoryview]) -> Any:
    """What was sent; its arrays lie in the memory that they were received into."""
    return pickle.loads(message[0], buffers=message[1:])  # nosec B301: from its own child or parent
