"""A file that was made for a tab is gone with that tab.

Streamlit makes a download when its button is pressed and serves it to whoever knows its address, until two later runs of any tab have ended:
for hours where nobody else comes. Here it is taken away as soon as no tab is connected that it was made for.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime


@dataclass
class Downloads:
    """The downloads of a running server, by the session that they were made for."""

    made: dict[str, set[str]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def follow(self) -> None:
        """From now on, know who each download is made for."""
        files = runtime.get_instance().media_file_mgr
        make = files.execute_deferred

        def made(file_id: str) -> str:
            session = files._deferred_callables[file_id]["session_id"] if file_id in files._deferred_callables else ""
            address = make(file_id)
            with self._lock:
                self.made.setdefault(session, set()).add(PurePosixPath(address).stem)
            self.forget()  # its tab may have been closed meanwhile
            return address

        files.execute_deferred = made  # type: ignore[method-assign]

    def forget(self) -> None:
        """Take away what was made for tabs that are no longer connected."""
        files = runtime.get_instance().media_file_mgr
        with self._lock:
            ended = [session for session in self.made if not runtime.get_instance().is_active_session(session)]
            gone: set[str] = set().union(*(self.made.pop(session) for session in ended))
            gone.difference_update(*self.made.values())
        with files._lock:
            for file in gone & files._file_metadata.keys():
                files._delete_file(file)


@dataclass(frozen=True)
class Forgetting:
    """ASGI middleware that takes away the downloads of a tab when its connection ends."""

    app: ASGIApp
    downloads: Downloads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        finally:
            if scope["type"] == "websocket":
                self.downloads.forget()
