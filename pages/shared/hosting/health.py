"""Whether this dashboard is well: the folders that the operator named can be written and read. A full disk is told before users meet it."""

import errno
import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.shared.hosting.door import HEALTH as ADDRESS
from pages.shared.hosting.operator import operator
from rrcore.work.web.health import Health

RESERVE = 2**20
"""Bytes that must find room in each folder."""

_REASONS = {
    errno.ENOSPC: "its disk is full",
    errno.EDQUOT: "its disk is full",
    errno.EROFS: "it is read-only",
    errno.EACCES: "it is read-only",
}


def folders() -> dict[str, Path]:
    """The operator's folders that are written to, by the settings that name them."""
    named = {name: getattr(operator(), name) for name in ("ledgers", "surveys", "releases")}
    return {name: Path(folder) for name, folder in named.items() if folder}


def fault_of(folders: Mapping[str, Path]) -> str:
    """What is wrong with the folders, each tried with a file that has no name, in one sentence without a path; empty where nothing is."""
    for name, folder in folders.items():
        try:
            content = secrets.token_bytes(RESERVE)
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                file.seek(0)
                if file.read() != content:
                    raise OSError(errno.EIO, "what was written is not what is read")
        except OSError as error:
            reason = _REASONS.get(error.errno or 0, "it is not there or broken")
            return f"Nothing can be written to the folder of the {name}: {reason}."
    return ""


HEALTH = Health(lambda: fault_of(folders()))
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
