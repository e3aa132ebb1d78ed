"""A dashboard of its own, started as a user starts it, on a free port; with what it takes of the machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from urllib.error import URLError
from urllib.request import urlopen

import psutil

_PATIENCE = 60  # seconds for it to come up


class Server:
    """``rrcore app --demo`` in a process of its own, which ends with the block.

    >>> with Server() as server:  # doctest: +SKIP
    ...     server.address, server.megabytes(), server.seconds()
    """

    def __init__(self, environment: Mapping[str, str] | None = None, *options: str) -> None:
        with socket.socket() as free:
            free.bind(("localhost", 0))
            port = free.getsockname()[1]
        root = Path(__file__).parents[1]
        command = [sys.executable, "-m", "rrcore", "app", "--demo", "--no-browser", "--port", str(port), *options]
        self.address = f"http://localhost:{port}"
        self.process = subprocess.Popen(
            command, cwd=root, env=os.environ | {"PYTHONPATH": str(root)} | dict(environment or {}), stdout=subprocess.DEVNULL
        )
        self._known = psutil.Process(self.process.pid)
        started = time.monotonic()
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() - started > _PATIENCE:
                self.close()
                raise RuntimeError("the dashboard does not come up")
            time.sleep(0.1)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End it, and what it has started."""
        for process in [*self._processes(), self.process]:
            process.terminate()
        self.process.wait(20)

    def answers(self) -> bool:
        """Whether its health check is answered within a second."""
        try:
            with urlopen(f"{self.address}/_stcore/health", timeout=1) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            return False

    def seconds(self) -> float:
        """Processor time that it and its workers took so far."""
        total = 0.0
        for process in [self._known, *self._processes()]:
            try:
                spent = process.cpu_times()
            except psutil.NoSuchProcess:
                continue
            own = process is self._known
            total += spent.user + spent.system + (spent.children_user + spent.children_system if own else 0)
        return total

    def megabytes(self) -> float:
        """Memory that it holds, without what its workers hold."""
        return float(self._known.memory_info().rss) / 2**20

    def _processes(self) -> list[psutil.Process]:
        try:
            return list(self._known.children(recursive=True))
        except psutil.NoSuchProcess:
            return []
