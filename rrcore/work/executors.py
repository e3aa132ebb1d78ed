"""Independent tasks, done by any ``concurrent.futures.Executor``: none, processes on this machine, or a cluster of Dask."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rrcore.errors import InputError
from rrcore.work.progress import Report, quiet
from rrcore.work.workers import Workers

Task = TypeVar("Task")
Result = TypeVar("Result")

TRIES_AGAIN = 3
"""How many times a task is run again after the worker that had it was lost."""

_AHEAD = 4  # tasks in flight for each worker: memory stays bounded, and one long task does not make the others wait at once
_PATIENCE = 0.1  # seconds between two looks at whether the work is still wanted

_GIVEN_UP = (
    "The worker of one task was lost {tries} times, most likely because the task needs more memory than there is: "
    "use fewer workers, or a machine with more memory."
)


def run(
    function: Callable[[Task], Result], tasks: Sequence[Task], *, executor: Executor | None = None, report: Report = quiet
) -> Iterator[Result]:
    """The results of ``function`` for every task, in the order of the tasks, however many workers there are.

    A few tasks for each worker are in flight at a time, so that a long list takes no more memory than a short one. A task whose
    worker was lost (killed, or its connection broken) is run again, at most ``TRIES_AGAIN`` times. A ``report`` that raises, an
    error of a task and a caller that stops reading end what is in flight.

    Parameters
    ----------
    function : of a module, not a closure, since workers are other processes; ``functools.partial`` gives it what all tasks share
    tasks : what can be pickled; what is random in a task has a seed of its own, so that the result is the same for any ``executor``
    executor : see ``open_executor``; None does one task after the other in this process
    report : called between results, and while waiting for one, with how far it is; may raise to stop

    Raises
    ------
    InputError
        If a task lost its worker once more than it is tried again.
    Exception
        Whatever ``function`` raises, in place of its result.

    Examples
    --------
    >>> list(run(abs, [3, -4]))
    [3, 4]
    """
    workers = executor if executor is None or isinstance(executor, Workers) else Workers(executor)
    done = 0
    while done < len(tasks) and (workers is None or workers.head_start > 0):
        _tell(report, done, len(tasks))
        began = time.monotonic()
        result = function(tasks[done])
        if workers is not None:
            workers.head_start -= time.monotonic() - began
        done += 1
        yield result
    if workers is not None and done < len(tasks):
        yield from _Spread(function, tasks, workers, report, done).results()


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
    from rrcore.work.pool import Pool

    return Pool(workers)


def _tell(report: Report, done: int, total: int) -> None:
    report(done / total, f"{done:,} of {total:,}")


@dataclass
class _Flight(Generic[Task]):
    """A task on its way."""

    task: Task
    future: Future[Any]
    lost: int = 0


@dataclass
class _Spread(Generic[Task, Result]):
    """Tasks from number ``read`` on, spread over workers."""

    function: Callable[[Task], Result]
    tasks: Sequence[Task]
    workers: Workers
    report: Report
    read: int

    def results(self) -> Iterator[Result]:
        """One result after the other; what is in flight ends with this generator."""
        flying: deque[_Flight[Task]] = deque()
        ahead = _AHEAD * self.workers.count
        sent = self.read
        try:
            while self.read < len(self.tasks):
                while sent < len(self.tasks) and len(flying) < ahead:
                    flying.append(_Flight(self.tasks[sent], self._submit(self.tasks[sent])))
                    sent += 1
                self._await(flying)
                self.read += 1
                yield flying.popleft().future.result()
        finally:
            waiting = [flight.future for flight in flying if not flight.future.cancel()]
            if not all(future.done() for future in waiting):
                self.workers.abandon()

    def _await(self, flying: deque[_Flight[Task]]) -> None:
        """Until the first of them has a result or an error of its own; those whose worker was lost are sent again."""
        while True:
            for flight in flying:
                while flight.future.done() and (lost := self._lost(flight.future)):
                    flight.lost += lost
                    if flight.lost > TRIES_AGAIN:
                        raise InputError(_GIVEN_UP.format(tries=flight.lost))
                    flight.future = self._submit(flight.task)
            _tell(self.report, self.read + sum(flight.future.done() for flight in flying), len(self.tasks))
            if flying[0].future.done():
                return
            wait([flying[0].future], timeout=_PATIENCE)

    def _submit(self, task: Task) -> Future[Any]:
        try:
            return self.workers.submit(self.function, task)
        except BrokenExecutor:
            raise InputError(_GIVEN_UP.format(tries=1)) from None

    def _lost(self, future: Future[Any]) -> int:
        """Tries lost with the worker of a future that is done."""
        error = CancelledError() if future.cancelled() else future.exception()
        return 0 if error is None else self.workers.tries_lost(error)
