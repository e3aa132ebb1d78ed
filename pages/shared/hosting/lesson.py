"""The chapters of Learn at an address of their own: the page Learn shows them in a frame, and links lead to any state of them."""

from __future__ import annotations

from functools import cache

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.shared.hosting.front import base, compressed
from rrcore.learn import lesson


def address() -> str:
    """Where browsers find it. The state of a chapter stands behind #, which no browser sends."""
    return f"{base()}/lesson"


def route() -> Route:
    """What answers at that address. Nothing of a session is in it, so that whoever reaches the server may have it."""
    return Route(address(), _give)


def _give(request: Request) -> Response:
    small = "gzip" in request.headers.get("accept-encoding", "")
    return Response(_page(small), media_type="text/html", headers={"Content-Encoding": "gzip"} if small else {})


@cache
def _page(small: bool) -> bytes:
    page = lesson(dashboard=f"{base()}/").encode("utf-8")
    return compressed(page) if small else page
