"""Connections of browser tabs: at most so many, in all and of one address, each of which speaks as a page does or ends.

Who comes when there is no place is told so, instead of getting a page that stays blank, and that page tries again by itself. The place of
a tab whose connection ended is kept a while for the same browser: a page that is loaded anew, or was cut off, comes back in.
"""

import asyncio
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from string import Template

from google.protobuf.message import DecodeError
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.shared.hosting.door import close
from pages.shared.hosting.visitors import HEADER
from rrcore.wording import counted
from rrcore.work.web.addresses import network

GRACE = 15.0
"""Seconds that the place of a tab is kept for its browser."""

_LATER, _WRONG = 1013, 1002  # codes of RFC 6455 and its registry: try again later; what was sent is not understood
_AGAIN = 15  # seconds until a page that was refused tries again
_SILENT = 4  # of the tabs of one address, one in so many may say nothing
_ASKED = "/_stcore/host-config"  # what a page asks for before it connects; what is answered instead is shown
_NO_PAGE = ("/_stcore", "/static/", "/media/", "/component/", "/auth/", "/oauth2callback")
_PAGE = Template(
    '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta http-equiv="refresh" content="$again"><meta name="color-scheme" content="light dark"><title>RR Workbench: no place free</title>'
    "<style>body{font:1.1rem/1.6 sans-serif;max-width:34rem;margin:18vh auto;padding:0 1.5rem}h1{font:600 1.8rem/1.3 serif}</style>"
    "<h1>There is no place free at the moment</h1><p>$told</p>"
    "<p>This page tries again every $again seconds by itself: leave it open.</p></html>"
)


def understood(message: Message) -> bool:
    """Whether a page may have sent that: one message of Streamlit's own, in bytes."""
    try:
        BackMsg.FromString(message["bytes"])
    except (KeyError, TypeError, DecodeError):  # text, or bytes that are nothing
        return False
    return True


@dataclass(eq=False)
class OpenTab:
    """One tab: its address, its browser, whether it has said anything yet, and until when it may be silent."""

    address: str
    browser: str
    spoke: bool = False
    since: float = field(default_factory=time.monotonic)
    over: bool = False
    patience: asyncio.Timeout = field(default_factory=lambda: asyncio.timeout(None))

    def end(self) -> None:
        """Have it end while it says nothing."""
        self.over = True
        with suppress(RuntimeError):  # where it is not waited for just now, it ends when it is
            self.patience.reschedule(0.0)


@dataclass
class Tabs:
    """ASGI middleware between tabs and what serves them.

    Parameters
    ----------
    app : what serves a tab
    most : most tabs at a time
    each : most tabs of one address
    seconds : how long a tab may be connected and say nothing; one that comes back to its session has nothing to say
    """

    app: ASGIApp
    most: int
    each: int
    seconds: float
    _open: set[OpenTab] = field(default_factory=set)
    _kept: list[tuple[float, OpenTab]] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
            return
        if scope["type"] == "http" and (answer := self._answer(HTTPConnection(scope))) is not None:
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def refusal(self, address: str) -> str:
        """Why one more tab of that address is refused, in a sentence; empty where there is a place for it."""
        self._kept = [(until, place) for until, place in self._kept if until > time.monotonic()]
        taken = Counter(place.address for place in (*self._open, *(place for _, place in self._kept)))
        if address and taken[address] >= self.each:
            there = counted(self.each, "tab is", "tabs are")
            return f"From your address {there} open, as many as one address may have here: close one of them."
        if taken.total() >= self.most:
            return "As many people use this dashboard now as it has room for."
        return ""

    def _answer(self, asked: HTTPConnection) -> Response | None:
        """The answer to a request that a page begins with, where that page would find no place."""
        path = asked.scope["path"]
        beginning = asked.scope["method"] in ("GET", "HEAD") and not any(each in path for each in _NO_PAGE)
        if not (beginning and "." not in path.rpartition("/")[2]) and not path.endswith(_ASKED):
            return None
        browser = asked.headers.get(HEADER, "")
        known = [place for _, place in self._kept] + ([] if path.endswith(_ASKED) else list(self._open))
        text = "" if browser and any(place.browser == browser for place in known) else self.refusal(_address(asked))
        if not text:
            return None
        again = {"Retry-After": str(_AGAIN)}
        if path.endswith(_ASKED):
            return PlainTextResponse(f"{text} This page tries again by itself: leave it open.", 503, again)
        return HTMLResponse(_PAGE.substitute(told=escape(text), again=_AGAIN), 503, again)

    def _take(self, asked: HTTPConnection) -> OpenTab | None:
        """A place for a tab, its own one if it comes back; None where there is none."""
        place = OpenTab(_address(asked), asked.headers.get(HEADER, ""))
        refused = self.refusal(place.address)
        own = next((kept for kept in self._kept if place.browser and kept[1].browser == place.browser), None)
        if own is not None:
            self._kept.remove(own)
        elif refused:
            return None
        silent = [each for each in self._open if each.address == place.address and not each.spoke and not each.over]
        if len(silent) >= max(1, self.each // _SILENT):
            min(silent, key=lambda each: each.since).end()
        self._open.add(place)
        return place

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = HTTPConnection(scope)
        place = self._take(asked)
        if place is None:
            await close(receive, send, _LATER)
            return
        session = asked.headers.get("sec-websocket-protocol", "").split(",")[2:]
        ended = False

        async def end(code: int) -> Message:
            nonlocal ended
            ended = True
            await send({"type": "websocket.close", "code": code, "reason": ""})
            return {"type": "websocket.disconnect", "code": code}

        async def take() -> Message:
            if place.spoke:
                message = await receive()
            else:
                left = max(0.0, place.since + self.seconds - time.monotonic())
                place.patience = asyncio.timeout(0.0 if place.over else None if session else left)
                try:
                    async with place.patience:
                        message = await receive()
                except TimeoutError:
                    return await end(_LATER)
            if message["type"] != "websocket.receive":
                return message
            if not understood(message):
                return await end(_WRONG)
            place.spoke = True
            return message

        async def give(message: Message) -> None:
            if not ended:
                await send(message)

        try:
            await self.app(scope, take, give)
        finally:
            self._open.discard(place)
            if place.spoke and place.browser:
                self._kept.append((time.monotonic() + GRACE, place))


def _address(asked: HTTPConnection) -> str:
    return network(asked.client.host) if asked.client else ""
