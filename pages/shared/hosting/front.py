"""The front end in the browser, Streamlit's own: its files are given from memory, made small, and named to the browser before it misses them.

By itself it asks for the code of a widget when the first of its kind has come, in two rounds or more, with grey bars in its place until then.
"""

import gzip
import json
import mimetypes
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ELEMENTS = (
    "PageLink", "BidiComponent", "Html", "Button", "ButtonGroup", "Multiselect", "NumberInput", "Radio", "Slider",
    "Checkbox", "Selectbox", "TextInput", "TextArea", "DateInput", "FileUploader", "ImageList", "DownloadButton",
)  # fmt: skip
"""What most pages show at first, by the names of its source files."""

FONTS = ("MaterialSymbols-Rounded", "SourceSerifVariable-Roman")

_QUIET = """<style>
[data-testid="stSidebar"] [data-testid="stSkeleton"], .st-key-strip [data-testid="stSkeleton"] { visibility: hidden; }
</style>"""
"""What is still being loaded leaves its place free instead of flashing grey over links and buttons."""

_STATIC = Path(st.__file__).parent / "static"
_FOREVER = "public, max-age=31536000, immutable"  # another content has another name
_SMALLER = {".js", ".css"}


def compressed(content: bytes) -> bytes:
    """The same for browsers that take it with gzip."""
    return gzip.compress(content, 6, mtime=0)


def base() -> str:
    """Where the dashboard stands on its server: nothing, or a path that begins with a slash."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def once(content: bytes, kind: str, encoding: str = "") -> Response:
    """An answer that browsers keep for good."""
    encoded = {"Content-Encoding": encoding} if encoding else {}
    return Response(content, media_type=kind, headers={"Cache-Control": _FOREVER, "Vary": "Accept-Encoding"} | encoded)


@dataclass(frozen=True)
class FrontMiddleware:
    """ASGI middleware that gives Streamlit's files, and has its page name those that are wanted next."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        name = scope["path"].removeprefix(f"{base()}/")
        if name not in _files():
            await self.app(scope, receive, _Naming(send))
            return
        small = Path(name).suffix in _SMALLER and "gzip" in Headers(scope=scope).get("accept-encoding", "")
        content = await run_in_threadpool(_read, name, small) if (name, small) not in _kept else _kept[name, small]
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        await once(content, kind, "gzip" if small else "")(scope, receive, send)


class _Naming:
    """Sends an answer on; in Streamlit's page stands what to load besides."""

    def __init__(self, send: Send) -> None:
        self.send, self.body = send, b""
        self.start: Message | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and Headers(raw=message["headers"]).get("content-type", "").startswith(
            "text/html"
        ):
            self.start = message
        elif self.start is None:
            await self.send(message)
        else:
            self.body += message.get("body", b"")
            if message.get("more_body"):
                return
            headers = MutableHeaders(scope=self.start)
            small = headers.get("content-encoding") == "gzip"
            if (gzip.decompress(self.body) if small else self.body) == _page():
                self.body = compressed(page()) if small else page()
                headers["Content-Length"] = str(len(self.body))
                del headers["ETag"], headers["Last-Modified"]
            await self.send(self.start)
            await self.send({**message, "body": self.body})


@cache
def _page() -> bytes:
    return (_STATIC / "index.html").read_bytes()


@cache
def page() -> bytes:
    """Streamlit's page, with the names of files that are wanted next."""
    links = [f'<link rel="modulepreload" crossorigin fetchpriority="low" href="./{name}">' for name in _ahead(".js")]
    links += [f'<link rel="preload" as="font" crossorigin href="./{name}">' for name in _ahead(".woff2")]
    return _page().replace(b"</head>", "\n".join([*links, _QUIET, "</head>"]).encode(), 1)


@cache
def _files() -> frozenset[str]:
    """The files that have their content in their name."""
    return frozenset(str(path.relative_to(_STATIC).as_posix()) for path in (_STATIC / "static").rglob("*") if path.is_file())


@cache
def _ahead(kind: str) -> tuple[str, ...]:
    """Code and fonts that pages are drawn with, and what that code is made of, beyond what the page names by itself."""
    parts: dict[str, dict[str, Any]] = json.loads((_STATIC / "manifest.json").read_bytes())
    wanted = [
        key for key in parts if Path(key).name.split(".")[0] in (*ELEMENTS, *FONTS) and Path(key).suffix in (".tsx", ".woff2")
    ]
    for key in wanted:  # which grows meanwhile
        wanted += [other for other in parts[key].get("imports", ()) if other not in wanted]
    found = [parts[key]["file"] for key in wanted]
    return tuple(name for name in found if name.endswith(kind) and name.encode() not in _page())


_kept: dict[tuple[str, bool], bytes] = {}


def _read(name: str, small: bool) -> bytes:
    content = (_STATIC / name).read_bytes()
    return _kept.setdefault((name, small), compressed(content) if small else content)


def get_ready() -> None:
    """Make small, beside all else, what every browser will ask for."""

    def read() -> None:
        for name in sorted(_files()):
            if Path(name).suffix in _SMALLER and (name.encode() in page()):
                _read(name, True)

    threading.Thread(target=read, name="front", daemon=True).start()
