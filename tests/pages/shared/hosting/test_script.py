"""plotly.js is given to browsers as Python's plotly brings it, small, below the address that the server has, to be kept."""

from pathlib import Path

import plotly
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from pages.shared.hosting.given import SCRIPT
from pages.shared.hosting.headers import SafeHeaders

OWN = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes()


def test_it_is_given_small_and_as_it_is():
    visitor = TestClient(Starlette(routes=[SCRIPT.route()], middleware=[Middleware(SafeHeaders)]))
    found = visitor.get(SCRIPT.address())
    assert found.content == OWN
    assert found.headers["content-encoding"] == "gzip"
    assert "immutable" in found.headers["cache-control"]
    assert plotly.__version__ in SCRIPT.address()
    assert visitor.get(SCRIPT.address(), headers={"accept-encoding": "identity"}).content == OWN


def test_it_stands_below_the_address_of_the_server(monkeypatch):
    option = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "/rr/" if name == "server.baseUrlPath" else option(name))
    assert SCRIPT.address().startswith("/rr/figures/static/plotly-")
    assert SCRIPT.route().path == SCRIPT.address()
