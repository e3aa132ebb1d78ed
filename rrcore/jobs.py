"""Run functions in worker processes with limits, progress and cancellation.

Workers import neither the main script nor a page. The function of a job must therefore belong to a module of ``rrcore``, and
its arguments must be picklable.
"""

from __future__ import annotations

import ctypes
import inspect
import itertools
import multiprocessing
import os
import pickle  # nosec B403: between this program and its own workers only
import select
import signal
import struct
import sys
import threading
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from multiprocessing import forkserver, spawn
from multiprocessing.connection import Connection
from typing import Any
from weakref import WeakValueDictionary

from rrcore.errors import InputError, need
from rrcore.executors import cores
from rrcore.limits import MAX_JOB_MEGABYTES, MAX_JOB_SECONDS

_METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
_CONTEXT = multiprocessing.get_context(_METHOD)
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")}
_REPORT_SECONDS = 0.1  # between two reports that a worker sends
_PR_SET_DUMPABLE = 4  # of linux/prctl.h

# A pipe takes messages of at most PIPE_BUF bytes whole or not at all. So workers share one without a lock, and a worker that is killed
# while it writes damages nothing. The length that multiprocessing puts before a message takes 4 bytes.
_HEAD = struct.Struct("<Q?")
_CHUNK = getattr(select, "PIPE_BUF", 4096) - _HEAD.size - 4

_starting = threading.Lock()
_prepare = spawn.get_preparation_data
_writer: Connection  # in a worker, where it tells of its progress


class LostError(InputError):
    """A job exceeded its limit of time or memory, or its process was lost."""


class _Yielded(list[Any]):
    """All that a function has yielded."""


class Job:
    """A call of a function in a worker process.

    Parameters
    ----------
    pool : the pool that runs the call
    call : the function and its arguments
    seconds, megabytes : limits of time and memory

    Attributes
    ----------
    what : description of the job, as the beginning of a sentence
    about : label that the caller gave the job
    fraction, text : progress
    stopped : whether ``stop`` has ended the job
    """

    def __init__(self, pool: Pool, call: Sequence[Any], seconds: float, megabytes: int) -> None:
        self.pool, self.call, self._seconds, self._megabytes = pool, call, seconds, megabytes
        self.what = "The calculation"
        self.about: Any = None
        self.fraction, self.text, self.stopped = 0.0, "", False
        self.future: Future[Any] = Future()
        self._yielded: list[Any] = []

    @property
    def running(self) -> bool:
        """True if the job is running or waiting for a worker."""
        return not self.future.done()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the job has ended, but at most this number of seconds."""
        with suppress(TimeoutError, CancelledError):
            self.future.exception(seconds)

    def stop(self) -> None:
        """Stop the job immediately. Pieces that it has yielded remain available."""
        self.stopped = self.future.cancel()

    @property
    def error(self) -> Exception | None:
        """The error that ended the job, or None.

        None means that the job is running, was stopped, or succeeded. The message of an InputError is written for users.
        """
        if self.running or self.stopped:
            return None
        error = self.future.exception()
        if error is None:
            return self.future.result() if isinstance(self.future.result(), Exception) else None
        if isinstance(error, TimeoutError):
            return LostError(f"{self.what} took longer than {self._seconds:,.0f} seconds. Reduce its size.")
        if isinstance(error, MemoryError):
            return LostError(f"{self.what} needs more than {self._megabytes:,} MB of memory. Reduce its size.")
        return LostError(
            f"{self.what} stopped unexpectedly, probably because memory ran out. Start it again, or reduce its size."
        )

    @property
    def done(self) -> bool:
        """True if the job succeeded."""
        return not self.running and not self.stopped and self.error is None

    @property
    def result(self) -> Any:
        """The return value of the function, or a list of the values that it yielded.

        None unless the job succeeded.
        """
        return self.future.result() if self.done else None

    @property
    def pieces(self) -> list[Any]:
        """The values that the function has yielded so far, or its return value."""
        if not self.done:
            return list(self._yielded)
        return list(self.result) if isinstance(self.result, _Yielded) else [self.result]

    def hear(self, piece: bool, said: Any) -> None:
        """Receive what the worker has sent: a piece or progress."""
        if self.stopped:
            return
        if piece:
            self._yielded.append(said)
        else:
            self.fraction, self.text = said


class Pool:
    """A pool of worker processes, each of which runs one job at a time.

    The processes start with the first job, or with ``warm``. If the system has a fork server, workers are copies of a process that
    has imported ``preload``. Jobs then start within milliseconds. On Linux, the memory limit is enforced by the system.

    Parameters
    ----------
    workers : number of jobs that run at the same time; further jobs wait
    seconds, megabytes : limits of a job's running time, and of its memory in addition to that of its imported modules
    jobs : number of jobs after which a worker is replaced; 0 to keep workers
    nice : niceness of the workers from 0 to 19, so that other processes such as the one that draws pages go first
    preload : modules that workers import in advance
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        seconds: float = MAX_JOB_SECONDS,
        megabytes: int = MAX_JOB_MEGABYTES,
        jobs: int = 0,
        nice: int = 0,
        preload: Sequence[str] = (),
    ) -> None:
        self._workers, self._seconds, self._megabytes, self._most = workers or cores(), seconds, megabytes, jobs
        self._nice = nice
        self._preload = [__name__, *preload]
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._jobs: WeakValueDictionary[int, Job] = WeakValueDictionary()
        self._pool: Any = None

    def warm(self) -> None:
        """Start the workers."""
        self.start(os.getpid)

    def start(self, function: Callable[..., Any], *args: Any) -> Job:
        """Run ``function(*args)`` in a worker.

        The function gets ``report=`` if it has such a parameter. It may be a generator.
        """
        job = Job(self, (function, *args), self._seconds, self._megabytes)
        with self._lock:
            if self._pool is None or not self._pool.active:  # a worker that dies while it waits for a job breaks the pool
                self._open()
            number = next(self._numbers)
            self._jobs[number] = job
            job.future = self._pool.schedule(_work, (number, *job.call), timeout=self._seconds)
        return job

    def close(self) -> None:
        """End all jobs and workers."""
        with self._lock:
            if self._pool is not None:
                self._pool.stop()
                self._pool.join()
                self._pool = None

    def _open(self) -> None:
        pebble = need("pebble", "A background job")
        os.environ.update(_ONE_THREAD, PYTHONSAFEPATH="1")  # the current directory may hold a stranger's numpy.py
        if _METHOD == "forkserver":
            _CONTEXT.set_forkserver_preload(self._preload)
            forkserver.ensure_running()
        reader, writer = _CONTEXT.Pipe(duplex=False)
        limits = (writer, self._megabytes, self._nice)
        self._pool = pebble.ProcessPool(self._workers, self._most, initializer=_begin, initargs=limits, context=_Context())
        threading.Thread(target=self._listen, args=(reader,), daemon=True).start()

    def _listen(self, reader: Connection) -> None:
        """Hand on what workers say."""
        parts: defaultdict[int, bytes] = defaultdict(bytes)
        with suppress(EOFError, OSError):
            while True:
                message = reader.recv_bytes()
                number, last = _HEAD.unpack_from(message)
                parts[number] += message[_HEAD.size :]
                if last and (said := parts.pop(number)) and (job := self._jobs.get(number)):
                    job.hear(*pickle.loads(said))  # nosec B301: from its own worker


