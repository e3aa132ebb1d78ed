"""Survey: from the plan to a form, a running survey, its estimates and its end."""

import datetime as dt
import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest

from pages.survey import closing as closing_section
from pages.survey import serving
from rrcore.asking import Screens, SurveyFile, qr_code
from rrcore.asking.translation import Translation
from rrcore.cli.dashboard import SURVEY_VARIABLE
from rrcore.errors import InputError
from rrcore.ledger import Ledger
from rrcore.promise import MechanismFile
from rrcore.promise.certificate_files import check_script
from rrcore.receiver import Submission, create_store, open_store, server_status
from rrcore.receiver.invitations import use_code
from rrcore.receiver.monitoring import SurveySoFar
from rrcore.receiver.server_status import note_served, served_of
from rrcore.table import Attribute
from tests.receiver.invented import invented_survey

TODAY = dt.date.today()
SURE = "Take no more answers. This is final."
ADDRESS = "Address to which the downloaded form sends answers (optional)"
FURTHER = "Questions without randomization, one per line"
START = "Start the survey"


@pytest.fixture
def survey(session):
    return session.go("survey")


def mechanism(session):
    return MechanismFile.from_json(session.download("mechanism.json"))


def in_file(session):
    return SurveyFile.from_json(session.download("survey.json"))


def write(session, column, texts, *, editor=0):
    """Type into a column of the table of questions, or of translations; ``texts`` by row."""
    key = session.at.data_editor[editor].key
    edited = {row: {column: text} for row, text in texts.items()}
    session.at.session_state[key] = {"edited_rows": edited, "added_rows": [], "deleted_rows": []}
    return session.run()


# Ask people


def test_the_plan_becomes_a_form_and_a_mechanism_file(survey):
    file = mechanism(survey)
    assert file.schema.names == ("Class", "Sex", "Age", "Survived")
    assert in_file(survey).mechanism == survey.at.session_state["work"].made_file == file
    assert file.sha256 in survey.text
    assert file.sha256 in survey.download("certificate.txt")
    assert survey.download("check.py") == check_script()
    fingerprint = hashlib.sha256(survey.download("form.html").encode()).hexdigest()
    assert fingerprint in survey.text


def test_a_declared_plan_is_enough_and_without_one_there_are_doors(session, open_session):
    session.declaring().go("survey")
    assert mechanism(session).schema.names == ("smokes", "health", "region")
    empty = open_session("/survey", table="")
    assert empty.has("selectbox", "Demo table")
    assert not empty.has("button", START)


def test_the_form_asks_what_was_typed(survey):
    survey.set("text_input", "Title", "Passengers").set("text_input", "Introduction", "Thank you <b>all</b>.")
    survey.set("text_input", ADDRESS, "https://example.org/in").set("selectbox", "Language", "pt")
    made = write(survey, "Question", {1: "Are you a woman or a man?"}).download("form.html")
    for text in (
        "<title>Passengers</title>",
        "Thank you &lt;b&gt;all&lt;/b&gt;.",
        '<html lang="pt">',
        "Are you a woman or a man?",
    ):
        assert text in made
    assert "connect-src https://example.org" in made
    assert survey.at.session_state["work"].draft.wording["Sex"] == "Are you a woman or a man?"
    survey.go("budget").go("survey")
    assert "Are you a woman or a man?" in survey.download("form.html")
    survey.at.session_state["work"].change(wording={"Class": "Which class?"})  # as an opened project, or Undo, has it
    assert survey.run().at.data_editor[0].value["Question"].tolist() == ["Which class?", "", "", ""]
    assert "Are you a woman or a man?" not in survey.download("form.html")
    assert len(survey.set("text_input", ADDRESS, "ftp://example.org").errors) == 1
    assert not survey.has("button", START)


def test_questions_are_moved_by_their_number(survey):
    write(survey, "No.", {2: 1})
    assert in_file(survey).order == ("Age", "Class", "Sex", "Survived")
    assert survey.at.data_editor[0].value["No."].tolist() == [2, 3, 1, 4]
    write(survey, "No.", {2: 4})
    assert in_file(survey).order == ("Class", "Sex", "Survived", "Age")


