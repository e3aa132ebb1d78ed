"""Executors of this house: processes on this machine, or a cluster of Dask."""

import threading
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from rrcore.errors import InputError
from rrcore.work.process import LostError, NoRoomError
from rrcore.work.progress import Report
from rrcore.work.tasks import Workers, cores
from rrcore.work.worker import Worker

Result = TypeVar("Result")

_HEAD_START = 0.5  # seconds; starting processes and loading libraries there takes about as long


class Pool(Workers):
    """Processes that start with the first tasks; one that is lost is replaced, and costs no task but its own.

    Parameters
    ----------
    workers : processes; None for one on every core that this process may use, once the caller has worked for half a second itself
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"{workers} workers were asked for: give a number of at least 1.")
        super().__init__(ThreadPoolExecutor(workers or cores()))
        self.head_start = _HEAD_START if workers is None else 0.0
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._at_work: set[Worker] = set()

    def submit(self, function: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Hand one task over."""
        return super().submit(self._do, partial(function, *args, **kwargs))

    def tries_lost_by(self, error: BaseException) -> int:
        """How many tries were lost: ``LostError`` comes after one, but where none was begun."""
        return int(isinstance(error, (LostError, CancelledError)) and not isinstance(error, NoRoomError))

    def abandon(self, futures: Collection[Future[Any]]) -> None:
        """Kill the processes, since a task at work cannot be told to stop; others are started when they are needed."""
        super().abandon(futures)
        if all(future.done() for future in futures):
            return
        with self._lock:
            unwanted = list(self._at_work)
        for worker in unwanted:
            worker.end()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, once those at work are done."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        for worker in self._idle:
            worker.close()

    def _do(self, task: Callable[[], Result]) -> Result:
        """In one of the threads: have a process do it."""
        with self._lock:
            worker = self._idle.pop() if self._idle else Worker()
            self._at_work.add(worker)
        kept = False
        try:
            ((result, error),) = worker.do(partial(_once, task))
            kept = True
        finally:
            with self._lock:
                self._at_work.remove(worker)
                if kept:
                    self._idle.append(worker)
            if not kept:
                worker.close()
        if error is not None:
            raise error
        return result


def _once(task: Callable[[], Result], report: Report) -> Iterable[tuple[Result | None, BaseException | None]]:
    try:
        yield task(), None
    except (SystemExit, KeyboardInterrupt) as error:  # meant for who waits for the result; this process goes on
        yield None, error


def open_executor(scheduler: str = "", workers: int | None = None) -> Workers:
    """Workers for everything that takes ``executor=``, to be used in a ``with`` statement, at whose end they are gone.

    Parameters
    ----------
    scheduler : address of a Dask scheduler, for example "tcp://host:8786"; empty for processes on this machine
    workers : processes on this machine. None for as many as there are cores that this process may use; they are started once
        the work has taken half a second. A cluster knows its own number.

    Raises
    ------
    InputError
        If no scheduler answers, its workers do not have this library, or ``workers`` is not a positive number.

    Examples
    --------
    >>> from rrcore.work import open_executor, run
    >>> with open_executor() as executor:
    ...     list(run(abs, [3, -4], executor=executor))
    [3, 4]
    """
    if scheduler:
        if workers is not None:
            raise InputError(
                "Both a scheduler and a number of workers are given: a cluster has its own number, so leave that out."
            )
        from rrcore.work.cluster import Cluster

        return Cluster(scheduler)
    return Pool(workers)
