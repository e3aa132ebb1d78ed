"""Reading what people choose: told of while it goes on, stopped at once, a few files at a time, within what the operator allows."""

import sys
import time
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import intake, jobs
from pages.shared.hosting.operator import Operator
from rrcore.work.bounded import bounded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds memory")


def page():
    import streamlit as st

    from pages.shared import intake, widgets
    from rrcore.errors import InputError

    try:
        found = intake.read("file", st.session_state["key"], st.session_state["compute"], what="Reading 'a.csv'")
        st.markdown(f"found {found}")
    except InputError as error:
        widgets.complain(error)


def attempt(name, **asked):
    return lambda: bounded(f"tests.work.attempts:{name}", b"1234", asked, what="Reading the file", action="Leave out rows.").about


def opened(compute, key=1):
    app = AppTest.from_function(page)
    app.session_state["compute"], app.session_state["key"] = compute, key
    return app.run()


def seen(app):
    return [element.value for element in (*app.markdown, *app.caption, *app.error)]


@pytest.fixture(autouse=True)
def operated(monkeypatch):
    """Decide as the operator does."""

    def decide(**decided):
        monkeypatch.setattr(intake, "operator", lambda: replace(Operator(), **decided))
        intake._queue.cache_clear()

    decide()
    yield decide
    intake._queue.cache_clear()


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_small_file_is_there_at_once():
    assert seen(opened(attempt("echo"))) == ["found {'size': 4, 'times': 1}"]


def test_what_cannot_be_read_is_said_at_every_run():
    app = opened(attempt("refuse"))
    assert seen(app) == seen(app.run()) == ["Row 3 says 'secret'."]


def test_the_operator_bounds_memory(operated):
    operated(reader_megabytes=150)
    assert seen(opened(attempt("grow", megabytes=500))) == [
        "Reading the file needs more memory than the 150 MB allowed. Leave out rows."
    ]


@pytest.mark.slow
def test_reading_is_stopped_while_others_go_on(operated, monkeypatch):
    operated(readers=1)
    monkeypatch.setattr(jobs, "PATIENCE", 0.2)
    app = opened(attempt("spin"))
    own = app.session_state["files_read"].jobs["file"]
    until(lambda: own.text == "on and on")
    assert seen(app.run()) == ["found None"]
    (stop,) = app.button
    assert (stop.label, app.get("progress")[0].proto.text) == ("Stop", "Reading 'a.csv': on and on ...")
    start = time.perf_counter()
    other = opened(attempt("echo"))
    assert time.perf_counter() - start < 20  # another page is answered meanwhile, for as long as the first file is read
    assert other.get("progress")[0].proto.text == "Reading 'a.csv' begins when the file before it is read ..."
    stop.click()
    app.run()
    assert seen(app) == ["found None", "Reading 'a.csv' was stopped."]
    assert other.session_state["files_read"].jobs["file"].done.wait(20)
    assert seen(other.run()) == ["found {'size': 4, 'times': 1}"]
    app.session_state["compute"] = attempt("echo")
    (again,) = app.button
    monkeypatch.setattr(jobs, "PATIENCE", 20)
    again.click()
    assert seen(app.run()) == ["found {'size': 4, 'times': 1}"]
