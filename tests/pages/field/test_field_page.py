"""Field: no survey, an invented one, one that is running, its end, and what goes wrong."""

import datetime as dt

import numpy as np
import pytest

from rrcore.collect import MechanismFile
from rrcore.collect.field import invented_survey
from rrcore.collect.receiver import Submission, create_store, open_store
from rrcore.commands.app import SURVEY_VARIABLE
from rrcore.ledger import Ledger

TODAY = dt.date.today()


@pytest.fixture(scope="module")
def invented():
    return invented_survey(TODAY, rng=np.random.default_rng(1))


@pytest.fixture
def store(tmp_path, invented):
    """A survey of three days with 200 answers."""
    made = create_store(str(tmp_path / "pilot.survey"), invented.mechanism, title="Pilot", questions={"violence": "Has anybody?"})
    for back, rows in ((2, slice(0, 90)), (1, slice(90, 150)), (0, slice(150, 200))):
        send(made, invented.answers.dataset.codes[rows], TODAY - dt.timedelta(back), str(back))
        made.opened(70, TODAY - dt.timedelta(back))
    return made


def send(store, codes, day, mark):
    store.add([Submission(tuple(map(int, row)), f"{mark} {i}".encode()) for i, row in enumerate(codes)], day)


@pytest.fixture
def page(session, store, shelves):
    return session.go("field").click("Open")


def test_without_a_survey_one_is_started_with_the_mechanism_in_play(session):
    session.go("field")
    assert "No survey is open" in session.text
    assert any(code.value.startswith("rrcore serve --mechanism mechanism.json --db pilot.survey") for code in session.at.code)
    assert MechanismFile.from_json(session.download("mechanism.json")).schema.names == ("Class", "Sex", "Age", "Survived")
    assert "collect" in session.links


def test_without_a_survey_the_page_says_where_it_looks(session, shelves, tmp_path):
    session.go("field")
    assert f"There is no file whose name ends in .survey in {tmp_path}" in session.text.replace("\\", "")
    shelves(hosts=("rr.example.org",))
    session.run()
    assert "The operator of this dashboard has set no folder for surveys." in session.text
    shelves(surveys=str(tmp_path))
    (tmp_path / "none.survey").write_text("no database")
    session.run().click("Open")
    (error,) = session.errors
    assert error == "'none.survey' is not a survey: check the path, or create a new one."
    session.click("Try an invented survey")
    assert session.errors == []


def test_an_invented_survey_is_marked_and_cannot_be_closed(session):
    session.go("field").click("Try an invented survey")
    assert "nobody gave these answers" in session.text
    assert "valid however often you look" in session.text
    assert "field-share" in session.figures
    assert not any(expander.label == "Close the survey" for expander in session.at.expander)
    session.click("Leave")
    assert "No survey is open" in session.text


def test_a_running_survey(page, store, invented):
    assert "200 answers in 3 days put “violence: yes” at" in page.text
    assert "200 answers**, 50 of them today; 210 forms opened, 10 of them not sent" in page.text
    assert "Has anybody?" in page.text
    assert len(page.figures["field-share"].spec["data"][2]["x"]) == 3
    send(store, invented.answers.dataset.codes[200:260], TODAY, "later")
    page.click("Look again")
    assert "260 answers in 3 days" in page.text
    page.set("selectbox", "Question", "sought help")
    assert "“sought help: no”" in page.text
    page.set("number_input", "Precision wanted (points)", 50.0)
    assert "± 50 points are reached" in page.text


def test_answers_go_to_read_and_the_report_is_there(page):
    assert page.download("findings.html").startswith("<!doctype html>")
    page.click("Read these answers")
    assert page.title == "Read"
    assert "200 answers" in page.text


def test_a_survey_before_its_first_answer(session, tmp_path, invented, shelves):
    store = create_store(str(tmp_path / "new.survey"), invented.mechanism, title="New")
    store.opened(3, TODAY)
    session.go("field").click("Open")
    assert "“New” is open, and no answer has arrived yet; 3 forms were opened." in session.text
    assert "Hand out the form's address" in session.text
    assert not session.has("button", "Read these answers")


@pytest.mark.slow
def test_closing_asks_for_a_confirmation_records_and_freezes(page, store, tmp_path):
    ledger = Ledger.open(str(tmp_path / "releases.ledger"), create=True)
    page.at.session_state["field_close"] = True
    page.at.session_state["field_ledger"] = "releases.ledger"
    assert ledger.entries() == ()
    page.run()
    assert page.widget("button", "Close it now").disabled
    page.set("checkbox", "No more answers are wanted: close it for good", True).click("Close it now")
    assert "The group of people is not named" in page.errors[0]
    assert store.closed is None
    page.set("text_input", "Group of people", "panel 2026").click("Close it now")
    assert page.errors == []
    assert open_store(store.place).closed == TODAY
    assert [entry.people for entry in ledger.entries()] == [200]
    told = [success.value for success in page.at.success]
    assert told[0].endswith("with 200 answers. Answers that come now are refused.")
    assert "The ledger holds it as number 1" in told[1]
    assert not page.has("button", "Look again")
    assert "closed on" in page.text


def test_the_survey_that_the_program_was_started_with(open_session, store, monkeypatch):
    monkeypatch.setenv(SURVEY_VARIABLE, store.place)
    session = open_session("/field")
    assert "“Pilot”" in session.text
    monkeypatch.setenv(SURVEY_VARIABLE, store.place + "x")
    session = open_session("/field")
    assert "There is no survey" in session.errors[0]
    session.click("Leave")
    assert "No survey is open" in session.text
