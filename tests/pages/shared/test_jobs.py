"""Work in the background: whatever ends it, what it handed over stays, and the same is said about it everywhere."""

import os
import sys
import threading
import time

import cloudpickle
import psutil
import pytest
from pages.shared.queue import Queue
from streamlit.testing.v1 import AppTest

from pages.shared import jobs
from rrcore.errors import InputError
from rrcore.work import prepare_worker

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # a worker does not import what tests import


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


@pytest.mark.parametrize(
    ("told", "counted"), [("203.0.113.7", "203.0.113.7"), ("2001:db8:1:2::7", "2001:db8:1:2::/64"), (None, "")]
)
def test_jobs_count_for_the_address_of_their_visitor(monkeypatch, told, counted):
    monkeypatch.setattr(type(jobs.st.context), "ip_address", told)
    app = run(single, lambda report: iter("ab"))
    assert app.session_state["jobs"].house == (counted or app.session_state["jobs"])


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
    job = app.session_state["jobs"].jobs["job"]
    assert job.done.wait(30)
    assert texts(app) == ["pieces ['first']", "The work was stopped; what is finished is shown."]
    gate.set()
    monkeypatch.setattr(jobs, "PATIENCE", 10)
    assert texts(app.button(key="again_job").click().run()) == ["pieces ['first', 'last']"]


@pytest.fixture
def processes(monkeypatch):
    """Jobs in processes of their own, one at a time."""
    prepare_worker()
    monkeypatch.setattr(jobs, "QUEUE", Queue(each=1, all=1))
    monkeypatch.setattr(jobs, "PATIENCE", 5)


def endless(report):
    yield os.getpid()
    report(0.25, "thinking")
    while True:
        pass


def at_work(app):
    """The job of a page, once it has handed over the number of its process."""
    job, until = app.session_state["jobs"].jobs["job"], time.monotonic() + 30
    while not job.text:
        assert time.monotonic() < until
        time.sleep(0.01)
    return job


def test_stop_ends_a_process_that_reports_nothing_more(processes, monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", 0)
    job = at_work(app := run(several, endless))
    app.run()
    assert (app.get("progress")[0].proto.value, app.get("progress")[0].proto.text) == (25, "thinking ...")
    (pid,) = job.pieces
    app.button(key="stop_job").click().run()
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert texts(app) == [f"pieces [{pid}]", "The work was stopped; what is finished is shown."]


def test_a_process_that_is_lost_is_one_sentence_and_can_be_started_again(processes, tmp_path):
    mark = tmp_path / "once"

    def make(report):
        yield "first"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), 9)
        yield "last"

    app = run(several, make)
    (error,) = app.error
    assert error.value.startswith("The calculation was cut off")
    assert (texts(app), len(app.exception)) == (["pieces ['first']"], 0)
    assert texts(app.button(key="again_job").click().run()) == ["pieces ['first', 'last']"]
    assert not app.error


def test_who_waits_is_told_for_what_and_may_stop(processes, monkeypatch):
    def script():
        import streamlit as st

        from pages.shared import jobs

        for name in ("one", "two"):
            jobs.result(name, 1, st.session_state["make"], what="The work")

    monkeypatch.setattr(jobs, "PATIENCE", 0)
    app = run(script, lambda report: [*endless(report)])
    assert app.get("progress")[1].proto.text == "Waiting for 1 calculation of yours, place 1 in line ..."
    app.button(key="stop_two").click().run()
    assert [caption.value for caption in app.caption] == ["The work was stopped."]
    app.button(key="stop_one").click().run()
    assert [caption.value for caption in app.caption] == ["The work was stopped."] * 2


def test_what_goes_on_unseen_is_said_and_can_be_stopped(processes, monkeypatch):
    def script():
        import streamlit as st

        from pages.shared import jobs

        jobs.owner().shown.clear()
        if st.checkbox("look", value=True):
            jobs.result("one", 1, st.session_state["make"], what="The audit")
        jobs.show_others()

    monkeypatch.setattr(jobs, "PATIENCE", 0)
    app = run(script, lambda report: [*endless(report)])
    assert not app.caption
    app.checkbox[0].uncheck().run()
    assert app.caption[0].value.startswith("Also at work: the audit, ")
    with monkeypatch.context() as full:
        full.setattr(jobs, "_waiting", lambda job: "Waiting for 1 calculation of others")
        assert app.run().caption[0].value == "Waiting for 1 calculation of others: the audit"
    app.button(key="stop_other_one").click().run()
    assert not app.caption
    assert "The audit was stopped." in app.checkbox[0].check().run().caption[0].value
