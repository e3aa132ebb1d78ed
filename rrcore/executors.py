"""Run independent tasks here, in local processes, or on a Dask cluster."""

import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TypeVar

from rrcore.errors import InputError, need
from rrcore.progress import Report, part, quiet

Task = TypeVar("Task")
Result = TypeVar("Result")

_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # what a container may use: microseconds in a period, or "max"
_AHEAD = 128  # most tasks that an executor has at a time, so that results do not pile up
_SECONDS = 5  # that a Dask scheduler may take to answer


def cores() -> int:
    """Return the number of cores that this process may use.

    The number can be smaller than that of the machine, for example in a container with a quota.
    """
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
    tells: bool = False,
) -> Iterator[Result]:
    """Yield ``function(task)`` for every task, in the order of the tasks.

    Parameters
    ----------
    function : a module-level function, because workers are other processes; use ``functools.partial`` for shared arguments
    tasks : picklable arguments; a random task contains its own seed, so that the result does not depend on the ``executor``
    executor : runs the tasks, see ``open_executor``; None runs them one after the other in this process
    report : called with the progress after every task
    what : plural noun for the tasks in messages such as "3 of 20 releases"
    tells : whether ``function`` takes ``report=`` for the progress within a task, which is used only in this process

    Examples
    --------
    >>> list(run(abs, [3, -4]))
    [3, 4]
    """
    whole = len(tasks)

    def here(number: int, task: Task) -> Result:
        return function(task, report=part(report, number, whole))

    if executor is not None:
        parts = (executor.map(function, tasks[start : start + _AHEAD]) for start in range(0, len(tasks), _AHEAD))
        results: Iterator[Result] = itertools.chain.from_iterable(parts)
    else:
        results = itertools.starmap(here, enumerate(tasks)) if tells else map(function, tasks)
    try:
        for done, result in enumerate(results, 1):
            report(done / whole, f"{done:,} of {len(tasks):,} {what}".rstrip())
            yield result
    except BrokenExecutor as error:
        raise InputError(
            "A worker stopped, probably because it ran out of memory. Use fewer workers, or a machine with more memory."
        ) from error


def open_executor(scheduler: str = "", workers: int | None = None) -> AbstractContextManager[Executor | None]:
    """Open the executor for functions with ``executor=``, in a ``with`` statement.

    Parameters
    ----------
    scheduler : address of a Dask scheduler, for example "tcp://host:8786"; empty for this machine
    workers : number of processes on this machine; None does all work in this process

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
        raise InputError("Both a scheduler and a number of workers were given. Leave out the number of workers.")
    if scheduler:
        return _cluster(scheduler)
    if workers is None:
        return nullcontext()
    if workers < 1:
        raise InputError(f"The number of workers is {workers}. Use at least 1.")
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(workers)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    distributed = need("distributed", "A Dask cluster")
    try:
        client = distributed.Client(address, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"No Dask scheduler answers at '{address}'. Check the address, for example tcp://host:8786, and check that "
            "'dask scheduler' is running there."
        ) from error
    with client:
        yield client.get_executor(pure=False)
