"""Processes on this machine, replaced when one of them is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from rrcore.errors import InputError
from rrcore.work.process import WorkerContext, one_thread, settle
from rrcore.work.workers import Workers, cores

Result = TypeVar("Result")

_HEAD_START = 0.5  # seconds; starting processes and loading libraries there takes about as long


class Pool(Workers):
    """A process pool that starts with its first task, and starts anew after a process was killed.

    Parameters
    ----------
    workers : processes; None for one on every core that this process may use, once the caller has worked for half a second itself
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"{workers} workers were asked for: give a number of at least 1.")
        self._count = workers or cores()
        self._lock = threading.Lock()
        self._fresh()
        self.head_start = _HEAD_START if workers is None else 0.0

    def _fresh(self) -> None:
        self._context = WorkerContext()
        with one_thread():
            self._executor: ProcessPoolExecutor = ProcessPoolExecutor(self._count, mp_context=self._context, initializer=settle)

    def submit(self, function: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Hand one task over, to new processes if one of the former was lost."""
        with self._lock:
            try:
                return super().submit(function, *args, **kwargs)
            except BrokenProcessPool:
                self._fresh()
                return super().submit(function, *args, **kwargs)

    def abandon(self, futures: Iterable[Future[Any]]) -> None:
        """Kill the processes, since a task at work cannot be told to stop; others are started when they are needed."""
        if all(future.done() for future in futures):
            return
        with self._lock:
            former, context = self._executor, self._context
            self._fresh()
            for process in context.started:
                if process.is_alive():
                    process.kill()
            former.shutdown(wait=False)
