"""One address that opens many connections and says nothing, or half of what it has to say, and a visitor from another one."""

from __future__ import annotations

import resource
import select
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "
BODY = b"POST /answers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 200\r\n\r\n{"
ELSEWHERE = "127.0.0.2"
"""An address of this computer that no visitor of a test comes from."""


@contextmanager
def crowd(
    port: int, number: int, sent: bytes = b"", source: str = ELSEWHERE, tls: ssl.SSLContext | None = None, host: str = ""
) -> Iterator[list[socket.socket]]:
    """So many connections from ``source``, each of which has sent no more than ``sent``; over TLS to ``host`` where ``tls`` is given."""
    needed, most = number + 500, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(needed, most), most))
    opened: list[socket.socket] = []
    try:
        for _ in range(number):
            one = socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(source, 0))
            opened.append(one)
            try:
                if tls:
                    opened[-1] = one = tls.wrap_socket(one, server_hostname=host)
                one.sendall(sent)
            except OSError:  # ended by the server meanwhile
                continue
        yield opened
    finally:
        for one in opened:
            one.close()


def ended(connections: list[socket.socket]) -> int:
    """How many of them the other side has ended."""
    asked = select.poll()  # of all at once which have something to say: most are silent, and this is asked again and again
    for one in connections:
        asked.register(one, select.POLLIN)
    told = {number for number, _ in asked.poll(0)}
    return sum(one.fileno() in told and _is_at_its_end(one) for one in connections)


def _is_at_its_end(one: socket.socket) -> bool:
    one.setblocking(False)
    try:
        while one.recv(65536):
            pass
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    except OSError:
        pass
    return True


def wait_for(true, most: float = 30.0) -> None:
    """Wait until ``true()``, and fail where that takes too long."""
    until = time.monotonic() + most
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)


def visited(port: int, path: str = "/", host: str = "localhost", tls: ssl.SSLContext | None = None) -> tuple[int, float, bytes]:
    """Status of the answer to a visitor from 127.0.0.1, seconds until it was there, and the answer itself."""
    started = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=30) as plain:
        one = tls.wrap_socket(plain, server_hostname=host.partition(":")[0]) if tls else plain
        own = host if ":" in host else f"{host}:{port}"
        one.sendall(f"GET {path} HTTP/1.1\r\nHost: {own}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while more := one.recv(65536):
            answer += more
    return int(answer.split()[1]), time.monotonic() - started, answer


def served_in_time(
    port: int, path: str = "/", host: str = "localhost", tls: ssl.SSLContext | None = None, most: float = 60.0
) -> bool:
    """Whether a visitor gets the page within 2 s; asked again and again, since the machine may have much else to do."""
    until = time.monotonic() + most
    while time.monotonic() < until:
        status, seconds, _ = visited(port, path, host, tls)
        if status == 200 and seconds < 2:
            return True
    return False
