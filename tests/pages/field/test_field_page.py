"""Field: no survey, an invented one, one that is running, its end, and what goes wrong."""

import datetime as dt
import shutil
from pathlib import Path

import numpy as np
import pytest

from pages.field import closing as closing_section
from pages.field import serving
from pages.shared import verdicts
from rrcore.asking import SurveyFile, qr_code
from rrcore.asking.languages import language
from rrcore.commands.app import SURVEY_VARIABLE
from rrcore.errors import InputError
from rrcore.estimate.anytime import ConfidenceSequence
from rrcore.ledger import Ledger
from rrcore.promise import MechanismFile
from rrcore.receiver import Submission, create_store, open_store, running
from rrcore.receiver.field import SurveySoFar, invented_survey
from rrcore.receiver.invitations import use_code
from rrcore.receiver.running import note_served, served_of

TODAY = dt.date.today()
SURE = "No more answers are wanted: close it for good"


@pytest.fixture(scope="module")
def invented():
    return invented_survey(TODAY, rng=np.random.default_rng(1))


@pytest.fixture(scope="module", autouse=True)
def _what_is_needed_is_sought_once():
    """It follows from the answers and the mechanism, and most pages here show the same ones."""
    seek, found = ConfidenceSequence.answers_for, {}

    def once(self, counts, error):
        about = self.confidence, self.channel.invert(counts).tobytes(), counts.tobytes(), error
        if about not in found:
            found[about] = seek(self, counts, error)
        return found[about]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConfidenceSequence, "answers_for", once)
        yield


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
    return session.go("field").click("Open")


def test_without_a_survey_one_is_started_with_the_mechanism_in_play(session):
    session.go("field")
    assert "No survey is open" in session.text
    assert "collect" in session.links
    session.at.session_state["field_terminal"] = True
    session.run()
    assert any(code.value == "rrcore serve --survey survey.json --db pilot.survey" for code in session.at.code)
    assert MechanismFile.from_json(session.download("mechanism.json")).schema.names == ("Class", "Sex", "Age", "Survived")
    assert SurveyFile.from_json(session.download("survey.json")).title == "Survey"


def started(store, served):
    """As ``start_server``, with no process but what it would have written down."""
    note_served(store, served)


@pytest.fixture
def serverless(monkeypatch, tmp_path):
    """Servers that are started in this test's folder are written down and answer, and nothing runs."""
    monkeypatch.chdir(tmp_path)
    faults = {}
    monkeypatch.setattr("rrcore.receiver.launch.start_server", started)
    for module in (serving, running):
        monkeypatch.setattr(module, "fault_at", lambda served, address: faults.get(address, ""))

    def ended(store, served):
        faults[served.own] = "Nothing answers."
        running.end_serving(store, served)

    monkeypatch.setattr(serving, "end_serving", ended)
    return faults


def test_a_survey_is_started_paused_and_closed_without_a_terminal(session, serverless, tmp_path):
    session.go("collect").set("text_input", "Survived", "Did you survive?")
    session.set("text_input", "Title that respondents see", "Ünited <b>City</b>").set("text_area", "Introduction", "Thank you.")
    session.set("selectbox", "Language of the form", "fr")
    session.go("field").click("Start this survey")
    assert session.errors == []
    store = open_store(str(tmp_path / "united-b-city-b.survey"))
    assert (store.title, store.introduction, store.language) == ("Ünited <b>City</b>", "Thank you.", "fr")
    assert store.questions == {"Survived": "Did you survive?"}
    served = served_of(store)
    assert (served.host, served.address) == ("127.0.0.1", f"http://localhost:{served.port}")
    assert "**:material/check_circle: Running** at" in session.text
    assert any(code.value == served.address for code in session.at.code)
    assert [image.alt for shown in session.at.get("image") for image in shown.proto.imgs] == [f"QR code of {served.address}"]
    assert "<b>" not in session.download("invitation.html")
    assert session.download("qr-code.svg") == qr_code(served.address)
    session.click("Pause")
    assert store.refusing == "paused"
    assert "Paused** at" in session.text
    session.click("Resume")
    assert store.refusing == ""
    session.click("Stop the server")
    assert session.warnings == []
    assert "Its server is stopped: nobody can open the form until it is started again." in session.text
    session.click("Start it again")
    assert "does not answer, so that no answers arrive" in session.warnings[0]  # the new one, which nobody has stopped
    serverless.clear()
    session.run()
    assert "Running** at" in session.text
    session.at.session_state["field_close"] = True
    session.run().set("checkbox", SURE, True).click("Close it now")
    assert open_store(store.place).closed == TODAY
    session.click("Leave").click("Start this survey")
    assert (tmp_path / "united-b-city-b-2.survey").exists()


