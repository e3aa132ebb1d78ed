"""One computation in a process of its own: told of, bounded in time and memory, and ended at once when nobody wants it any more."""

from __future__ import annotations

import io
import multiprocessing
import os
import pickle  # nosec B403: between this program and its own children only
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing import util
from multiprocessing.connection import Connection
from typing import Any, Literal

from rrcore.errors import InputError, need
from rrcore.work.process import NAME, one_thread, settle
from rrcore.work.progress import Report, quiet

Produce = Callable[[Report], Iterable[Any]]
"""Work that hands over piece after piece and reports its progress."""

_METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
_CONTEXT: Any = multiprocessing.get_context(_METHOD)
_POLITE = 10  # niceness: who asks for a page goes before who computes
_OFTEN = 0.1  # seconds between two reports that are sent on
_GRACE = 1.0  # seconds between asking a process to end and ending it
_LONGEST = 60  # characters of a temporary folder's name that leave room for a socket's, 108 in all


class LostError(InputError):
    """A computation that did not end by itself: its process was lost, or it took more time or memory than it may.

    Parameters
    ----------
    message : str
    why : "time", "memory" or "lost"
    """

    def __init__(self, message: str, why: Literal["time", "memory", "lost"] = "lost") -> None:
        super().__init__(message)
        self.why = why


def prepare(modules: Sequence[str] = ("rrcore",)) -> None:
    """Have a process ready, with ``modules`` imported, that workers are forked from: each then starts within some milliseconds.

    It runs nothing itself, has no threads, and ends with this process. Where there is no such thing (Windows) nothing is done, and
    each worker imports what it needs. Calling it again does nothing.
    """
    if _METHOD != "forkserver":
        return
    from multiprocessing import forkserver

    _take_folder()
    with one_thread():
        _CONTEXT.set_forkserver_preload(list(modules))
        forkserver.ensure_running()


def put_away() -> None:
    """End all workers and remove the socket that ``prepare`` made: for a server that a signal ends, before Python does that by itself."""
    util._exit_function()  # type: ignore[attr-defined]


def _take_folder() -> None:
    """Have the socket of the process that is forked in a folder of this user alone, whose name is short enough, until this process ends."""
    config: dict[str, Any] = getattr(multiprocessing.current_process(), "_config")  # noqa: B009
    if not os.path.isdir(config.get("tempdir") or ""):
        place = "/tmp" if len(os.fsencode(tempfile.gettempdir())) > _LONGEST else None  # nosec B108: made for this user alone
        config["tempdir"] = folder = tempfile.mkdtemp(prefix="pymp-", dir=place)
        util.Finalize(None, shutil.rmtree, args=(folder, True), exitpriority=-100)


def _leave_forkserver() -> None:
    """Leave the process that workers are forked from to those that it has, and have the next worker start another.

    It cannot be reached any more once its socket, or the folder of it, was deleted; it ends with this process.
    """
    from multiprocessing import forkserver

    server: Any = getattr(forkserver, "_forkserver")  # noqa: B009
    with server._lock:
        if server._forkserver_address and os.path.exists(server._forkserver_address):
            return  # somebody else started it anew meanwhile
        server._forkserver_pid = None
    _take_folder()


