"""Whether this dashboard is well: the folders that the operator named can be written and read. A full disk is told before users meet it."""

from __future__ import annotations

import errno
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.shared.hosting.door import HEALTH as ADDRESS
from pages.shared.hosting.operator import operator

RESERVE = 2**20
"""Bytes that must find room in each folder."""

_FRESH = 5.0  # seconds that a finding holds
_REASONS = {
    errno.ENOSPC: "its disk is full",
    errno.EDQUOT: "its disk is full",
    errno.EROFS: "it is read-only",
    errno.EACCES: "it is read-only",
}


class Health:
    """What was found when the operator's folders were last tried.

    Parameters
    ----------
    named : gives the folders by the settings that name them
    clock : seconds, from any start
    """

    def __init__(self, named: Callable[[], Mapping[str, str]], clock: Callable[[], float] = time.monotonic) -> None:
        self._named, self._clock = named, clock
        self._trying = threading.Lock()
        self._found, self._until = "", float("-inf")

    @property
    def folders(self) -> dict[str, Path]:
        """The operator's folders that are written to."""
        return {name: Path(folder) for name, folder in self._named().items() if folder}

    def fault(self) -> str:
        """What is wrong, in one sentence without a path; empty where nothing is. It is tried anew every few seconds, by one at a time."""
        if self._clock() >= self._until and self._trying.acquire(blocking=False):
            try:
                self._found = self._try()
                self._until = self._clock() + _FRESH
            finally:
                self._trying.release()
        return self._found

    def _try(self) -> str:
        for name, folder in self.folders.items():
            try:
                write_and_read(folder)
            except OSError as error:
                reason = _REASONS.get(error.errno or 0, "it is not there or broken")
                return f"Nothing can be written to the folder of the {name}: {reason}."
        return ""


def write_and_read(folder: Path) -> None:
    """Write ``RESERVE`` bytes to a file in ``folder`` without a name, and read them. Raises OSError where that fails."""
    content = secrets.token_bytes(RESERVE)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        if file.read() != content:
            raise OSError(errno.EIO, "what was written is not what is read")


HEALTH = Health(lambda: {name: getattr(operator(), name) for name in ("ledgers", "surveys")})
"""The health of this server."""


@dataclass(frozen=True)
class Checkup:
    """ASGI middleware that answers who asks for the health while something is wrong; else Streamlit does."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == ADDRESS:
            fault = await run_in_threadpool(HEALTH.fault)
            if fault:
                await JSONResponse({"status": "failing", "reason": fault}, 503)(scope, receive, send)
                return
        await self.app(scope, receive, send)