def test_a_survey_whose_computer_has_another_address_now_is_started_there(session, serverless, monkeypatch, tmp_path):
    """It was served in a room, and the network gives this computer another address: only the former one could be started again."""
    session.go("field").click("Start this survey")
    store = open_store(str(tmp_path / "survey.survey"))
    note_served(store, running.Served("192.168.1.20", 8600, "https://192.168.1.20:8600"))
    serverless["https://192.168.1.20:8600"] = serverless["http://192.168.1.20:8600"] = "Nothing answers."
    session.run().at.session_state["field_elsewhere"] = True
    monkeypatch.setattr("rrcore.receiver.launch.address_in_network", lambda: "127.0.0.1")
    session.run().set("radio", "Who can reach it?", "room").click("Start it there")
    assert session.errors == []
    found = served_of(store)
    assert (found.host, found.address) == ("127.0.0.1", f"https://127.0.0.1:{found.port}")


def test_nobody_is_invited_before_the_address_was_tried(session, serverless, tmp_path):
    session.go("field").set("radio", "Who can reach it?", "server")
    session.click("Start this survey")
    assert "is not understood" in session.errors[0] or "cannot be sent" in session.errors[0]
    assert list(tmp_path.glob("*.survey")) == []
    serverless["https://survey.example.org"] = "Nothing answers at https://survey.example.org (no answer): check the name."
    session.set("text_input", "Address that people will open", "https://survey.example.org/").click("Start this survey")
    assert session.errors == []
    assert session.warnings[0].startswith("Nobody is to be invited yet. Nothing answers at")
    assert not any(label == "invitation.html" for _, label in session.files)
    serverless.clear()
    session.click("Try again")
    assert "<svg" in session.download("invitation.html")
    assert not session.has("button", "Try again")


def test_what_went_wrong_is_said_once_and_beside_what_was_pressed(session, serverless, monkeypatch):
    def refused(*_, **__):
        raise InputError("It cannot be ended.")

    session.go("field").click("Start this survey")
    monkeypatch.setattr(serving, "end_serving", refused)
    session.click("Stop the server")
    assert session.errors == ["It cannot be ended."]
    session.at.session_state["field_close"] = True
    session.run().set("checkbox", SURE, True).set("selectbox", "Ledger (optional)", "None")
    monkeypatch.setattr(closing_section, "close_survey", refused)
    session.click("Close it now")
    assert session.errors == ["It cannot be ended.", "It cannot be ended."]
    session.click("Pause")
    assert session.errors == ["It cannot be ended."]


def test_only_invited_people(session, serverless, tmp_path):
    session.go("field").set("checkbox", "Invited people only", True).click("Start this survey")
    store = open_store(str(tmp_path / "survey.survey"))
    rows = session.set("number_input", "Codes", 3).download("codes.csv").splitlines()
    assert rows[0] == "code,link"
    assert [use_code(store, row.split(",")[0]) for row in rows[1:]] == ["free"] * 3


def test_an_invented_survey_is_marked_and_cannot_be_closed(session):
    session.go("field").click("Try an invented survey")
    assert "nobody gave these answers" in session.text
    (answer,) = [text.value for text in session.at.markdown if "valid however often you look" in text.value]
    assert answer.startswith("**Invented answers.** ")
    assert session.figures["field-share"].spec["layout"]["title"]["text"] == "invented answers, which nobody gave"
    assert "invented-findings.html" in [name for _, name in session.files]
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
    assert [each.value for each in page.at.toast] == []
    page.set("number_input", "Precision wanted (points)", 50.0)
    assert "± 50 points are reached" in page.text
    assert [each.value for each in page.at.success] == [
        "The precision that you want is reached: ± 50 points. The survey can be closed, or go on."
    ]


