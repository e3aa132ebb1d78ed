"""plotly.js, which draws the figures: the script that Python's plotly brings, given to browsers once and kept there."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path

import plotly
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.shared.hosting.front import base, compressed, once


def address() -> str:
    """Where browsers find it."""
    return f"{base()}/figures/static/plotly-{plotly.__version__}.js"


def route() -> Route:
    """What answers at that address."""
    threading.Thread(target=_script, name="plotly.js", daemon=True).start()  # made small before it is asked for
    return Route(address(), _give)


def _give(request: Request) -> Response:
    small = "gzip" in request.headers.get("accept-encoding", "")
    return once(_script(small), "text/javascript", "gzip" if small else "")


@cache
def _script(small: bool = True) -> bytes:
    script = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes()
    return compressed(script) if small else script
