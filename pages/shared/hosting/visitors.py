"""Which browser asks, and who is logged in there: what belongs to a session is for them alone.

A browser has a random cookie that no page can read. Cookies know no ports, so another dashboard on this computer may see it too: alone it
opens nothing, since what belongs to a session has an address as random. Where several answers gave one at the same moment, a browser has
several, and the first, which is the oldest, counts. Streamlit is told who a visitor is by a header that no visitor can send (see
``trustedUserHeaders`` in ``.streamlit/config.toml``), and refuses to connect anybody else to a session that was there before.
"""

import hashlib
import hmac
import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from pages.shared.hosting import login
from pages.shared.hosting.uploads import SESSION

HEADER = "rr-visitor"
_NAME = {False: "rr_browser_", True: "__Host-rr_browser_"}  # whether the browser came by TLS: then no other host can set it
_MARK = re.compile(r"[A-Za-z0-9_-]{43}")  # 256 bits
_GIVING = ("http.response.start", "websocket.accept")

_asking: ContextVar[str] = ContextVar("_asking", default="")
"""The visitor whose request or connection is being served."""


def visitor() -> str:
    """Who asks just now; empty where nobody does."""
    return _asking.get()


def asks(session: str) -> bool:
    """Whether the session is connected, and of the visitor whose request is being served."""
    client = runtime.get_instance().get_client(session)
    known = dict(client.client_context.headers) if client and client.client_context else {}
    own = known.get(HEADER, "")
    return hmac.compare_digest(own, visitor()) and own != ""


@dataclass(frozen=True)
class Visitors:
    """ASGI middleware that knows a browser again, by a cookie that it gives to one that has none, and says within who asks.

    Files are uploaded into a session, and taken out of it, by its visitor alone.
    """

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        cookies = cookie_parser(Headers(scope=scope).get("cookie", ""))
        secure = scope["scheme"] in ("https", "wss")
        own = (text for name, text in cookies.items() if name.startswith(_NAME[secure]) and _MARK.fullmatch(text))
        former = next(own, "")
        mark = former or secrets.token_urlsafe(32)
        given = f"{_NAME[secure]}{secrets.token_hex(4)}={mark}; Path=/; HttpOnly; SameSite=Lax{'; Secure' if secure else ''}"

        async def give(message: Message) -> None:
            if message["type"] in _GIVING and not former and "/static/" not in scope["path"]:
                MutableHeaders(scope=message).append("Set-Cookie", given)
            await send(message)

        asking = hashlib.sha256(f"{mark} {login.person(cookies)}".encode()).hexdigest()
        scope = dict(scope, headers=[(name, text) for name, text in scope["headers"] if name != HEADER.encode()])
        MutableHeaders(scope=scope)[HEADER] = asking
        _asking.set(asking)
        upload = SESSION.search(scope["path"])
        if upload and not asks(upload[1]):
            await PlainTextResponse("There is nothing here.\n", 404)(scope, receive, give)
        else:
            await self.app(scope, receive, give)
