"""Files that are made for a session, and who may have them: its own visitor, for as long as its tab is connected.

Streamlit 1.67 computes the address of a file from its content, above 1 MiB from its length and three samples, and gives the file to whoever
asks for the address. Here every session has addresses of its own, random ones, whatever the content, and to everybody else there is
nothing at any of them. Streamlit still says when a file is no longer on its page; what was made when a button was pressed stays until the
session ends, as far as there is room.
"""

import asyncio
import secrets
import threading
from collections import Counter
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.routing import Router
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime
from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryFile, get_extension_for_mimetype
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.starlette.starlette_routes import create_media_routes

from pages.shared.hosting.visitors import asks

_EVERY = 5.0  # seconds between two looks for sessions that have ended

_pressed_in: ContextVar[str] = ContextVar("_pressed_in", default="")
"""The session for which a file is being made because its button was pressed."""


@dataclass(frozen=True)
class SessionFile:
    """A file of one session.

    Parameters
    ----------
    session : the only one that it is for; empty where it was made for none, and nobody is given it
    pressed : whether it was made because its button was pressed, so that it stays until the session ends
    file : its content, type and name
    """

    session: str
    pressed: bool
    file: MemoryFile


@dataclass
class Files:
    """Where Streamlit keeps files that pages show or offer (its MediaFileStorage).

    Parameters
    ----------
    most : bytes that all files made at a press take together; beyond, the session that has most loses its oldest, but never the newest file
    """

    most: int
    _kept: dict[str, SessionFile] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def load_and_get_id(self, path_or_data: str | bytes, mimetype: str, kind: MediaFileKind, filename: str | None = None) -> str:
        """Keep a file; its identifier, the former one where the session has exactly that file already."""
        content = Path(path_or_data).read_bytes() if isinstance(path_or_data, str) else path_or_data
        context, pressed = get_script_run_ctx(suppress_warning=True), _pressed_in.get()
        made = SessionFile(
            pressed or (context.session_id if context else ""), bool(pressed), MemoryFile(content, mimetype, kind, filename)
        )
        with self._lock:
            for name, each in self._kept.items():
                if each == made:  # every byte of it
                    return name
            name = secrets.token_urlsafe(32)
            self._kept[name] = made
            self._make_room(name)
        return name

    def _make_room(self, newest: str) -> None:
        pressed = {name: each for name, each in self._kept.items() if each.pressed}
        taken: Counter[str] = Counter()
        for each in pressed.values():
            taken[each.session] += len(each.file.content)
        while taken.total() > self.most:
            most = taken.most_common(1)[0][0]
            oldest = next((name for name, each in pressed.items() if each.session == most and name != newest), None)
            if oldest is None:
                return
            taken[most] -= len(pressed.pop(oldest).file.content)
            del self._kept[oldest]

    def get_url(self, file_id: str) -> str:
        """The address of a file, as pages are told it."""
        kept = self._kept.get(file_id)
        if kept is None:
            raise MediaFileStorageError("There is no such file.")
        return f"/media/{file_id}{get_extension_for_mimetype(kept.file.mimetype)}"

    def get_file(self, filename: str) -> MemoryFile:
        """The file at an address. Raises MediaFileStorageError, always in the same words, where it is not for who asks."""
        kept = self._kept.get(filename.partition(".")[0])
        if not asks(kept.session if kept else "") or kept is None:
            raise MediaFileStorageError("There is no such file.")
        return kept.file

    def delete_file(self, file_id: str) -> None:
        """Forget a file that is no longer on its page; one that was made at a press stays."""
        with self._lock:
            if (kept := self._kept.get(file_id)) and not kept.pressed:
                del self._kept[file_id]

    def forget(self) -> None:
        """Forget the files of sessions that have ended: of those that Streamlit does not keep for a tab that comes back."""
        sessions = runtime.get_instance()._session_mgr
        with self._lock:
            ended = {each.session for each in self._kept.values() if sessions.get_session_info(each.session) is None}
            for name in [name for name, each in self._kept.items() if each.session in ended]:
                del self._kept[name]

    def follow(self) -> None:
        """From now on, have Streamlit keep its files here, and know for whom each one is made."""
        manager = runtime.get_instance().media_file_mgr
        manager._storage = self
        make = manager.execute_deferred

        def made(file_id: str) -> str:
            session = manager._deferred_callables[file_id]["session_id"] if file_id in manager._deferred_callables else ""
            if not asks(session):
                raise MediaFileStorageError("There is no such file.")
            pressed = _pressed_in.set(session)
            try:
                return make(file_id)
            finally:
                _pressed_in.reset(pressed)

        manager.execute_deferred = made  # type: ignore[method-assign]

    async def keep_forgetting(self) -> None:
        """Forget, every few seconds, for as long as the server runs."""
        while True:
            await asyncio.sleep(_EVERY)
            self.forget()


class Delivery:
    """ASGI middleware that gives files to those whom they are for. What Streamlit itself would give is empty."""

    def __init__(self, app: ASGIApp, files: Files) -> None:
        self._app = app
        routes = create_media_routes(files, st.get_option("server.baseUrlPath"))  # type: ignore[arg-type]
        self._delivering = ExceptionMiddleware(Router(routes, default=app, redirect_slashes=False))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._delivering if scope["type"] == "http" else self._app)(scope, receive, send)
