"""Learn: what a class can learn, a poll from its first look to its end, and what goes wrong."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace

import pytest

from pages.learn import polldesign
from rrcore.designs.classroom import PollDesign, poll_design
from rrcore.errors import MissingExtraError
from rrcore.receiver import Submission, pollplace
from rrcore.receiver import poll as polls
from rrcore.receiver.running import note_served
from tests.pages.field.test_field_page import TODAY

QUESTION = "Have you ever <b>copied</b>?"


@pytest.fixture
def serverless(monkeypatch, tmp_path):
    """Servers are written down and answer until they are ended, and nothing runs."""
    faults = {}

    def started(store, served):
        return replace(served, run=note_served(store, served))

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(pollplace.tempfile, "tempdir", None)
    monkeypatch.setattr(polls, "start_server", started)
    monkeypatch.setattr(polls, "fault_at", lambda served, address: faults.get(address, ""))
    monkeypatch.setattr(polls, "end_serving", lambda store, served: faults.update({served.own: "Nothing answers."}))
    monkeypatch.setattr("rrcore.receiver.launch.address_in_network", lambda: "127.0.0.1")
    return faults


def send(session, *codes):
    running = session.at.session_state["pages.learn.polled.Polled"].running
    running.store.add([Submission((code,), secrets.token_bytes(32)) for code in codes], TODAY)


def drawn(session):
    """What stands on the wall."""
    return "".join(found.proto.body for found in session.at.get("html"))


def at_poll(session):
    return session.go("learn").look_at("learn_section", "poll")


def start(session, **options):
    at_poll(session).set("text_input", "Question", QUESTION)
    for label, (kind, value) in options.items():
        session.set(kind, label.replace("_", " "), value)
    return session.click("Start the poll")


def test_before_anything_is_asked_it_is_said_what_the_class_can_learn(session):
    at_poll(session)
    assert PollDesign(30, 84).sentences()[0] in session.text
    session.set("number_input", "People in the class", 200).set("slider", "Precision wanted", 10.0)
    design = poll_design(200, 0.1)
    assert design.sentences()[0] in session.text
    assert session.warnings == []
    session.set("number_input", "People in the class", 8)
    assert "A class of 8 cannot reach ± 10 points" in session.warnings[0]
    session.set("text_input", "Possible answers, with commas between", "never, once, often")
    assert "“often”" in session.text
    session.set("text_input", "Possible answers, with commas between", "yes")
    assert re.findall(r"\d+", session.errors[0]) == ["1", "2", "6"]
    assert not [button for button in session.at.button if button.label == "Start the poll"]


def test_a_poll_from_its_start_to_its_end(session, serverless, tmp_path):
    start(session, Who_can_open_it=("radio", "room"))
    assert session.errors == []
    assert "0 of 30 have answered" in drawn(session)
    assert "<b>" not in session.text.replace(r"\<b>", "")
    (folder,) = tmp_path.glob("rr-poll-*")
    send(session, *[0] * 14, *[1] * 8)
    session.run()
    assert "22 of 30 have answered" in drawn(session)
    assert re.search(r"“yes”: \d+ % \(\d+ to \d+\) of the 22 who answered", session.text)
    assert "The interval holds for one look" in session.text
    assert "Not encrypted" in session.text
    session.click("Show on the wall")
    assert "stSidebar" in drawn(session)
    send(session, 1)
    session.click("Leave the wall").click("End the poll")
    assert not folder.exists()
    assert "23 of 30" in drawn(session)
    session.at.session_state["poll_keep"] = True
    session.run()
    assert sorted(session.download("answers.csv").split()[1:]) == ["no"] * 14 + ["yes"] * 9
    assert '"class poll' in session.download("mechanism.json")
    session.click("New poll")
    assert session.widget("text_input", "Question").value == QUESTION


def test_a_page_that_was_closed_finds_its_poll_again(session, serverless, open_session):
    start(session)
    send(session, 0, 1, 0)
    session.run()
    other = open_session().go("learn")
    assert "A poll is running" in other.text  # wherever one looks first
    other.click("Show it")
    assert "3 of 30 have answered" in drawn(other)
    other.click("End the poll")
    session.run()  # which still shows it
    assert "This poll has ended" in session.errors[0]
    session.click("End the poll")
    assert "3 of 30 have answered" in drawn(session)  # what this page saw last


def test_who_answers_while_the_poll_is_being_ended_is_told_that_it_is_closed(session, serverless, monkeypatch):
    start(session)
    send(session, 0, 1, 0)
    late = []
    answer = [Submission((1,), secrets.token_bytes(32))]
    monkeypatch.setattr(polls, "end_serving", lambda store, served: late.extend(store.add(answer, TODAY)))
    session.click("End the poll")
    assert late == ["closed"]
    assert "3 of 30 have answered" in drawn(session)


def test_more_answers_than_people_are_told(session, serverless):
    start(session, People_in_the_class=("number_input", 5))
    send(session, *[0] * 4, 1, 1)
    session.run()
    assert "6 answers came from a class of 5" in session.warnings[0]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ({"Question": ("text_input", "  ")}, "The question has 0 characters"),
        (
            {"Who_can_open_it": ("radio", "room"), "This_computer's_address_in_the_room's_network": ("text_input", "www")},
            "is no address of a computer in a network",
        ),
    ],
)
def test_a_poll_that_cannot_start_says_why(session, serverless, tmp_path, typed, told):
    start(session, **typed)
    assert told in session.errors[0]
    assert list(tmp_path.glob("rr-poll-*")) == []


def test_where_the_receiver_is_not_installed_the_numbers_are_there_and_no_button(session, monkeypatch):
    def lacks(library, *about, **more):
        raise MissingExtraError("A class poll needs 'segno': install it.")

    monkeypatch.setattr(polldesign, "need", lacks)
    at_poll(session)
    assert "A class poll needs 'segno'" in session.text
    assert PollDesign(30, 84).sentences()[0] in session.text
    assert not [button for button in session.at.button if button.label == "Start the poll"]
