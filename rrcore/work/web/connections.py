"""Connections that a server waits for: so many of one address, for so long, and never so many in all that nobody else can come.

A connection waits while it is the other side's turn: it is silent, its TLS handshake, its head or its body is not complete, its answer is
not taken, or it is kept open for another request. Whatever waits longest ends first, so that whoever comes is served: who has something to
ask is done long before. What a server itself takes long for does not wait, and websockets are the concern of what they lead to.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from rrcore.limits import MAX_CONNECTIONS, MAX_UNFINISHED, UNFINISHED_SECONDS
from rrcore.work.web.addresses import network

_FILES = 256  # descriptors that are left for everything but connections
_ACCEPTED = 2_048  # connections that are accepted at a time, before any is looked at
_SHARE = 20  # where there is no room, one of so many that wait is ended
_LOOK = 0.5  # seconds between two looks at all of them
_MOMENT = 1.0  # seconds that a connection may be unfinished uncounted: what it sent may have arrived, and not been read


@dataclass
class Connections:
    """The connections of one server.

    Parameters
    ----------
    proxied : whether an address is a proxy's, which many people come from: those it counts by itself, and here they count in all alone
    each : most connections of one address that are unfinished for more than a moment; those that have waited longest end. One that is
        kept open after a request is not unfinished
    seconds : time for a head and a handshake, and without a byte of a body, and without an answer being taken
    all : most connections in all
    """

    proxied: Callable[[str], bool] = lambda address: False
    each: int = MAX_UNFINISHED
    seconds: float = UNFINISHED_SECONDS
    all: int = MAX_CONNECTIONS
    _open: dict[str, set[Guarded]] = field(default_factory=lambda: defaultdict(set))
    _looking: bool = False

    def guard(self, config: uvicorn.Config) -> None:
        """Have all that is served by ``config`` counted here; to be called before the first connection."""
        if not config.loaded:
            config.load()
        files = more_files()
        config.backlog = min(_ACCEPTED, files // 8)
        self.all = min(self.all, files - config.backlog - _FILES)
        tls, config.ssl = config.ssl, None  # handshakes are made here, so that silent ones count
        config.http_protocol_class = partial(Guarded, counted=self, tls=tls)  # type: ignore[assignment]

    def enter(self, one: Guarded) -> bool:
        """Count a connection, and end others where there is no room; False where none of them waits."""
        if len(one.connections) >= self.all and not self._make_room():
            return False
        self._open[one.address].add(one)
        if not self._looking:
            self._looking = True
            one.loop.call_later(self._pause, self._look, one.loop)
        return True

    def leave(self, one: Guarded) -> None:
        """Count a connection no longer."""
        own = self._open.get(one.address, set())
        own.discard(one)
        if not own:
            self._open.pop(one.address, None)

    @property
    def _pause(self) -> float:
        return min(_LOOK, self.seconds / 4)

    def _make_room(self) -> bool:
        waiting = [each for own in self._open.values() for each in own if each.waits]
        for each in sorted(waiting, key=lambda each: each.since)[: len(waiting) // _SHARE + 1]:
            each.end()
        return bool(waiting)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """End what has waited too long, or is too much of one address; now and then while there are connections."""
        now = time.monotonic()
        for own in list(self._open.values()):
            unfinished = []
            for one in list(own):
                if not one.waits:
                    one.since = now
                elif now - one.since > self.seconds:
                    one.end()
                elif one.unfinished and now - one.since > _MOMENT and not self.proxied(one.peer):
                    unfinished.append(one)
            for one in sorted(unfinished, key=lambda each: each.since)[: max(0, len(unfinished) - self.each)]:
                one.end()
        self._looking = bool(self._open)
        if self._looking:
            loop.call_later(self._pause, self._look, loop)


class Guarded(H11Protocol):
    """A connection that knows whether it waits, and since when."""

    def __init__(self, *given: Any, counted: Connections, tls: ssl.SSLContext | None, **named: Any) -> None:
        super().__init__(*given, **named)
        self.counted, self.tls = counted, tls
        self.raw: asyncio.Transport | None = None  # below TLS
        self.peer = self.address = ""
        self.since = time.monotonic()
        self._early = bytearray()  # what came right behind a handshake
        self._shaking: asyncio.Task[None] | None = None
        self._lost = False

    @property
    def waits(self) -> bool:
        """Whether it is the other side's turn."""
        if self.transport is None or self.transport.is_closing() or self.flow.write_paused:
            return True
        answering = self.conn.our_state in (h11.SEND_RESPONSE, h11.SEND_BODY)
        asked = self.conn.their_state is not h11.SEND_BODY
        return not (answering and asked) and not self.flow.read_paused

    @property
    def unfinished(self) -> bool:
        """Whether it waits for what was begun, or never came: not where it is only kept open after a request."""
        return self.waits and self.timeout_keep_alive_task is None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.raw = transport
        at_once(transport)
        self.peer = (transport.get_extra_info("peername") or ("",))[0]
        self.address = network(self.peer)
        if not self.counted.enter(self):
            transport.abort()
        elif self.tls is None:
            super().connection_made(transport)
        else:
            self.connections.add(self)
            transport.pause_reading()
            self._shaking = self.loop.create_task(self._shake(transport, self.tls))

    async def _shake(self, transport: asyncio.Transport, tls: ssl.SSLContext) -> None:
        try:
            secured = await self.loop.start_tls(
                transport,
                self,
                tls,
                server_side=True,
                ssl_handshake_timeout=self.counted.seconds,
                ssl_shutdown_timeout=self.counted.seconds,
            )
        except OSError:  # SSLError, ConnectionError and TimeoutError are such
            secured = None
        if secured is None or self._lost:
            self.connection_lost(None)
            return
        super().connection_made(secured)
        early, self._early = bytes(self._early), bytearray()
        if early:
            self.data_received(early)

    def data_received(self, data: bytes) -> None:
        if self.transport is None:
            self._early += data
            return
        before = self.conn.their_state
        super().data_received(data)
        if before is h11.SEND_BODY or self.conn.their_state is not h11.IDLE:  # a head has its time, however it comes
            self.since = time.monotonic()

    def on_response_complete(self) -> None:
        self.since = time.monotonic()
        super().on_response_complete()

    def pause_writing(self) -> None:
        self.since = time.monotonic()
        super().pause_writing()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self.counted.leave(self)
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True
        self.counted.leave(self)
        if self.transport is None:
            self.connections.discard(self)
        else:
            super().connection_lost(exc)

    def shutdown(self) -> None:
        if self.transport is None:
            self.end()
        else:
            super().shutdown()

    def end(self) -> None:
        """Cut the connection off."""
        self.counted.leave(self)
        if self.raw is not None:
            self.raw.abort()


def at_once(transport: asyncio.Transport) -> None:
    """Have what is written sent at once: a small answer otherwise waits, some 40 ms, until the one before it was acknowledged.

    asyncio sees to it where a socket names its protocol; those that Streamlit listens on name none.
    """
    connected: socket.socket | None = transport.get_extra_info("socket")
    if connected is not None and connected.family in (socket.AF_INET, socket.AF_INET6):
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def more_files() -> int:
    """How many files and connections this process may have open, once it has allowed itself as many as it may."""
    try:
        import resource
    except ImportError:  # Windows knows no such limit
        return 8 * _ACCEPTED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MAX_CONNECTIONS + _ACCEPTED
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        return most
    return wanted if soft == resource.RLIM_INFINITY else soft
