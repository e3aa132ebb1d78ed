"""What is asked of workers, whoever they are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")

_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # what a container may use: microseconds in so many, or "max"


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

    def tries_lost(self, error: BaseException) -> int:
        """How many tries were lost with their worker by this error of a task; 0 where the error is the task's own."""
        return int(isinstance(error, (BrokenExecutor, CancelledError)))

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
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
