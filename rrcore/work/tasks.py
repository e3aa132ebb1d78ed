"""Independent tasks, done one after the other or by workers: any ``concurrent.futures.Executor``."""

import itertools
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rrcore.errors import InputError
from rrcore.work.progress import Report, quiet

Task = TypeVar("Task")
Result = TypeVar("Result")

TRIES_AGAIN = 3
"""How many times a task is run again after the worker that had it was lost."""

_AHEAD = 4  # tasks in flight for each worker: memory stays bounded, and one long task does not make the others wait at once
_PATIENCE = 0.1  # seconds between two looks at whether the work is still wanted
_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # what a container may use: microseconds in so many, or "max"

_GIVEN_UP = (
    "The worker of one task was lost {tries} times, most likely because the task needs more memory than there is: "
    "use fewer workers, or a machine with more memory."
)


class Workers(Executor):
    """An executor of which is known how many tasks it does at a time, and which errors say that a worker was lost.

    Parameters
    ----------
    executor : any ``concurrent.futures.Executor``

    Attributes
    ----------
    head_start : float, seconds of work that the caller does itself before it hands over the rest
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.head_start = 0.0

    @property
    def count(self) -> int:
        """Tasks at a time."""
        return getattr(self._executor, "_max_workers", None) or cores()

    def submit(self, function: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Hand one task over."""
        return self._executor.submit(function, *args, **kwargs)

    def tries_lost(self, future: Future[Any]) -> int:
        """How many tries of a task that is done were lost with their worker; 0 where there is a result, or an error of the task's own."""
        error = CancelledError() if future.cancelled() else future.exception()
        return 0 if error is None else self.tries_lost_by(error)

    def tries_lost_by(self, error: BaseException) -> int:
        """How many tries such an error says were lost."""
        return int(isinstance(error, (BrokenExecutor, CancelledError)))

    def abandon(self, futures: Collection[Future[Any]]) -> None:
        """Nobody wants these any more, waiting or at work."""
        for future in futures:
            future.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the workers."""
        self._executor.shutdown(wait, cancel_futures=cancel_futures)


def cores() -> int:
    """How many cores this process may use: fewer than there are where it is bound to some, or in a container with a quota."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = _QUOTA.read_text(encoding="ascii").split()
        return max(1, min(count, int(quota) // int(period)))
    except (OSError, ValueError):  # no container, or one without a quota
        return count


def run(
    function: Callable[..., Result],
    tasks: Sequence[Task],
    *,
    executor: Executor | None = None,
    report: Report = quiet,
    what: str = "",
    sizes: Sequence[float] = (),
    tells: bool = False,
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
    what : the tasks as a plural, for the words of a report: "3 of 20 releases"
    sizes : how much work each task is, for how far it is; equal if left out
    tells : whether ``function`` takes a ``report=`` of how far one task is, which is listened to where the task is done in this process

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
    way = _Way(list(itertools.accumulate(sizes or [1] * len(tasks), initial=0.0)), what, report)
    done = 0
    while done < len(tasks) and (workers is None or workers.head_start > 0):
        if not tells:
            way.tell(done)
        began = time.monotonic()
        result = function(tasks[done], report=way.within(done)) if tells else function(tasks[done])
        if workers is not None:
            workers.head_start -= time.monotonic() - began
        done += 1
        yield result
    if workers is not None and done < len(tasks):
        yield from _spread(function, tasks, workers, way, done)


@dataclass(frozen=True)
class _Way:
    """How far it is: ``ends`` holds how much work the tasks before each number are, and at its end all of it."""

    ends: Sequence[float]
    what: str
    report: Report

    def tell(self, first: int, more: Collection[int] = ()) -> None:
        """Report that the ``first`` tasks are done, and some that follow."""
        done = self.ends[first] + sum(self.ends[number + 1] - self.ends[number] for number in more)
        self.report(done / (self.ends[-1] or 1), f"{first + len(more):,} of {len(self.ends) - 1:,} {self.what}".rstrip())

    def within(self, number: int) -> Report:
        """The report of one task, before which all former ones are done."""
        start, end = self.ends[number : number + 2]
        return lambda fraction, text: self.report((start + min(fraction, 1.0) * (end - start)) / (self.ends[-1] or 1), text)


def _spread(
    function: Callable[[Task], Result], tasks: Sequence[Task], workers: Workers, way: _Way, read: int
) -> Iterator[Result]:
    """The results of the tasks from number ``read`` on, in their order; what is in flight ends with this generator."""
    flying: deque[Future[Result]] = deque()
    lost: Counter[int] = Counter()
    ahead = _AHEAD * workers.count

    def submit(number: int) -> Future[Result]:
        try:
            return workers.submit(function, tasks[number])
        except BrokenExecutor:
            raise InputError(_GIVEN_UP.format(tries=1)) from None

    def send_lost_again() -> None:
        for place, number in enumerate(range(read, read + len(flying))):
            while flying[place].done() and (tries := workers.tries_lost(flying[place])):
                lost[number] += tries
                if lost[number] > TRIES_AGAIN:
                    raise InputError(_GIVEN_UP.format(tries=lost[number]))
                flying[place] = submit(number)

    try:
        while read < len(tasks):
            while len(flying) < min(ahead, len(tasks) - read):
                flying.append(submit(read + len(flying)))
            send_lost_again()
            way.tell(read, [number for number, future in enumerate(flying, read) if future.done()])
            if flying[0].done():
                read += 1
                yield flying.popleft().result()
            else:
                wait([flying[0]], timeout=_PATIENCE)
    finally:
        workers.abandon(flying)
