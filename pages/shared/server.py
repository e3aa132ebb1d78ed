"""How the dashboard is served: one middleware that checks every request, two routes, and what happens at the start.

The middleware checks the host because a page elsewhere can have its own name point to this computer (DNS rebinding). It checks the origin
because any page may open a websocket. In local mode it also checks a token, so that no other user of this computer gets in.
"""

import base64
import errno
import gzip
import hashlib
import html
import ipaddress
import os
import re
import secrets
import socket
import stat
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode

import plotly
import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Streamlit would look for an opened link among the files of pages/ until the first page has run, and find none. The name of that directory
# decides this, and nothing public does.
from streamlit.runtime.pages_manager import PagesManager

from pages.shared.mode import SWITCHED_OFF, demo
from rrcore.cli.dashboard import CONTAINER_VARIABLE, HOSTS_VARIABLE
from rrcore.errors import InputError
from rrcore.jobs import forbid_core_dumps
from rrcore.learn import lesson
from rrcore.limits import MAX_FILE_BYTES

PagesManager.uses_pages_directory = False

HERE = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names that every computer has for itself."""

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""Headers of every response."""

_UPLOADS = "/_stcore/upload_file/"
_OPEN = ("/_stcore/stream", "/_stcore/host-config")  # what pages use of Streamlit's own addresses: metrics and agents stay shut
_OPEN_BELOW = (_UPLOADS, "/_stcore/bidi-components/")
_PORTS = {"http": "80", "https": "443"}
_PLAIN = {"http": "http", "ws": "http", "https": "https", "wss": "https"}
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]*[a-z0-9_-])\.?(:(?P<port>[0-9]{1,5}))?")
_NAME = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_ORIGIN = re.compile(rf"(?P<scheme>https?)://{_HOST.pattern}")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")  # 256 bits
_FOREVER = "public, max-age=31536000, immutable"
_FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

_HOW_TO_GET_IN = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>RR Workbench: link needed</title>
<style>body{font:1.1rem/1.6 sans-serif;max-width:36rem;margin:16vh auto;padding:0 1.5rem}h1{font:600 1.8rem/1.3 serif}</style>
<h1>Open RR Workbench with its link</h1>
<p>Only the person who started RR Workbench can open it. Look at the terminal where you started it, copy the link and open it here.</p>
<p>The link looks like <code>http://localhost:8501/?token=...</code></p>
<p>You closed the terminal? Start RR Workbench again. The link stays the same.</p></html>"""


def allowed_names(address: str, hosts: Iterable[str]) -> frozenset[str]:
    """The names that requests may call a server by that listens at ``address``: its own, and ``hosts``.

    Raises
    ------
    InputError
        If a local server would listen to other computers, if a demo does so under no name, or if one of ``hosts`` is no host name.
    """
    named = {host.strip().lower().rstrip(".") for host in hosts if host.strip()}
    for name in named:
        if not _NAME.fullmatch(name):
            raise InputError(
                f"The allowed host '{name[:80]}' is not a host name. Write it like rr.example.org, without https:// or a port."
            )
    here = address.strip("[]").lower()
    if here in HERE or _is_loopback(here):
        return HERE | named | {here}
    if not demo() and not os.environ.get(CONTAINER_VARIABLE):
        raise InputError(
            f"RR Workbench holds private data, so it listens only on this computer, not on '{address}'. Use --demo for a "
            "public instance without uploads. To serve several people, see docs/about/hosting.md."
        )
    if here not in ("", "0.0.0.0", "::", "*"):  # nosec B104: looked for, not listened on
        return HERE | named | {here}
    if not named and demo():
        raise InputError(
            "Other computers can reach this demo. Give the host name that they use, for example --allowed-host rr.example.org."
        )
    return HERE | named


def is_here(name: str) -> bool:
    """Whether only this computer has that name for this computer."""
    return name in HERE or _is_loopback(name)


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _private() -> Path:
    """The directory of what only the owner reads."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return Path(state).absolute() / "rr-workbench"


