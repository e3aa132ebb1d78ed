"""Streamlit's front end: its files as they are, small and kept, and a page that names what is wanted next."""

import re
from pathlib import Path

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from pages.shared.hosting import front
from pages.shared.hosting.front import FrontMiddleware
from pages.shared.hosting.headers import SafeHeaders

STATIC = Path(st.__file__).parent / "static"


@pytest.fixture(params=[False, True], ids=["plain", "gzip"])
def visitor(request):
    """In front of what Streamlit does: its page for whatever is asked, compressed or not."""

    def own(asked):
        return FileResponse(STATIC / "index.html")

    routes = [Route("/other", lambda asked: HTMLResponse("<head></head>")), Route("/{path:path}", own, methods=["GET", "POST"])]
    below = [Middleware(GZipMiddleware, minimum_size=10)] if request.param else []
    return TestClient(Starlette(routes=routes, middleware=[Middleware(SafeHeaders), Middleware(FrontMiddleware), *below]))


def test_the_page_names_the_code_of_what_all_pages_show_and_all_that_it_is_made_of(visitor):
    found = visitor.get("/budget")
    named = re.findall(r'"\./(static/[^"]+)"', found.text)
    assert len(named) == len(set(named))
    assert all((STATIC / name).is_file() for name in named)
    for element in (*front.ELEMENTS, *front.FONTS):
        assert any(Path(name).name.startswith(f"{element}.") for name in named), element
    code = {Path(name).name for name in named if name.endswith(".js")}
    for name in code:  # what these import at once is named, too
        text = (STATIC / "static/js" / name).read_text(encoding="utf-8")
        assert set(re.findall(r'(?:from|import)\s*["`\']\./([\w.-]+\.js)["`\']', text)) <= code, name
    assert found.headers["cache-control"] == "no-store"
    assert "etag" not in found.headers
    assert "sha256-" in found.headers["content-security-policy"]
    rest = re.sub(r"<link rel=\"(?:modulepreload|preload)\" [^>]*>\s*|<style>[^<]*</style>\s*", "", found.text)
    assert rest == re.sub(r"<link rel=\"modulepreload\" [^>]*>\s*", "", (STATIC / "index.html").read_text(encoding="utf-8"))


def test_another_page_is_handed_on_as_it_is(visitor):
    assert visitor.get("/other").text == "<head></head>"
    assert visitor.post("/budget").content == (STATIC / "index.html").read_bytes()


def test_files_are_given_as_they_are_and_kept(visitor):
    for path in [*sorted((STATIC / "static/js").glob("Slider.*")), *sorted((STATIC / "static/media").glob("SourceSans*"))[:1]]:
        found = visitor.get(f"/{path.relative_to(STATIC).as_posix()}")
        assert found.content == path.read_bytes()
        assert "immutable" in found.headers["cache-control"]
        assert found.headers.get("content-encoding", "") == ("gzip" if path.suffix == ".js" else "")
        plain = visitor.get(f"/{path.relative_to(STATIC).as_posix()}", headers={"accept-encoding": "identity"})
        assert plain.content == path.read_bytes()
        assert "content-encoding" not in plain.headers


@pytest.mark.parametrize(
    "path", ["/static/../index.html", "/static/js/../../manifest.json", "/static/js/none.js", "/manifest.json"]
)
def test_nothing_but_these_files_is_given(visitor, path):
    assert "immutable" not in visitor.get(path).headers.get("cache-control", "")


def test_below_another_address(visitor, monkeypatch):
    monkeypatch.setattr(front, "base", lambda: "/rr")
    name = next((STATIC / "static/js").glob("Slider.*")).name
    assert "immutable" in visitor.get(f"/rr/static/js/{name}").headers["cache-control"]
    assert "immutable" not in visitor.get(f"/static/js/{name}").headers.get("cache-control", "")