def test_the_page_tells_once_when_the_wanted_precision_is_reached(page, store, invented):
    page.set("number_input", "Precision wanted (points)", 13.0)
    assert [each.value for each in page.at.success] == []
    send(store, invented.answers.dataset.codes[200:800], TODAY, "later")
    page.click("Look again")
    assert [each.value for each in page.at.toast] == ["± 13 points are reached."]
    page.click("Look again")
    assert ([each.value for each in page.at.toast], len(page.at.success)) == ([], 1)


def test_quotas_say_what_is_known_of_groups(page, store):
    page.at.session_state["field_quotas"] = True
    page.run()
    watched = SurveySoFar.of(store).watch(["violence"])
    shown = next(each.value for each in page.at.dataframe if "Quota" in each.value.columns)
    about, least, most = zip(*(watched.people((i,)) for i in range(2)), strict=True)
    assert list(shown["So far, about"]) == [str(each) for each in about]
    assert abs(sum(about) - 200) <= 1
    assert all(low <= middle <= high for middle, low, high in zip(about, least, most, strict=True))
    page.set("number_input", "Answers wanted of each group", max(least))
    shown = next(each.value for each in page.at.dataframe if "Quota" in each.value.columns)
    assert list(shown["Quota"])[least.index(max(least))] == "reached"
    page.set("number_input", "Answers wanted of each group", 201)
    shown = next(each.value for each in page.at.dataframe if "Quota" in each.value.columns)
    assert list(shown["Quota"]) == ["not reached"] * 2


def test_answers_go_to_read_and_the_report_is_there(page):
    assert page.download("findings.html").startswith("<!doctype html>")
    page.click("Read these answers")
    assert page.title == "Read"
    assert "200 answers" in page.text


def test_a_survey_before_its_first_answer(session, tmp_path, invented, here):
    store = create_store(str(tmp_path / "new.survey"), invented.mechanism, title="New")
    store.opened(3, TODAY)
    session.go("field").click("Open")
    assert "“New” is open, and no answer has arrived yet; 3 forms were opened." in session.text
    assert "People answer at the form's address while its server runs" in session.text
    assert not session.has("button", "Read these answers")


def test_a_paused_survey_is_not_called_open(session, tmp_path, invented, here):
    store = create_store(str(tmp_path / "new.survey"), invented.mechanism, title="New")
    store.pause(TODAY)
    session.go("field").click("Open")
    assert "“New” is paused, and no answer has arrived yet." in session.text
    assert "People answer at the form's address" not in session.text
    store.resume()
    send(store, invented.answers.dataset.codes[:5], TODAY, "few")
    assert "It is paused" not in session.run().text
    store.pause(TODAY)
    assert "It is paused: whoever opens the form is asked to come back later." in session.run().text


@pytest.mark.slow
def test_closing_asks_for_a_confirmation_records_and_freezes(page, store, tmp_path):
    ledger = Ledger.open(str(tmp_path / "releases.ledger"), create=True)
    page.at.session_state["field_close"] = True
    page.at.session_state["field_ledger"] = "releases.ledger"
    assert ledger.entries() == ()
    page.run()
    assert page.widget("button", "Close it now").disabled
    page.set("checkbox", SURE, True).click("Close it now")
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


def closing(page):
    """All that is asked before the button."""
    page.at.session_state["field_close"] = True
    return page.run().set("checkbox", SURE, True)


def test_a_survey_closed_without_a_ledger_leads_to_one(page, store):
    closing(page).click("Close it now").click("Record it in a ledger")
    assert page.title == "Ledger"
    page.set("text_input", "Name of a new ledger", "late").click("Create")
    assert page.widget("radio", "One more release").value == "released"
    assert page.widget("number_input", "Number of people (optional)").value == 200
    page.set("text_input", "Name of the group of people", "panel").click("Record this release")
    (entry,) = Ledger.open(page.at.session_state["pages.shared.opened.OpenLedger"].path).entries()
    assert (entry.sha256, entry.people) == (store.mechanism.sha256, 200)


