"""Work in the background: whatever ends it, what it handed over stays, and the same is said about it everywhere."""

import threading

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import jobs
from rrcore.errors import InputError


def single():
    import streamlit as st

    from pages.shared import jobs

    make = st.session_state["make"]
    found = jobs.result("job", 1, lambda report: [*make(report)][-1], what="The work")
    st.markdown(f"found {found}")


def several():
    import streamlit as st

    from pages.shared import jobs

    jobs.on_demand(
        "job",
        1,
        st.session_state["make"],
        button="Begin",
        icon=":material/repeat:",
        what="The work",
        show=lambda pieces: st.markdown(f"pieces {pieces}"),
    )


def broken(error):
    def make(report):
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
    assert texts(run(single, lambda report: iter("ab"))) == ["found b"]
    assert texts(run(several, lambda report: iter("ab"))) == ["pieces ['a', 'b']"]


@pytest.mark.parametrize("script", [single, several])
def test_what_a_user_can_mend_is_one_sentence(script):
    app = run(script, broken(InputError("Choose fewer people.")))
    assert [error.value for error in app.error] == ["Choose fewer people."]
    assert not app.exception
    assert texts(app) == ["found None" if script is single else "pieces ['first']"]


@pytest.mark.parametrize("script", [single, several])
def test_what_nobody_expected_is_raised_after_what_is_finished(script):
    app = run(script, broken(ZeroDivisionError("a defect")))
    assert len(app.exception) == 1  # its words are for the log
    assert not app.error
    assert texts(app) == ([] if script is single else ["pieces ['first']"])


def test_stopped_work_ends_at_its_next_report_keeps_its_pieces_and_starts_again(monkeypatch):
    gate = threading.Event()

    def make(report):
        yield "first"
        while not gate.wait(0.01):
            report(0.25, "thinking")
        yield "last"

    monkeypatch.setattr(jobs, "PATIENCE", 0.1)
    app = run(several, make)
    assert app.get("progress")[0].proto.value == 25
    assert app.get("progress")[0].proto.text == "thinking ..."
    app.button(key="stop_job").click().run()
    job = app.session_state["jobs"]["job"]
    assert job.done.wait(10)
    assert texts(app) == ["pieces ['first']", "The work was stopped; what is finished is shown."]
    gate.set()
    monkeypatch.setattr(jobs, "PATIENCE", 10)
    assert texts(app.button(key="again_job").click().run()) == ["pieces ['first', 'last']"]
