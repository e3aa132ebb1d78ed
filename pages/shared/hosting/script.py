"""plotly.js, which draws the figures: the script that Python's plotly brings, given to browsers once and kept there."""

from __future__ import annotations

import gzip
import threading
from functools import cache
from pathlib import Path

import plotly
import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_FOREVER = "public, max-age=31536000, immutable"  # another version has another address


def address() -> str:
    """Where browsers find it."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{f'/{base}' if base else ''}/figures/static/plotly-{plotly.__version__}.js"


def route() -> Route:
    """What answers at that address."""
    threading.Thread(target=_script, name="plotly.js", daemon=True).start()  # made small before it is asked for
    return Route(address(), _give)


def _give(request: Request) -> Response:
    small = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"Cache-Control": _FOREVER, "Vary": "Accept-Encoding"} | ({"Content-Encoding": "gzip"} if small else {})
    return Response(_script(small), media_type="text/javascript", headers=headers)


@cache
def _script(small: bool = True) -> bytes:
    script = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes()
    return gzip.compress(script, 6, mtime=0) if small else script
