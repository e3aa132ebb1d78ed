"""Files of this program at addresses of their own: the chapters of Learn, and plotly.js, which draws the figures."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import plotly
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.shared.hosting.front import base, compressed, once
from rrcore.learn import lesson


@dataclass(frozen=True)
class Given:
    """A file that is made once, and given small to browsers that take it so. Nothing of a session is in it, so that anybody may have it.

    Parameters
    ----------
    path : where it is, below the address of the server
    kind : its media type
    make : gives its content
    ahead : whether it is made small before it is asked for
    """

    path: str
    kind: str
    make: Callable[[], bytes]
    ahead: bool = False

    def address(self) -> str:
        """Where browsers find it."""
        return f"{base()}/{self.path}"

    def route(self) -> Route:
        """What answers at that address."""
        if self.ahead:
            threading.Thread(target=_content, args=(self, True), name=self.path, daemon=True).start()
        return Route(self.address(), self._give)

    def _give(self, request: Request) -> Response:
        small = "gzip" in request.headers.get("accept-encoding", "")
        return once(_content(self, small), self.kind, "gzip" if small else "")


@cache
def _content(given: Given, small: bool) -> bytes:
    made = given.make()
    return compressed(made) if small else made


LESSON = Given("lesson", "text/html", lambda: lesson(dashboard=f"{base()}/").encode("utf-8"))
"""The chapters: page Learn shows them in a frame, links lead to any state of them, which stands behind # and is never sent."""

SCRIPT = Given(
    f"figures/static/plotly-{plotly.__version__}.js",
    "text/javascript",
    (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes,
    ahead=True,
)
"""The script that Python's plotly brings, which browsers keep."""
