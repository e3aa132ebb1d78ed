"""Connections of the dashboard's server: what one address may leave silent or incomplete, as its operator decided."""

from __future__ import annotations

import signal

import uvicorn
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from pages.shared.hosting.operator import operator
from rrcore.errors import InputError
from rrcore.work.web.connections import Connections


def guard() -> None:
    """Have the connections of this process's server counted; to be called while it starts, when it listens to nobody yet.

    Raises
    ------
    InputError
        If it is no server of uvicorn, which has itself told of signals before it starts anything.
    """
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if not isinstance(server, uvicorn.Server):
        raise InputError("Nothing would limit the connections of this server: start the dashboard with 'rrcore app'.")
    proxies = ProxyHeadersMiddleware(server.config.app, server.config.forwarded_allow_ips).trusted_hosts  # type: ignore[arg-type]
    decided = operator()
    Connections(proxies.__contains__, decided.unfinished_per_address, decided.unfinished_seconds).guard(server.config)
