"""Ports for servers that tests start."""

import secrets
import socket

_OWN = range(20_000, 32_000)
"""Below what systems give to connections going out: those may take any port between its choice and its use."""


def free_port() -> int:
    """A port that nobody listens on."""
    while True:
        port = secrets.choice(_OWN)
        with socket.socket() as free:
            try:
                free.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
