"""The two files that are served next to Streamlit's own: the chapters of Learn, and the script that draws figures."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import plotly
import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rrcore.learn import lesson

_FOREVER = "public, max-age=31536000, immutable"


def base() -> str:
    """The path of the dashboard on its server: nothing, or a path that begins with a slash."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


@dataclass(frozen=True)
class Given:
    """A file of this program at an address of its own, compressed once.

    Parameters
    ----------
    path : where it is, below the address of the server
    kind : its media type
    make : gives its content
    """

    path: str
    kind: str
    make: Callable[[], bytes]

    def address(self) -> str:
        """Where browsers find it."""
        return f"{base()}/{self.path}"

    def route(self) -> Route:
        """What answers at that address."""
        return Route(self.address(), self._give)

    def _give(self, request: Request) -> Response:
        small = "gzip" in request.headers.get("accept-encoding", "")
        encoding = {"Content-Encoding": "gzip"} if small else {}
        headers = {"Cache-Control": _FOREVER, "Vary": "Accept-Encoding"} | encoding
        return Response(_content(self, small), media_type=self.kind, headers=headers)


@cache
def _content(given: Given, small: bool) -> bytes:
    return gzip.compress(_content(given, False), 6) if small else given.make()


LESSON = Given("lesson", "text/html", lambda: lesson(dashboard=f"{base()}/").encode("utf-8"))
"""The chapters that page Learn shows in a frame."""

SCRIPT = Given(
    f"figures/static/plotly-{plotly.__version__}.js",
    "text/javascript",
    (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes,
)
"""The script that Python's plotly brings, which draws the figures."""
