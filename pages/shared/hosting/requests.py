"""How many requests one address may make: many, since a whole class may have one address, but not without end."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rrcore.work.web.addresses import Pace


@dataclass(frozen=True)
class Paced:
    """ASGI middleware that refuses what an address asks beyond its pace.

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
            await receive()
            await send({"type": "websocket.close", "code": 1013, "reason": ""})
        else:
            told = "Too many requests came from this address: wait a minute and try again.\n"
            await PlainTextResponse(told, 429, {"Retry-After": "60", "Connection": "close"})(scope, receive, send)