def read_token() -> str:
    """The token of local mode, from a file that only its owner reads. It is made once, so that open tabs get in after a restart.

    Raises
    ------
    InputError
        If the file cannot be made or read, if somebody else owns it or can read it, or if it holds something else.
    """
    place = _private() / "token"
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            made = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            pass
        else:
            with os.fdopen(made, "w", encoding="ascii") as file:
                file.write(secrets.token_urlsafe(32))
        with os.fdopen(os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), encoding="ascii") as file:
            found, token = os.fstat(file.fileno()), file.read(100)
    except (OSError, UnicodeError) as error:
        raise InputError(f"RR Workbench cannot store its token in '{place}' ({error}). Check that file.") from error
    private = os.name == "nt" or (found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077)
    if not private or not _TOKEN.fullmatch(token):
        why = "does not contain a token" if private else "belongs to another user or can be read by others"
        raise InputError(f"The file '{place}' {why}. Delete it and start RR Workbench again to create a new one.")
    return token


def base() -> str:
    """The path of the dashboard on its server: nothing, or a path that begins with a slash."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


@dataclass(frozen=True)
class Guard:
    """ASGI middleware that lets in whom it knows and gives every response its headers.

    Parameters
    ----------
    app : what it guards
    names : names, in lower case, that requests may call this server by
    token : the token of local mode; empty in a demo
    """

    app: ASGIApp
    names: frozenset[str]
    token: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        answer = self._answer(HTTPConnection(scope))
        if scope["type"] == "http":
            await (answer or _page(scope) or self.app)(scope, receive, _with_headers(scope, send))
        elif answer is None:
            await self.app(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": ""})

    def _answer(self, asked: HTTPConnection) -> Response | None:
        """What is answered instead of what was asked for; None for a request that is let in."""
        path = asked.scope["path"]
        if path == f"{base()}/_stcore/health":  # asked by number, of a container or by a proxy; it says only that the server runs
            return None
        inner = path[path.find("/_stcore") :] if "/_stcore" in path else ""
        if (refused := _host_or_origin(asked, self.names)) is not None:
            return refused
        if inner and inner not in _OPEN and not inner.startswith(_OPEN_BELOW):
            return PlainTextResponse("There is nothing here.\n", 404)
        if redirected := _moved(asked):
            return redirected
        if not self.token:
            return PlainTextResponse(f"{SWITCHED_OFF}\n", 403) if _UPLOADS in path else None
        return self._check_token(asked)

    def _check_token(self, asked: HTTPConnection) -> Response | None:
        """None with the right cookie. A link with the right token gets the cookie and leads to the same address without the token."""
        scope = asked.scope
        cookie = f"rr_workbench_{(scope.get('server') or ('', 0))[1]}"  # browsers keep one jar for all ports of a host
        given = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        token = given.pop("token", "")
        if scope["type"] == "http" and scope["method"] == "GET" and _same(token, self.token):
            rest = f"?{urlencode(given)}" if given else ""
            answer = RedirectResponse(f"/{quote(scope['path'].lstrip('/'))}{rest}", 303)
            secure = scope["scheme"] == "https"
            answer.set_cookie(cookie, self.token, httponly=True, samesite="lax", secure=secure)
            return answer
        if _same(asked.cookies.get(cookie, ""), self.token):
            return None
        if "text/html" in asked.headers.get("accept", ""):
            return HTMLResponse(_HOW_TO_GET_IN, 403)
        return PlainTextResponse("Open RR Workbench with the link that its terminal shows.\n", 403)


_STREAMLIT = Path(st.__file__).parent / "static" / "index.html"

_MOVED = {
    "plans": {"budget": "Saved plans"},
    "perturb": {"simulate": "Estimates"},
    "dependence": {"simulate": "Associations"},
    "ledger": {"release": "History"},
    "collect": {"survey": "Ask people"},
    "field": {"survey": "Running survey"},
    "read": {"analyze": "Proportions"},
    "models": {"analyze": "Regression"},
    "audit": {"analyze": "Check a mechanism"},
    "compare": {"lab": "Compare methods"},
    "synthesize": {"lab": "Synthesize"},
    "keyvalue": {"lab": "Key-value"},
    "papers": {"lab": "Papers"},
}
"""Former address of a page -> its page and tab."""


def _moved(asked: HTTPConnection) -> Response | None:
    """The redirect from a former address, with its parameters; None for others."""
    page = asked.scope["path"].removeprefix(base()).strip("/")
    if page not in _MOVED:
        return None
    ((new, tab),) = _MOVED[page].items()
    given = parse_qsl(asked.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return RedirectResponse(f"{base()}/{new}?{urlencode([*given, (f'{new}_tab', tab)])}", 303)


def _page(scope: Scope) -> Response | None:
    """Streamlit's HTML page with the styles that keep what is drawn first in its place; None for other requests."""
    page = scope["path"].removeprefix(base()).strip("/")
    html = "text/html" in Headers(scope=scope).get("accept", "") and page != LESSON.path
    return HTMLResponse(_index()) if html and re.fullmatch("[a-z]*", page) else None


