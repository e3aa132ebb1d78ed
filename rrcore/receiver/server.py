"""Run the receiver in one process.

The log contains no request and no time of day. The server stops only after it has stored all pending answers.
"""

import asyncio
import logging
import signal
import socket
import ssl
import sys
from collections.abc import Callable
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from rrcore.errors import InputError
from rrcore.limits import MAX_ARRIVAL_SECONDS, MAX_CONNECTIONS
from rrcore.receiver.log import DayLog

_KEPT = 15  # seconds that a connection is kept open for another request
_GRACE = 10  # seconds that requests have to end in when the receiver is stopped


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the address and port.

    Port 0 selects a free port. Raises InputError if the socket cannot listen.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        made = socket.socket(family, kind, protocol)  # asyncio sends small answers without delay only where TCP is named
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(1024)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "invalid address"
        raise InputError(
            f"The server cannot use port {port} on {host[:80]} ({reason}). Choose another --host or --port."
        ) from None
    return made


def check_tls(certificate: Path, key: Path) -> None:
    """Raise InputError if a certificate and its key are unreadable or do not match."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")  # nosec B106: asks nobody; a key with a password is refused
    except (OSError, ValueError) as error:  # SSLError is an OSError
        raise InputError(
            f"The certificate and its key cannot be used ({error}). Use a certificate and its key as PEM files."
        ) from None


def serve(
    app: Starlette,
    at: socket.socket,
    *,
    tls: tuple[Path, Path] | None = None,
    started: Callable[[], None] = lambda: None,
) -> None:
    """Serve ``app`` until SIGTERM or SIGINT.

    The server then rejects new requests and completes pending ones.

    Parameters
    ----------
    app : from ``receiver_app``
    at : from ``listening``
    tls : PEM files of a certificate and its key, if the receiver itself provides https
    started : called when the server accepts requests
    """
    logging.basicConfig(handlers=[DayLog(sys.stderr)], level=logging.WARNING, force=True)
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        http=PatientProtocol,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=_KEPT,
        timeout_graceful_shutdown=_GRACE,
        ssl_certfile=tls[0] if tls else None,
        ssl_keyfile=tls[1] if tls else None,
    )
    server = _Server(config, started)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # uvicorn raises it again when all is done: the end is an orderly one
    server.run(sockets=[at])


class PatientProtocol(H11Protocol):
    """HTTP that closes a connection if no request begins for a while.

    uvicorn would wait forever, and silent connections would leave no room for others.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._timer.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._timer = self.loop.call_later(MAX_ARRIVAL_SECONDS, self._look, self.cycle)

    def _look(self, before: object) -> None:
        if self.cycle is before and (before is None or self.cycle.response_complete):
            self.transport.close()
        else:
            self._wait()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._tell()
