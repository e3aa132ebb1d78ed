"""A server as ``rrcore app`` starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.ports import free_port, wait_for_dashboard

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Server:
    """Where a dashboard is served, its process, and its token."""

    port: int
    process: subprocess.Popen
    token: str


@contextmanager
def serving(
    folder: Path, *options: str, port: int = 0, prefix: str = "", quiet: bool = True, **environment: str
) -> Iterator[Server]:
    """A dashboard of its own, started in ``folder``, which has its token, below the address ``prefix``. It opens a browser unless it is
    ``quiet``."""
    port = port or free_port()
    inherited = {name: text for name, text in os.environ.items() if not name.startswith(("STREAMLIT_", "RR_WORKBENCH_"))}
    own = {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder)}
    if prefix:
        own["STREAMLIT_SERVER_BASE_URL_PATH"] = prefix
    command = [sys.executable, "-m", "rrcore", "app", "--port", str(port), *(["--no-browser"] if quiet else []), *options]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=inherited | own | environment, stdout=log, stderr=log)
        try:
            wait_for_dashboard(process, f"http://127.0.0.1:{port}{prefix}", folder / "server.log")
            token = folder / "rr-workbench" / "token"
            yield Server(port, process, token.read_text() if token.exists() else "")
        finally:
            process.terminate()
            process.wait(30)