@cache
def _index() -> str:
    style = (Path(__file__).parents[2] / "assets" / "first.css").read_text(encoding="utf-8")
    return _STREAMLIT.read_text(encoding="utf-8").replace("</head>", f"<style>{style}</style></head>", 1)


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode(), token.encode())


def _host_or_origin(asked: HTTPConnection, names: frozenset[str]) -> Response | None:
    """The refusal of a request that calls this server by another name, or comes from a page of another site; None for others."""
    headers = asked.headers
    given = headers.getlist("host")
    called = _HOST.fullmatch(given[0].lower()) if len(given) == 1 else None
    if called is None or called["name"].strip("[]") not in names:
        return PlainTextResponse("This server does not go by that name. Its operator can add names with --allowed-host.\n", 421)
    scheme = _PLAIN[asked.scope["scheme"]]
    own = scheme, called["name"], called["port"] or _PORTS[scheme]
    foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and headers.get("sec-fetch-mode") != "navigate"
    for origin in headers.getlist("origin"):
        site = _ORIGIN.fullmatch(origin.lower())
        foreign |= site is None or (site["scheme"], site["name"], site["port"] or _PORTS[site["scheme"]]) != own
    return PlainTextResponse("Pages of other sites may not use this server.\n", 403) if foreign else None


def _with_headers(scope: Scope, send: Send) -> Send:
    """``send`` that adds the headers to a response, and removes those that let other sites read it."""
    path, host = scope["path"], Headers(scope=scope).get("host", "")
    static = "/static/" in path

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            for name in [name for name in headers if name.startswith("access-control-")]:
                del headers[name]
            media = "/media/" in path and not static
            headers["Content-Security-Policy"] = _FILE_POLICY if media else policy(host, scope["scheme"] == "https")
            if path == LESSON.address() and message["status"] == 200:  # its page brings the rest of its policy
                headers.update({"X-Frame-Options": "SAMEORIGIN", "Content-Security-Policy": "frame-ancestors 'self'"})
            if not static:
                headers["Cache-Control"] = "no-store"
        await send(message)

    return sent


