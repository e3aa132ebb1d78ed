"""Work in the background: whatever ends it, what it handed over stays, and the same is said about it everywhere."""

import gc
import threading

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import jobs
from rrcore.errors import InputError
from rrcore.jobs import LostError


def single():
    import streamlit as st

    from pages.shared import jobs

    st.markdown(f"found {jobs.result('job', 1, st.session_state['make'], what='The work')}")


def several():
    import streamlit as st

    from pages.shared import jobs

    make = st.session_state["make"]
    icon, show = ":material/repeat:", lambda pieces: st.markdown(f"pieces {pieces}")
    jobs.on_demand("job", 1, make, button="Begin", icon=icon, what="The work", show=show)


def reading():
    import streamlit as st

    from pages.shared import jobs
    from rrcore.errors import InputError

    try:
        st.markdown(f"found {jobs.read('job', 1, st.session_state['make'], what='The work')}")
    except InputError as error:
        st.markdown(f"refused: {error}")


def broken(error):
    def make():
        yield "first"
        raise error

    return make


def run(script, make):
    app = AppTest.from_function(script)
    app.session_state["make"] = make
    app.run()
    return app.button[0].click().run() if script is several else app


def texts(app):
    return [element.value for element in (*app.markdown, *app.caption)]


def test_results_and_pieces():
    assert texts(run(single, lambda: "b")) == ["found b"]
    assert texts(run(single, lambda: iter("ab"))) == ["found ['a', 'b']"]
    assert texts(run(several, lambda: iter("ab"))) == ["pieces ['a', 'b']"]
    assert texts(run(reading, lambda: "b")) == ["found b"]


@pytest.mark.parametrize("script", [single, several])
def test_what_a_user_can_mend_is_one_sentence(script):
    app = run(script, broken(InputError("Choose fewer people.")))
    assert [error.value for error in app.error] == ["Choose fewer people."]
    assert not app.exception
    assert texts(app) == ["found None" if script is single else "pieces ['first']"]


def test_a_file_that_is_refused_is_refused_at_every_run():
    app = run(reading, broken(InputError("It is no table.")))
    assert texts(app) == texts(app.run()) == ["refused: It is no table."]


@pytest.mark.parametrize("script", [single, several])
def test_what_nobody_expected_is_raised_after_what_is_finished(script):
    app = run(script, broken(ZeroDivisionError("a defect")))
    assert len(app.exception) == 1  # its words are for the log
    assert not app.error
    assert texts(app) == ([] if script is single else ["pieces ['first']"])


def test_lost_work_can_be_started_again():
    outcomes = [LostError("It was cut off."), None]

    def make():
        if (error := outcomes.pop(0)) is not None:
            raise error
        yield "all"

    app = run(several, make)
    assert [error.value for error in app.error] == ["It was cut off."]
    assert texts(app.button(key="again_job").click().run()) == ["pieces ['all']"]


@pytest.fixture
def waiting(monkeypatch):
    """Work that yields once and then waits; a page does not wait for it."""
    gate = threading.Event()

    def make(report):
        yield "first"
        report(0.25, "thinking")
        gate.wait(30)
        yield "last"

    monkeypatch.setattr(jobs, "PATIENCE", 0.1)
    yield make
    gate.set()


def test_stopped_work_keeps_its_pieces(waiting):
    app = run(several, waiting)
    (progress,) = app.get("progress")
    assert (progress.proto.value, progress.proto.text) == (25, "The work: thinking ...")
    app.button(key="stop_job").click().run()
    assert not app.session_state["jobs"].jobs["job"].running
    pieces, stopped = texts(app)
    assert pieces == "pieces ['first']"
    assert stopped.startswith("The work")


def test_jobs_end_with_their_session(waiting):
    app = run(several, waiting)
    job = app.session_state["jobs"].jobs["job"]
    assert job.running
    del app
    gc.collect()
    assert job.stopped
