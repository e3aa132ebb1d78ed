"""Ports for servers that tests start."""

import secrets
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

_OWN = range(20_000, 32_000)
"""Below what systems give to connections going out: those may take any port between its choice and its use."""


def free_port() -> int:
    """A port that nobody listens on."""
    while True:
        port = secrets.choice(_OWN)
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def wait_for_dashboard(process: subprocess.Popen, address: str, log: Path | None = None) -> None:
    """Wait until the process serves the dashboard, up to two minutes on a busy machine."""
    for _ in range(1200):
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=2)
            return
        except OSError:
            assert process.poll() is None, log and log.read_text()
            time.sleep(0.1)
    pytest.fail(f"{address} does not answer")