def test_further_languages_and_questions_without_randomization_reach_the_survey_file(session):
    survey = session.declaring().declare("smokes: no, yes").go("survey").set("text_area", FURTHER, "region: north, south")
    survey.set("multiselect", "Further languages", ["fr"])
    write(survey, "fr", {0: "Santé", 2: "Fumez-vous ?", 3: "non, oui", 5: 'nord, "sud, ou est"'}, editor=1)
    french = Translation("Santé", "", {"smokes": "Fumez-vous ?"}, {"smokes": ("non", "oui"), "region": ("nord", "sud, ou est")})
    found = in_file(survey)
    assert found.unrandomized == (Attribute("region", ("north", "south")),)
    assert found.mechanism.schema.names == ("smokes",)
    assert found.translations["fr"].categories == french.categories
    assert found.translations["fr"].title == french.title
    survey.set("text_area", FURTHER, "")  # what was typed about a question that is gone is not in the file, and not lost
    assert in_file(survey).translations["fr"].categories == {"smokes": ("non", "oui")}
    survey.set("text_area", FURTHER, "region: north, south")
    assert in_file(survey).translations["fr"].categories == french.categories
    write(survey, "fr", {3: "non, oui, parfois"}, editor=1)
    assert len(survey.errors) == 1
    assert not survey.has("download_button", "Download survey file")


@pytest.mark.parametrize("typed", ["smokes: a, b", "region: north"])
def test_questions_that_cannot_be_asked_are_refused(session, typed):
    session.declaring().go("survey").set("text_area", FURTHER, typed)
    assert len(session.errors) >= 1
    assert not session.has("download_button", "Download survey file")


def test_the_screens_of_the_form_are_chosen(survey):
    survey.set("multiselect", "Screens of the form", ["one_at_a_time"])
    assert in_file(survey).screens == Screens(picture=False, practice=False)
    assert 'id="practice"' not in survey.download("form.html")


def test_a_mechanism_file_instead_of_the_plan(survey):
    text = survey.download("mechanism.json")
    uploader = survey.at.file_uploader(key="survey_mechanism")
    broken = text.replace('"nats": "', '"nats": "0', 1)
    uploader.set_value(("mine.json", broken.encode(), "application/json"))
    assert len(survey.run().errors) == 1
    survey.at.session_state["work"].set_epsilon({"Sex": 0.5})
    survey.at.file_uploader(key="survey_mechanism").set_value(("mine.json", text.encode(), "application/json"))
    assert survey.run().errors == []
    assert survey.download("mechanism.json") == text


def test_a_plan_is_tried_on_invented_answers(survey):
    survey.click("Try it on invented answers")
    assert survey.title == "Analyze"
    assert survey.at.session_state["pages.shared.answers.HeldAnswers"].answers is not None


# Running survey


@pytest.fixture(scope="module")
def invented():
    return invented_survey(TODAY, rng=np.random.default_rng(1))


@pytest.fixture(scope="module")
def collected(invented, tmp_path_factory):
    """Where a survey of three days with 200 answers is."""
    made = create_store(
        str(tmp_path_factory.mktemp("collected") / "pilot.survey"),
        invented.mechanism,
        title="Pilot",
        questions={"violence": "Has anybody?"},
    )
    for back, rows in ((2, slice(0, 90)), (1, slice(90, 150)), (0, slice(150, 200))):
        send(made, invented.answers.dataset.codes[rows], TODAY - dt.timedelta(back), str(back))
        made.opened(70, TODAY - dt.timedelta(back))
    return Path(made.place)


@pytest.fixture
def store(tmp_path, collected):
    """The survey of three days with 200 answers, for one test alone."""
    for file in collected.parent.iterdir():
        shutil.copy(file, tmp_path)
    return open_store(str(tmp_path / collected.name))


def send(store, codes, day, mark):
    store.add([Submission(tuple(map(int, row)), f"{mark} {i}".encode()) for i, row in enumerate(codes)], day)


@pytest.fixture
def page(session, store, here):
    return session.go("survey", "Running survey").click("Open")


@pytest.fixture
def serverless(monkeypatch, tmp_path):
    """Servers that are started in this test's folder are written down and answer, and nothing runs."""
    monkeypatch.chdir(tmp_path)
    faults = {}
    monkeypatch.setattr("rrcore.receiver.launch.start_server", note_served)
    for module in (serving, server_status):
        monkeypatch.setattr(module, "fault_at", lambda served, address: faults.get(address, ""))

    def ended(store, served):
        faults[served.own] = "Nothing answers."
        server_status.end_serving(store, served)

    monkeypatch.setattr(serving, "end_serving", ended)
    return faults