class _Process(_CONTEXT.Process):  # type: ignore[name-defined,misc]
    """A process that does not import the main module. Under Streamlit that is the script of the page that is drawn."""

    @staticmethod
    def _Popen(process: Any) -> Any:  # noqa: N802
        with _starting:
            spawn.get_preparation_data = _prepare_without_main
            try:
                return _CONTEXT.Process._Popen(process)  # type: ignore[attr-defined]
            finally:
                spawn.get_preparation_data = _prepare


class _Context(type(_CONTEXT)):  # type: ignore[misc]
    Process = _Process


def _prepare_without_main(name: str) -> dict[str, Any]:
    return {key: value for key, value in _prepare(name).items() if not key.startswith("init_main")}


def _begin(writer: Connection, megabytes: int, nice: int) -> None:
    """Make this process a worker."""
    global _writer
    _writer = writer
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a worker in the middle of a C function ends at once
    forbid_core_dumps()
    if hasattr(os, "nice"):
        os.nice(nice)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _limit_memory(megabytes)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _work(number: int, function: Callable[..., Any], *args: Any) -> Any:
    """In a worker, do one job. Returns its result, or the exception that it ended by."""
    last = 0.0

    def report(fraction: float, text: str) -> None:
        nonlocal last
        if time.monotonic() > last + _REPORT_SECONDS:
            last = time.monotonic()
            _say(number, False, (fraction, text))

    try:
        reports = {"report": report} if "report" in inspect.signature(function).parameters else {}
        found = function(*args, **reports)
        if not isinstance(found, Iterator):
            return found
        pieces = _Yielded()
        for piece in found:
            _say(number, True, piece)
            pieces.append(piece)
        return pieces
    except MemoryError:
        raise
    except Exception as error:
        return _portable(error)


def _say(number: int, piece: bool, said: Any) -> None:
    content = pickle.dumps((piece, said))
    for start in range(0, len(content), _CHUNK):
        last = start + _CHUNK >= len(content)
        _writer.send_bytes(_HEAD.pack(number, last) + content[start : start + _CHUNK])


def _portable(error: Exception) -> Exception:
    """``error`` as it can be pickled, with its traceback as a note unless a person is at fault."""
    if not isinstance(error, InputError):
        error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))  # nosec B301: made here
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _limit_memory(megabytes: int) -> None:
    """Have Linux refuse this process more than this number of units of 2^20 bytes beyond what it has now."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/status", encoding="ascii") as status:
            (used,) = [int(line.split()[1]) for line in status if line.startswith("VmData:")]
        resource.setrlimit(resource.RLIMIT_DATA, (used * 2**10 + megabytes * 2**20,) * 2)


def forbid_core_dumps() -> None:
    """Prevent core dumps of this process and its forks.

    A dump could contain answers. Linux applies the limit only if it writes the file itself. If Linux pipes the dump to a program
    such as systemd-coredump, the process must also be marked as not dumpable.
    """
    with suppress(ImportError):  # Windows has neither
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