class Worker:
    """A process that does ``produce(report)`` and hands its pieces over.

    ``produce`` and what it refers to are sent to the process, and the pieces back, through a pipe: nothing is written to disk. It may be
    a closure, so refer to no more than is needed. The process gives way to others, has one thread for linear algebra, leaves no copy of
    its memory when it crashes, and ends with the process that started it.

    Parameters
    ----------
    produce : what is done; a function or closure; it and its pieces are things that cloudpickle can send
    megabytes : memory that it may take, in MiB of addresses beyond what a process has that did nothing yet

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

    def __init__(self, produce: Produce, *, megabytes: int) -> None:
        self._produce, self._megabytes = produce, megabytes
        self._own, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_serve, args=(theirs, megabytes), name=NAME, daemon=True)
        try:
            with one_thread():
                try:
                    self._process.start()
                except (FileNotFoundError, ConnectionRefusedError):  # its socket was deleted, as happens to old files in /tmp
                    _leave_forkserver()
                    self._process.start()
        except (OSError, EOFError) as error:
            raise LostError("This computer has no room for another process: start the calculation again later.") from error
        finally:
            theirs.close()

    @property
    def pid(self) -> int:
        """The number of its process."""
        return int(self._process.pid)

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
        until = time.monotonic() + seconds
        try:
            _send(self._own, self._produce)
            while True:
                if not self._own.poll(max(0.0, until - time.monotonic())):
                    raise LostError(
                        f"The calculation takes longer than the {seconds:,.0f} seconds that one may take here: ask for less of it.",
                        "time",
                    )
                kind, value = _receive(self._own)
                if kind == "told":
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
        finally:
            self.end()
            self._own.close()

    def end(self) -> None:
        """End the process, at work or not: it is asked to, and ended after a second."""
        self._process.terminate()
        self._process.join(_GRACE)
        self._process.kill()


def _serve(connection: Connection, megabytes: int) -> None:
    """What the process does: receive the work, do it, and tell of it."""
    settle()
    sent = 0.0

    def report(fraction: float, text: str) -> None:
        nonlocal sent
        if (now := time.monotonic()) - sent > _OFTEN:
            sent = now
            _send(connection, ("told", (fraction, text)))

    outcome: tuple[str, Any] = ("done", None)
    try:
        _limit(megabytes)
        produce = _receive(connection)
        if hasattr(os, "nice"):
            os.nice(_POLITE)
        for piece in produce(report):
            _send(connection, ("piece", piece))
    except MemoryError:
        outcome = ("memory", None)
    except Exception as error:  # raised again where the pieces are read
        outcome = ("error", _portable(error))
    _send(connection, outcome)


def _limit(megabytes: int) -> None:
    """Refuse memory beyond so many MiB more than now, where the system can: Linux."""
    try:
        import resource

        with open("/proc/self/statm") as known:
            mapped = int(known.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return
    most = mapped + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _portable(error: Exception) -> Exception:
    """``error`` as it can be sent, with its traceback, which is not sent by itself, as a note; without one where a person is at fault."""
    if not isinstance(error, InputError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # nosec B301: from its own child or parent
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _send(connection: Connection, what: Any) -> None:
    """Send ``what``, its arrays without a copy, and functions that no module has as they are."""
    buffers: list[pickle.PickleBuffer] = []
    packed = io.BytesIO()
    cloudpickle = need("cloudpickle", "Work in another process")
    cloudpickle.Pickler(packed, protocol=5, buffer_callback=buffers.append).dump(what)
    views = [buffer.raw() for buffer in buffers]
    connection.send_bytes(pickle.dumps([view.nbytes for view in views]))
    connection.send_bytes(packed.getbuffer())
    for view in filter(len, views):
        _write(connection, view)


def _receive(connection: Connection) -> Any:
    """What was sent; its arrays lie in the memory that they were received into."""
    buffers = [bytearray(size) for size in pickle.loads(connection.recv_bytes())]  # nosec B301: from its own child or parent
    packed = connection.recv_bytes()
    for buffer in filter(len, buffers):
        _read(connection, memoryview(buffer))
    return pickle.loads(packed, buffers=buffers)  # nosec B301: from its own child or parent


def _write(connection: Connection, view: memoryview) -> None:
    if os.name == "nt":
        connection.send_bytes(view)
        return
    while view:
        view = view[os.write(connection.fileno(), view) :]


def _read(connection: Connection, view: memoryview) -> None:
    if os.name == "nt":
        connection.recv_bytes_into(view)
        return
    while view:  # Connection itself makes room for all that is missing anew for every part that comes
        got = os.readv(connection.fileno(), [view])
        if not got:
            raise EOFError
        view = view[got:]
