"""A server as ``rrcore app`` starts it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@dataclass(frozen=True)
class Server:
    """Where a dashboard is served, and its process."""

    port: int
    process: subprocess.Popen


@contextmanager
def serving(folder: Path, *options: str, port: int = 0, **environment: str) -> Iterator[Server]:
    """A dashboard of its own, started in ``folder``."""
    port = port or free_port()
    inherited = {name: text for name, text in os.environ.items() if not name.startswith(("STREAMLIT_", "RR_WORKBENCH_"))}
    command = [sys.executable, "-m", "rrcore", "app", "--port", str(port), "--no-browser", *options]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=inherited | {"PYTHONPATH": str(ROOT)} | environment, stdout=log, stderr=log
        )
        try:
            for _ in range(1200):  # a minute: a machine may have much else to do
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2)
                    break
                except OSError:
                    assert process.poll() is None, (folder / "server.log").read_text()
                    time.sleep(0.05)
            yield Server(port, process)
        finally:
            process.terminate()
            process.wait(30)
