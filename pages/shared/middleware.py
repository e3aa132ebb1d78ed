"""The middleware that checks every request and gives every response its headers.

It checks the host because a page elsewhere can have its own name point to this computer (DNS rebinding). It checks the origin because any
page may open a websocket. In local mode it also checks a token, so that no other user of this computer gets in.
"""

import base64
import hashlib
import re
import secrets
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlencode

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.mode import SWITCHED_OFF
from pages.shared.served_files import LESSON, base

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
_ORIGIN = re.compile(rf"(?P<scheme>https?)://{_HOST.pattern}")
_FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

_HOW_TO_GET_IN = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>RR Workbench: link needed</title>
<style>body{font:1.1rem/1.6 sans-serif;max-width:36rem;margin:16vh auto;padding:0 1.5rem}h1{font:600 1.8rem/1.3 serif}</style>
<h1>Open RR Workbench with its link</h1>
<p>Only the person who started RR Workbench can open it. Look at the terminal where you started it, copy the link and open it here.</p>
<p>The link looks like <code>http://localhost:8501/?token=...</code></p>
<p>You closed the terminal? Start RR Workbench again. The link stays the same.</p></html>"""


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
