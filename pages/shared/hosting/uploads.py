"""Room for what is uploaded: so much memory for one tab and for all, and no upload that comes to a halt.

Streamlit holds what was uploaded until its tab is closed, however many files a program sends for one tab. Bytes that have arrived count
here, whether their file is complete or not; what a sender only announces takes no room from others.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

SESSION = re.compile(r"/_stcore/upload_file/([^/]*)")
"""The identifier of the session in the address of an upload, also below another address (server.baseUrlPath)."""

_FULL = {
    True: "This tab has uploaded as much as it may: load its page anew, or open another one.",
    False: "There is no room for more uploads at the moment: try again when others have closed their tabs.",
}


class _FullError(Exception):
    """There is no room; its first argument is whether that is so for this tab alone."""


def held() -> Counter[str]:
    """Bytes that are held of each session."""
    files = runtime.get_instance().uploaded_file_mgr
    if not isinstance(files, MemoryUploadedFileManager):
        return Counter()
    with files._lock:
        return Counter({session: sum(len(file.data) for file in own.values()) for session, own in files.file_storage.items()})


@dataclass(frozen=True)
class Uploads:
    """ASGI middleware that refuses uploads beyond what there is room for.

    Parameters
    ----------
    app : what takes the uploads
    each, all : int, most bytes of one session, and of all
    """

    app: ASGIApp
    each: int
    all: int
    coming: Counter[str] = field(default_factory=Counter)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        upload = SESSION.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if upload is None:
            await self.app(scope, receive, send)
            return
        session, arrived = upload[1], 0
        announced = Headers(scope=scope).get("content-length", "")

        async def take() -> Message:
            nonlocal arrived
            message = await receive()
            more = len(message.get("body", b""))
            self._check(session, more)
            arrived += more
            self.coming[session] += more
            return message

        try:
            self._check(session, int(announced) if announced.isascii() and announced.isdecimal() else 0)
            await self.app(scope, take, send)
        except _FullError as full:
            await PlainTextResponse(f"{_FULL[full.args[0]]}\n", 413, {"Connection": "close"})(scope, receive, send)
        except ClientDisconnect:  # the tab was closed meanwhile, or the upload stood still
            pass
        finally:
            self.coming[session] -= arrived
            if not self.coming[session]:
                del self.coming[session]

    def _check(self, session: str, more: int) -> None:
        there = held() + self.coming
        if there[session] + more > self.each:
            raise _FullError(True)
        if there.total() + more > self.all:
            raise _FullError(False)