def test_a_survey_is_started_paused_stopped_and_closed(survey, serverless, tmp_path):
    survey.set("text_input", "Title", "Ünited <b>City</b>").set("selectbox", "Language", "fr")
    write(survey, "Question", {3: "Did you survive?"}).click(START)
    store = open_store(str(tmp_path / "united-b-city-b.survey"))
    assert (store.title, store.language, store.questions) == ("Ünited <b>City</b>", "fr", {"Survived": "Did you survive?"})
    served = served_of(store)
    assert (served.host, served.address) == ("127.0.0.1", f"http://localhost:{served.port}")
    assert survey.download("qr-code.svg") == qr_code(served.address)
    survey.click("Pause")
    assert store.refusing == "paused"
    survey.click("Resume")
    assert store.refusing == ""
    survey.click("Stop the server")
    assert survey.warnings == []
    survey.click("Start it again")
    assert len(survey.warnings) == 1  # the new one does not answer, and nobody has stopped it
    serverless.clear()
    assert survey.run().has("button", "Pause")
    closing(survey).click("Close it now")
    assert open_store(store.place).closed == TODAY
    assert survey.has("button", "Stop the server")


def test_a_second_survey_of_a_title_gets_another_file(open_session, serverless, tmp_path):
    for _ in range(2):
        open_session().go("survey").click(START)
    assert {each.name for each in tmp_path.glob("*.survey")} == {"survey.survey", "survey-2.survey"}


def test_a_survey_whose_computer_has_another_address_now_is_started_there(survey, serverless, monkeypatch, tmp_path):
    survey.click(START)
    store = open_store(str(tmp_path / "survey.survey"))
    note_served(store, server_status.Served("192.168.1.20", 8600, "https://192.168.1.20:8600"))
    serverless["https://192.168.1.20:8600"] = serverless["http://192.168.1.20:8600"] = "Nothing answers."
    survey.run().at.session_state["field_elsewhere"] = True
    monkeypatch.setattr("rrcore.receiver.launch.address_in_network", lambda: "127.0.0.1")
    survey.run().set("radio", "Who can reach the form?", "room").click("Start it there")
    assert survey.errors == []
    found = served_of(store)
    assert (found.host, found.address) == ("127.0.0.1", f"https://127.0.0.1:{found.port}")


def test_nobody_is_invited_before_the_address_was_tried(survey, serverless, tmp_path):
    survey.set("radio", "Who can reach the form?", "server").click(START)
    assert len(survey.errors) == 1
    assert list(tmp_path.glob("*.survey")) == []
    serverless["https://survey.example.org"] = "Nothing answers at https://survey.example.org (no answer): check the name."
    survey.set("text_input", "Address that respondents open", "https://survey.example.org/").click(START)
    assert survey.errors == []
    assert len(survey.warnings) == 1
    assert not any(label == "invitation.html" for _, label in survey.files)
    serverless.clear()
    survey.click("Try again")
    assert "<svg" in survey.download("invitation.html")


def test_invited_people_get_codes_that_work_once(survey, serverless, tmp_path):
    survey.set("checkbox", "Invited people only", True).click(START)
    store = open_store(str(tmp_path / "survey.survey"))
    rows = survey.set("number_input", "Number of codes", 3).download("codes.csv").splitlines()
    assert rows[0] == "code,link"
    assert [use_code(store, row.split(",")[0]) for row in rows[1:]] == ["free"] * 3


def test_a_survey_is_started_by_the_plan_as_it_is_now(survey, serverless):
    before = mechanism(survey)
    survey.at.session_state["work"].set_epsilon({"Sex": 0.5})
    survey.run().click(START)
    started = open_store(survey.at.session_state["pages.survey.opening.OpenSurvey"].path).mechanism
    assert started.sha256 != before.sha256
    assert started == survey.at.session_state["work"].made_file


