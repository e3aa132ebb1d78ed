"""A server as ``rrcore app`` starts it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.ports import free_port

ROOT = Path(__file__).parents[2]
SAMPLE = Path(__file__).parent / "sample" / "dashboard.py"


@dataclass(frozen=True)
class Server:
    """Where a dashboard is served, and its process."""

    port: int
    process: subprocess.Popen


@contextmanager
def serving(
    folder: Path, *options: str, port: int = 0, prefix: str = "", sample: bool = False, **environment: str
) -> Iterator[Server]:
    """A dashboard of its own, started in ``folder``, below the address ``prefix``; the small one of ``sample`` where that is asked for."""
    port = port or free_port()
    inherited = {name: text for name, text in os.environ.items() if not name.startswith(("STREAMLIT_", "RR_WORKBENCH_"))}
    if sample:
        run = ["-m", "streamlit", "run", str(SAMPLE), "--server.port", str(port), "--server.headless", "true"]
    else:
        run = ["-m", "rrcore", "app", "--port", str(port), "--no-browser"]
    command = [sys.executable, *run, *options]
    if prefix:
        environment = {"STREAMLIT_SERVER_BASE_URL_PATH": prefix} | environment
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT if sample else folder,
            env=inherited | {"PYTHONPATH": str(ROOT)} | environment,
            stdout=log,
            stderr=log,
        )
        try:
            for _ in range(1200):  # a minute: a machine may have much else to do
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}{prefix}/_stcore/health", timeout=2)
                    break
                except OSError:
                    assert process.poll() is None, (folder / "server.log").read_text()
                    time.sleep(0.05)
            yield Server(port, process)
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture(scope="session")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """nginx and two dashboards behind it, for all files that speak to it."""
    from tests.serving.nginx import proxied  # which imports this file

    with proxied(tmp_path_factory.mktemp("nginx")) as started:
        yield started
