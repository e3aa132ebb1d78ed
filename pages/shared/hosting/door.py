"""Who is let in: browsers that call this server by one of its names, from pages of its own, to what a browser needs, and not without end.

A name is checked because a page elsewhere can have its own name point to this computer (DNS rebinding) and then counts as of one origin with
whatever answers here. An origin is checked because websockets, unlike other requests, may be opened by any page.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rrcore.errors import InputError
from rrcore.work.web.addresses import Pace

HERE = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names that a computer has for itself."""

HEALTH = "/_stcore/health"
_OPEN = ("/_stcore/stream", "/_stcore/host-config", HEALTH)  # of Streamlit's own addresses, what its pages use
_OPEN_BELOW = ("/_stcore/upload_file/", "/_stcore/bidi-components/")
_PORTS = {"http": "80", "https": "443"}
_PLAIN = {"http": "http", "ws": "http", "https": "https", "wss": "https"}
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]*[a-z0-9_-])\.?(:(?P<port>[0-9]{1,5}))?")
_NAME = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_ORIGIN = re.compile(rf"(?P<scheme>https?)://{_HOST.pattern}")


TOO_MANY = "Too many requests came from this address: wait a minute and try again.\n"


class _RefusedError(Exception):
    """A request that is not let in: its status and one sentence."""


async def close(receive: Receive, send: Send, code: int) -> None:
    """End a connection of a websocket that was asked for, with a code of RFC 6455."""
    await receive()
    await send({"type": "websocket.close", "code": code, "reason": ""})


def names_of(address: str, hosts: Iterable[str]) -> frozenset[str]:
    """The names that a server at ``address`` goes by, ``hosts`` among them.

    Raises
    ------
    InputError
        If ``address`` is every address of this computer, so that others are meant to come in, and ``hosts`` is empty; or if one of
        them is no name, but an address with "https://" or a port.
    """
    named = {host.strip().lower().rstrip(".") for host in hosts}
    for name in named:
        if not _NAME.fullmatch(name):
            raise InputError(
                f"The name '{name[:80]}' of the setting 'hosts' is not one: write it like rr.example.org, without https:// or a port."
            )
    here = address.strip("[]").lower()
    if here in ("", "0.0.0.0", "::", "*"):  # nosec B104: looked for, not listened on
        if not named:
            raise InputError(
                f"The address '{address}' is open to other computers, and no name is set that they may call this one by: write "
                'hosts = ["rr.example.org"] into a file and give it with --operator.'
            )
    else:
        named.add(here)
    return HERE | named


def is_local(names: Iterable[str]) -> bool:
    """Whether a server with these names is there for the person at this computer alone."""
    return all(name in HERE or _loops(name) for name in names)


def _loops(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Door:
    """ASGI middleware that refuses what it does not know.

    Parameters
    ----------
    app : what lies behind the door
    names : names, in lower case, that this server goes by
    """

    app: ASGIApp
    names: frozenset[str]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        try:
            self._check(scope)
        except _RefusedError as refused:
            if scope["type"] == "websocket":
                await close(receive, send, 1008)
            else:
                status, sentence = refused.args
                await PlainTextResponse(f"{sentence}\n", status)(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        path, headers = scope["path"], Headers(scope=scope)
        if path == HEALTH:  # whoever watches over servers calls them by numbers, and learns no more than that they run
            return
        given = headers.getlist("host")
        called = _HOST.fullmatch(given[0].lower()) if len(given) == 1 else None
        if called is None or called["name"].strip("[]") not in self.names:
            raise _RefusedError(421, "This server does not go by that name: its operator lists its names under 'hosts'.")
        scheme = _PLAIN[scope["scheme"]]
        own = scheme, called["name"], called["port"] or _PORTS[scheme]
        for origin in headers.getlist("origin"):
            site = _ORIGIN.fullmatch(origin.lower())
            if site is None or (site["scheme"], site["name"], site["port"] or _PORTS[site["scheme"]]) != own:
                raise _RefusedError(403, "Pages of other sites may not ask this server.")
        foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
        if foreign and headers.get("sec-fetch-mode") != "navigate":
            raise _RefusedError(403, "Pages of other sites may not ask this server.")
        inner = path[path.find("/_stcore") :] if "/_stcore" in path else ""  # also below another address, server.baseUrlPath
        if inner and inner not in _OPEN and not inner.startswith(_OPEN_BELOW):
            raise _RefusedError(404, "There is nothing here.")


@dataclass(frozen=True)
class Paced:
    """ASGI middleware that refuses what an address asks beyond its pace: many requests, since a whole class may have one address.

    Parameters
    ----------
    app : what answers
    pace : who may ask how much
    """

    app: ASGIApp
    pace: Pace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or self.pace.allows((scope.get("client") or ("",))[0]):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await close(receive, send, 1013)
        else:
            await PlainTextResponse(TOO_MANY, 429, {"Retry-After": "60", "Connection": "close"})(scope, receive, send)