def test_a_running_survey_shows_answers_and_estimates(page, store, invented):
    assert "200" in page.text
    assert "Has anybody?" in page.text
    assert len(page.figures["field-share"].spec["data"][2]["x"]) == 3
    watched = SurveySoFar.of(store).watch(["violence"])
    shown = next(each.value for each in page.at.dataframe if "Share (95% CI)" in each.value.columns)
    assert list(shown["Share (95% CI)"]) == [watched.share_text((i,)) for i in range(2)]
    send(store, invented.answers.dataset.codes[200:260], TODAY, "later")
    assert "260" in page.run().text
    page.set("selectbox", "Question", "sought help")
    assert len(next(each.value for each in page.at.dataframe if "Share (95% CI)" in each.value.columns)) == 3


def test_a_survey_before_its_first_answer_and_a_paused_one(session, tmp_path, invented, here):
    store = create_store(str(tmp_path / "new.survey"), invented.mechanism, title="New")
    session.go("survey", "Running survey").click("Open")
    assert not session.has("button", "Analyze these answers")
    before = session.text
    store.pause(TODAY)
    assert session.run().text != before


def test_answers_are_analyzed_and_reported(page):
    assert page.download("findings.html").startswith("<!doctype html>")
    page.click("Analyze these answers")
    assert page.title == "Analyze"
    assert page.at.session_state["pages.shared.answers.HeldAnswers"].answers.n == 200


def closing(page):
    """All that is asked before the button."""
    page.at.session_state["field_close"] = True
    return page.run().set("checkbox", SURE, True)


def test_closing_asks_for_a_confirmation_records_and_freezes(page, store, tmp_path):
    ledger = Ledger.open(str(tmp_path / "releases.ledger"), create=True)
    page.at.session_state["field_close"] = True
    assert page.run().widget("button", "Close it now").disabled
    page.set("selectbox", "Record it in the history", "releases.ledger").set("checkbox", SURE, True).click("Close it now")
    assert len(page.errors) == 1  # the group of people is not named
    assert store.closed is None
    page.set("text_input", "Group of people", "panel 2026").click("Close it now")
    assert page.errors == []
    assert open_store(store.place).closed == TODAY
    assert [entry.people for entry in ledger.entries()] == [200]
    assert not page.has("button", "Close it now")


def test_a_survey_closed_without_a_history_leads_to_one(page, store):
    closing(page).click("Close it now").click("Add to the history")
    assert page.title == "Release"
    page.set("text_input", "Name", "late").click("Create")
    assert page.widget("number_input", "Number of people (optional)").value == 200
    page.set("text_input", "Name of the group of people", "panel").click("Record this release")
    (entry,) = Ledger.open(page.at.session_state["pages.shared.opened.OpenLedger"].path).entries()
    assert (entry.sha256, entry.people) == (store.mechanism.sha256, 200)


def test_a_survey_that_could_not_be_recorded_leads_to_a_history(page, store, monkeypatch, tmp_path):
    """Its ledger went away between the look at it and the entry."""

    def lost(*_, **__):
        raise InputError("Locked: releases.ledger")

    Ledger.open(str(tmp_path / "releases.ledger"), create=True)
    closing(page).set("selectbox", "Record it in the history", "releases.ledger").set("text_input", "Group of people", "panel")
    monkeypatch.setattr(Ledger, "add_once", lost)
    assert page.click("Close it now").errors == ["Locked: releases.ledger"]
    assert store.closed == TODAY
    assert page.has("button", "Add to the history")


def test_a_press_without_the_confirmation_does_not_close(page, store):
    """Both come in one message, in which the button still is as the page before showed it."""
    closing(page).widget("checkbox", SURE).set_value(False)
    assert len(page.click("Close it now").errors) == 1
    assert store.closed is None


def test_what_went_wrong_is_shown_once(page, monkeypatch):
    def refused(*_, **__):
        raise InputError("It cannot be ended.")

    monkeypatch.setattr(closing_section, "close_survey", refused)
    assert closing(page).click("Close it now").errors == ["It cannot be ended."]


def test_the_survey_that_the_program_was_started_with(open_session, store, monkeypatch):
    monkeypatch.setenv(SURVEY_VARIABLE, store.place)
    session = open_session().go("survey", "Running survey")
    assert "200" in session.text
    monkeypatch.setenv(SURVEY_VARIABLE, store.place + "x")
    session = open_session().go("survey", "Running survey")
    assert len(session.errors) == 1
    assert session.click("Leave this survey").errors == []
