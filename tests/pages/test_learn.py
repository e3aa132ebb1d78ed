"""Learn: the chapters with a question, and a class poll from its form to its end."""

from __future__ import annotations

import datetime as dt
import json
import secrets
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pages.learn import poll as page
from rrcore.designs.classroom import PollDesign
from rrcore.errors import MissingExtraError
from rrcore.learn import CHAPTERS, QUESTION, lesson
from rrcore.learn.numbers import lesson_numbers
from rrcore.limits import MAX_TEXT
from rrcore.receiver import Submission, poll_folder
from rrcore.receiver import poll as polls
from rrcore.receiver.server_status import note_served
from tests.programs import node

TODAY = dt.date.today()

ASKED = "Have you ever <b>copied</b>?"


def lesson_frame(session):
    (mounted,) = (one.proto for one in session.at.get("bidi_component") if one.proto.component_name == "rr_workbench.lesson")
    return json.loads(mounted.json)


@pytest.mark.parametrize("table", ["titanic", ""])
def test_chapters_show_the_question_in_the_field(open_session, table):
    session = open_session("/learn", table=table)
    assert (
        lesson_frame(session)["question"] == session.widget("text_input", "Sensitive question for the chapters").value == QUESTION
    )
    session.set("text_input", "Sensitive question for the chapters", "  Have you ever?  ")
    assert lesson_frame(session)["question"] == "Have you ever?"
    assert session.widget("text_input", "Sensitive question for the chapters").proto.max_chars == MAX_TEXT
    assert session.download("learn.html") == lesson("Have you ever?")


@pytest.fixture
def serverless(monkeypatch, tmp_path):
    """Servers are noted and answer until they end, and nothing runs."""
    faults = {}
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(poll_folder.tempfile, "tempdir", None)
    monkeypatch.setattr(polls, "start_server", lambda store, served: replace(served, run=note_served(store, served)))
    monkeypatch.setattr(polls, "fault_at", lambda served, address: faults.get(address, ""))
    monkeypatch.setattr(polls, "end_serving", lambda store, served: faults.update({served.own: "Nothing answers."}))
    monkeypatch.setattr("rrcore.receiver.launch.address_in_network", lambda: "127.0.0.1")
    return faults


def polled(session):
    return session.at.session_state["pages.learn.poll.Polled"]


def send(session, *codes):
    polled(session).running.store.add([Submission((code,), secrets.token_bytes(32)) for code in codes], TODAY)


def drawn(session):
    return "".join(found.proto.body for found in session.at.get("html"))


def start(session, question=ASKED, **options):
    session.go("learn", "Class poll").set("text_input", "Question for the class", question)
    for label, (kind, value) in options.items():
        session.set(kind, label.replace("_", " "), value)
    return session.click("Start the poll")


def test_the_form_shows_what_a_class_can_reach(session):
    session.go("learn", "Class poll")
    assert PollDesign(30, 84).sentences()[0] in session.text
    assert session.widget("text_input", "Question for the class").placeholder == ""
    session.set("number_input", "Class size", 8).set("slider", "95% margin of error, at most", 10.0)
    assert len(session.warnings) == 1
    session.set("text_input", "Answers, separated by commas", "yes")
    assert len(session.errors) == 1
    assert not session.has("button", "Start the poll")


def test_a_poll_from_its_start_to_its_end(session, serverless, tmp_path):
    start(session, Access=("radio", "room"))
    (folder,) = tmp_path.glob("rr-poll-*")
    assert "<b>" not in session.text.replace(r"\<b>", "")
    send(session, *[0] * 14, *[1] * 8)
    assert "22 of 30" in drawn(session.run())
    assert "stSidebar" in drawn(session.click("Show full screen"))
    send(session, 1)
    session.click("Leave full screen").click("End the poll")
    assert not folder.exists()
    assert "23 of 30" in drawn(session)
    assert sorted(session.download("answers.csv").split()[1:]) == ["no"] * 14 + ["yes"] * 9
    assert '"class poll' in session.download("mechanism.json")
    session.click("Start another poll")
    assert session.widget("text_input", "Question for the class").value == ASKED


def test_a_closed_page_finds_its_poll_again(session, serverless, open_session):
    start(session)
    send(session, 0, 1, 0)
    session.run()
    other = open_session().go("learn", "Class poll").click("Show")
    assert "3 of 30" in drawn(other)
    other.click("End the poll")
    session.run()  # still shows it
    assert len(session.errors) == 1
    session.click("End the poll")
    assert "3 of 30" in drawn(session)  # from the last look of this page


def test_a_late_answer_is_refused_as_closed(session, serverless, monkeypatch):
    start(session)
    late, answer = [], [Submission((1,), secrets.token_bytes(32))]
    monkeypatch.setattr(polls, "end_serving", lambda store, served: late.extend(store.add(answer, TODAY)))
    session.click("End the poll")
    assert late == ["closed"]


def test_more_answers_than_people_are_a_warning(session, serverless):
    start(session, Class_size=("number_input", 5))
    send(session, *[0] * 4, 1, 1)
    assert len(session.run().warnings) == 1


@pytest.mark.parametrize("address", ["", "www"])
def test_a_poll_that_cannot_start_says_why(session, serverless, tmp_path, address):
    options = {"Access": ("radio", "room"), "Address_of_this_computer_in_the_network": ("text_input", address)}
    start(session, ASKED if address else "  ", **(options if address else {}))
    assert len(session.errors) == 1
    assert polled(session).running is None
    assert list(tmp_path.glob("rr-poll-*")) == []


def test_without_the_receiver_there_is_no_start(session, monkeypatch):
    def lacks(library, *about, **more):
        raise MissingExtraError("A class poll needs 'segno': install it.")

    monkeypatch.setattr(page, "need", lacks)
    session.go("learn", "Class poll")
    assert len(session.warnings) == 1
    assert not session.has("button", "Start the poll")


@pytest.mark.browser  # needs Node.js
@pytest.mark.slow
def test_links_of_chapters_open_without_complaint(open_session):
    task = json.dumps({"data": lesson_numbers(), "states": [[i, {}] for i in range(len(CHAPTERS))]})
    script = Path(__file__).parents[1] / "learn" / "links.mjs"
    run = subprocess.run([node(), script], input=task, capture_output=True, text=True, timeout=60, check=True)
    for link in dict.fromkeys(json.loads(run.stdout)):
        session = open_session(f"/{link}")
        assert [each for each in (*session.warnings, *session.errors) if "link" in each] == []


def test_a_demo_starts_no_poll(monkeypatch):
    monkeypatch.setenv("RR_WORKBENCH_DEMO", "yes")
    found = page.Polled()
    found.start(ASKED, PollDesign(30, 84), "en", "")
    assert found.running is None
    assert found.problem
