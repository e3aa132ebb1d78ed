"""Processes to work in: they do not run the main script again, compute in one thread each, and end with the process that started them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import connection, parent_process, spawn
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

from rrcore.work.dumps import leave_no_dump

NAME = "rrcore-worker"
"""What a process is called that needs no main script."""

_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR")}
_QUIET = {"PYTHONWARNINGS": "ignore:resource_tracker:UserWarning"}  # else an interrupt ends with a warning about semaphores
_STARTING = threading.Lock()


@contextmanager
def one_thread() -> Iterator[None]:
    """Processes that are started in this block compute in one thread each, and hear no interrupt before they ``settle``.

    The environment is this process's own again after it, and an interrupt that came meanwhile is heard then.
    """
    with _STARTING:
        own = _QUIET | os.environ | _ONE_THREAD
        former = {name: os.environ.get(name) for name in (*_QUIET, *_ONE_THREAD)}
        os.environ.update(own)
        _hear(signal.SIGINT, False)
        try:
            yield
        finally:
            _hear(signal.SIGINT, True)
            for name, value in former.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def _hear(which: signal.Signals, whether: bool) -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK if whether else signal.SIG_BLOCK, {which})


class WorkerProcess(SpawnProcess):
    """A fresh Python, whose libraries find on loading that they have one thread."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"name": NAME})

    def start(self) -> None:
        """Start it."""
        with one_thread():
            super().start()


class WorkerContext(SpawnContext):
    """A context of ``multiprocessing`` that starts such processes, and knows them.

    Attributes
    ----------
    started : list of WorkerProcess
    """

    def __init__(self) -> None:
        super().__init__()
        self.started: list[WorkerProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> WorkerProcess:  # type: ignore[override]  # noqa: N802
        """A process that is not started yet."""
        self.started.append(WorkerProcess(*args, **kwargs))
        return self.started[-1]


def settle() -> None:
    """The first thing that a worker does: an interrupt is its parent's to answer, it ends when that is gone, and a crash leaves no copy of
    its memory, which holds answers, on disk."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _hear(signal.SIGINT, True)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    leave_no_dump()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


_prepare = spawn.get_preparation_data


def _prepare_without_main(name: str) -> dict[str, Any]:
    """What a fresh Python is told. A worker needs no main script, which may be a page, a notebook or a script without a guard."""
    data = _prepare(name)
    if name == NAME:
        data.pop("init_main_from_path", None)
        data.pop("init_main_from_name", None)
    return data


spawn.get_preparation_data = _prepare_without_main
