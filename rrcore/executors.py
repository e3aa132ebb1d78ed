"""Independent tasks, done one after the other or by an executor: local processes, or a Dask cluster."""

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TypeVar

from rrcore.errors import InputError, need
from rrcore.progress import Report, quiet

Task = TypeVar("Task")
Result = TypeVar("Result")

_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # what a container may use: microseconds in so many, or "max"
_AHEAD = 128  # most tasks that an executor has at a time, so that results do not pile up
_SECONDS = 5  # that a Dask scheduler may take to answer


def cores() -> int:
    """How many cores this process may use: fewer than there are if it is bound to some, or in a container with a quota."""
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
    """Yield ``function(task)`` for every task, in the order of the tasks.

    Parameters
    ----------
    function : a function of a module, since workers are other processes; ``functools.partial`` gives it what all tasks share
    tasks : what can be pickled; what is random in a task has a seed of its own, so that the result is the same for any ``executor``
    executor : does the tasks, see ``open_executor``; None does one after the other in this process
    report : called after every task with how far it is
    what : the tasks as a plural, for the words of a report: "3 of 20 releases"
    sizes : how much work each task is, for how far it is; equal if left out
    tells : whether ``function`` takes a ``report=`` of how far one task is, which is used if the task is done in this process

    Examples
    --------
    >>> list(run(abs, [3, -4]))
    [3, 4]
    """
    ends = list(itertools.accumulate(sizes or [1] * len(tasks), initial=0.0))
    whole = ends[-1] or 1.0

    def here(number: int, task: Task) -> Result:
        start, size = ends[number], ends[number + 1] - ends[number]
        return function(task, report=lambda fraction, text: report((start + min(fraction, 1.0) * size) / whole, text))

    if executor is not None:
        parts = (executor.map(function, tasks[start : start + _AHEAD]) for start in range(0, len(tasks), _AHEAD))
        results: Iterator[Result] = itertools.chain.from_iterable(parts)
    else:
        results = itertools.starmap(here, enumerate(tasks)) if tells else map(function, tasks)
    try:
        for done, result in enumerate(results, 1):
            report(ends[done] / whole, f"{done:,} of {len(tasks):,} {what}".rstrip())
            yield result
    except BrokenExecutor as error:
        raise InputError(
            "A worker was lost, probably because a task needs more memory than there is: use fewer workers, or a machine with more memory."
        ) from error


def open_executor(scheduler: str = "", workers: int | None = None) -> AbstractContextManager[Executor | None]:
    """Open what everything with ``executor=`` takes, to be used in a ``with`` statement.

    Parameters
    ----------
    scheduler : address of a Dask scheduler, for example "tcp://host:8786"; empty for this machine
    workers : processes on this machine; None does all work in this process

    Raises
    ------
    InputError
        If no scheduler answers, or ``workers`` is not a positive number.

    Examples
    --------
    >>> from rrcore.executors import open_executor, run
    >>> with open_executor() as executor:
    ...     list(run(abs, [3, -4], executor=executor))
    [3, 4]
    """
    if scheduler and workers is not None:
        raise InputError("Both a scheduler and a number of workers are given. Leave out the number of workers.")
    if scheduler:
        return _cluster(scheduler)
    if workers is None:
        return nullcontext()
    if workers < 1:
        raise InputError(f"{workers} workers were asked for. Give a number of at least 1.")
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(workers)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    distributed = need("distributed", "A Dask cluster")
    try:
        client = distributed.Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"No Dask scheduler answers at '{address}'. Check the address, for example tcp://host:8786, and that 'dask scheduler' runs there."
        ) from error
    with client:
        yield client.get_executor(pure=False)