def policy(host: str, secure: bool) -> str:
    """The Content-Security-Policy of pages at ``host``: nothing comes from another server.

    Streamlit needs styles in the page, the script inside its index.html (allowed by its fingerprint), components as ``blob:``, WebAssembly,
    and fonts and pictures as ``data:``.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' 'wasm-unsafe-eval' blob: {' '.join(_inline_scripts())}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            f"connect-src 'self' {'wss' if secure else 'ws'}://{host}",  # not every browser takes 'self' for websockets too
            "base-uri 'none'",
            "form-action 'self'",
            "frame-src 'self'",  # the chapters of Learn
            "frame-ancestors 'none'",
        )
    )


@cache
def _inline_scripts() -> tuple[str, ...]:
    page = _STREAMLIT.read_text(encoding="utf-8")
    found = (hashlib.sha256(script.encode()).digest() for script in re.findall(r"<script>(.*?)</script>", page, re.DOTALL))
    return tuple(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in found)


@dataclass(frozen=True)
class Given:
    """A file of this program at an address of its own, compressed once.

    Parameters
    ----------
    path : where it is, below the address of the server
    kind : its media type
    make : gives its content
    """

    path: str
    kind: str
    make: Callable[[], bytes]

    def address(self) -> str:
        """Where browsers find it."""
        return f"{base()}/{self.path}"

    def route(self) -> Route:
        """What answers at that address."""
        return Route(self.address(), self._give)

    def _give(self, request: Request) -> Response:
        small = "gzip" in request.headers.get("accept-encoding", "")
        encoding = {"Content-Encoding": "gzip"} if small else {}
        headers = {"Cache-Control": _FOREVER, "Vary": "Accept-Encoding"} | encoding
        return Response(_content(self, small), media_type=self.kind, headers=headers)


@cache
def _content(given: Given, small: bool) -> bytes:
    return gzip.compress(_content(given, False), 6) if small else given.make()


LESSON = Given("lesson", "text/html", lambda: lesson(dashboard=f"{base()}/").encode("utf-8"))
"""The chapters that page Learn shows in a frame."""

SCRIPT = Given(
    f"figures/static/plotly-{plotly.__version__}.js",
    "text/javascript",
    (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes,
)
"""The script that Python's plotly brings, which draws the figures."""


def _hosts() -> list[str]:
    return [host for host in os.environ.get(HOSTS_VARIABLE, "").split(",") if host]


def middleware() -> list[Middleware]:
    """What every request passes first. Raises InputError if the server would be open to people it is not for."""
    names = allowed_names(st.get_option("server.address") or "", _hosts())
    return [Middleware(Guard, names=names, token="" if demo() else read_token())]


@asynccontextmanager
async def running(app: st.App, *, workers: Callable[[], AbstractContextManager[None]]) -> AsyncIterator[None]:
    """While the server runs, with its ``workers`` for calculations."""
    forbid_core_dumps()
    keep_uploads_in_memory()
    name, kept = local_name(st.get_option("server.address") or "", port := st.get_option("server.port"))
    place = f"{name}:{port}{base()}/"
    query = "" if demo() else f"?token={read_token()}"
    print("RR Workbench runs. Open this link:", *(f"  {each}{query}" for each in _links(place)), sep="\n", flush=True)
    if query:
        print("Keep the link private. Everyone who has it can use this RR Workbench.", flush=True)
    if not st.get_option("server.headless"):
        link = _page_that_opens(f"http://{place}{query}") if query else f"http://{place}"
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    with workers(), kept or nullcontext():
        yield


def local_name(address: str, port: int) -> tuple[str, socket.socket | None]:
    """The name of this computer in the link, and a socket that keeps the port of ::1 from others.

    Browsers ask ::1 for localhost before 127.0.0.1. A program of another user that listens there would get the token.
    """
    own = address.strip("[]")
    if _is_loopback(own):
        return f"[{own}]" if ":" in own else own, None
    with suppress(OSError):  # without IPv6 there is no other address
        kept = socket.socket(socket.AF_INET6)
        try:
            kept.bind(("::1", port))  # nobody listens, so browsers go on to 127.0.0.1
            return "localhost", kept
        except OSError as error:
            kept.close()
            if error.errno == errno.EADDRINUSE:
                return "127.0.0.1", None
    return "localhost", None


def _page_that_opens(link: str) -> str:
    """The address of a page, which only its owner reads, that leads to ``link``.

    Every user of this computer can see with which words a browser is started, so the token is not among them.
    """
    page = _private() / f"open-{st.get_option('server.port')}.html"
    page.unlink(missing_ok=True)
    with os.fdopen(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={html.escape(link)}">\n')
    return page.as_uri()


def _links(place: str) -> list[str]:
    return [f"http://{place}", *(f"https://{host}{base()}/" for host in _hosts() if not is_here(host))]


def keep_uploads_in_memory() -> None:
    """Have the web server hold an upload in memory: by default it writes files above 1 MB to a temporary file on disk."""
    MultiPartParser.spool_max_size = 2 * MAX_FILE_BYTES