def test_a_survey_that_is_closed_and_could_not_be_recorded_leads_to_a_ledger(page, store, monkeypatch, tmp_path):
    """Its ledger went away between the look at it and the entry: only that was said, and nothing could be done any more."""

    def lost(*_, **__):
        raise InputError("The ledger cannot be written.")

    Ledger.open(str(tmp_path / "releases.ledger"), create=True)
    closing(page).set("selectbox", "Ledger (optional)", "releases.ledger").set("text_input", "Group of people", "panel")
    monkeypatch.setattr(Ledger, "add_once", lost)
    page.click("Close it now")
    assert page.errors == ["The ledger cannot be written."]
    assert store.closed == TODAY
    assert page.has("button", "Record it in a ledger")


def test_a_ledger_that_is_made_after_the_survey_was_looked_at_is_what_it_is_recorded_in(page):
    def chosen():
        page.go("field").at.session_state["field_close"] = True
        return page.run().widget("selectbox", "Ledger (optional)").value

    assert chosen() == "None"
    page.run()  # a browser sends what is chosen at first with the next run
    page.go("ledger").set("text_input", "Name of a new ledger", "late").click("Create")
    assert chosen() == "late.ledger"
    page.set("selectbox", "Ledger (optional)", "None").go("ledger")
    assert chosen() == "None"


def test_a_button_that_is_greyed_out_does_not_close_when_it_is_pressed_all_the_same(page, store):
    page.at.session_state["field_close"] = True
    page.run()
    assert page.widget("button", "Close it now").disabled
    page.widget("button", "Close it now").proto.disabled = False  # as a browser can be told
    page.click("Close it now")
    assert store.closed is None  # Streamlit passes no press of such a button on


def test_a_press_with_the_confirmation_taken_back_does_not_close(page, store):
    """Both come in one message, in which the button still is as the page before showed it."""
    closing(page).widget("checkbox", SURE).set_value(False)
    page.click("Close it now")
    assert "Say first that no more answers are wanted. The survey stays open." in page.errors[0]
    assert store.closed is None


def test_the_survey_that_the_program_was_started_with(open_session, store, monkeypatch):
    monkeypatch.setenv(SURVEY_VARIABLE, store.place)
    session = open_session("/field")
    assert "“Pilot”" in session.text
    monkeypatch.setenv(SURVEY_VARIABLE, store.place + "x")
    session = open_session("/field")
    assert "There is no survey" in session.errors[0]
    session.click("Leave")
    assert "No survey is open" in session.text


def test_all_questions_at_once_state_their_joint_error(page, store):
    page.at.session_state["field_together"] = True
    page.run()
    found = SurveySoFar.of(store).watch_together([["violence"], ["sought help"]])
    shown = next(each.value for each in page.at.dataframe if "Share (all at once, at every look)" in each.value.columns)
    told = [watched.share_text((i,)) for watched in found.each for i in range(watched.schema.sizes[0])]
    assert list(shown["Share (all at once, at every look)"]) == told
    assert found.sentence in page.text


def test_a_survey_is_started_by_the_plan_as_it_stands_now_whatever_collect_made_before(session, serverless):
    session.go("collect")
    made = session.at.session_state["work"].made_file
    session.go("budget").set("slider", "Scale all levels", 0.5)
    session.go("field").click("Start this survey")
    started = open_store(session.at.session_state["pages.field.opening.OpenSurvey"].path).mechanism
    assert started.sha256 != made.sha256
    assert started == session.go("collect").at.session_state["work"].made_file


def test_a_design_is_not_taken_for_a_plan_that_nobody_chose(session, serverless, monkeypatch, first_level):
    monkeypatch.setattr(verdicts, "DEFAULT_LEVEL", first_level)
    rows = [f"{'abc'[i % 3]},{('yes', 'no')[i % 2]},{('low', 'high')[i // 30]}" for i in range(60)]
    session.upload("\n".join(["town,smokes,income", *rows]).encode())
    assert "Nobody has chosen this plan yet" in session.go("field").text
    session.go("collect").set("radio", "Answers are randomised by", "field")
    session.go("field")
    assert "Nobody has chosen this plan yet" not in session.text
    assert session.has("button", "Start this survey")


def test_who_is_invited_is_promised_no_more_than_the_survey_keeps(session, serverless):
    promised = language("en").html("invitation", "protected")
    assert promised in session.go("field").click("Start this survey").download("invitation.html")
