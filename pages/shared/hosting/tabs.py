"""Connections of browser tabs: at most so many, each of which speaks as a page does or ends without a word in the log."""

from __future__ import annotations

from dataclasses import dataclass, field

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

_LATER, _WRONG = 1013, 1002  # codes of RFC 6455 and its registry: try again later; what was sent is not understood


def understood(message: Message) -> bool:
    """Whether a page may have sent that: one message of Streamlit's own, in bytes."""
    try:
        BackMsg.FromString(message["bytes"])
    except (KeyError, TypeError, DecodeError):  # text, or bytes that are nothing
        return False
    return True


@dataclass(frozen=True)
class Tabs:
    """ASGI middleware between tabs and what serves them.

    Parameters
    ----------
    app : what serves a tab
    most : most connections at a time
    """

    app: ASGIApp
    most: int
    _open: set[int] = field(default_factory=set)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        if len(self._open) >= self.most:
            await receive()
            await send({"type": "websocket.close", "code": _LATER, "reason": ""})
            return

        ended = False

        async def take() -> Message:
            nonlocal ended
            message = await receive()
            if message["type"] != "websocket.receive" or understood(message):
                return message
            ended = True
            await send({"type": "websocket.close", "code": _WRONG, "reason": ""})
            return {"type": "websocket.disconnect", "code": _WRONG}

        async def give(message: Message) -> None:
            if not ended:
                await send(message)

        self._open.add(id(take))
        try:
            await self.app(scope, take, give)
        finally:
            self._open.discard(id(take))
