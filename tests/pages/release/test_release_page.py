"""Release: a table is randomised once, everything needed to read it is in one archive, and a second draw has its price said first."""

import datetime as dt
import threading

import pytest

from pages.release import draws
from pages.release.draws import Earlier, one_more
from pages.shared import jobs, state, verdicts
from rrcore.answers import nigeria, read_answers
from rrcore.promise import MechanismFile, release_table

UPLOADED = b"smokes,ward\n" + b"yes,east\nno,west\nno,east\n" * 100
FIRST = "Randomise the answers of 300 people"
IN_LEDGER = "These people in the open ledger"
SURE = "I want another release, at that price"


@pytest.fixture
def release(session):
    return session.upload(UPLOADED).go("release")


def answers_of(session, name="release.zip"):
    files = session.archive(name)
    file = MechanismFile.from_json(files["mechanism.json"])
    return read_answers([(files["released.csv"].encode(), "released.csv")], file)


def made(session):
    return session.at.session_state["pages.release.draws.Draws"].about("survey")


def test_one_click_releases_a_table_with_its_mechanism_file(release):
    assert "Nothing has left yet" in release.text
    assert not release.has("download_button", "Download the release (ZIP)")
    release.click(FIRST)
    assert "The answers of 300 people were randomised" in release.text
    answers = answers_of(release)
    assert (answers.n, answers.left_out, answers.mechanism.schema.names) == (300, 0, ("smokes", "ward"))
    assert release.archive("release.zip")["read-me.txt"].startswith("Release: randomised answers of 300 people")
    assert {"check.py", "for-recipients.html"} <= set(release.archive("release.zip"))
    assert release.has("button", "Randomise again")
    assert release.widget("button", "Randomise again").disabled


def test_a_verdict_stands_before_the_button_and_a_plan_that_nobody_chose_is_asked_about(session, monkeypatch, first_level):
    monkeypatch.setattr(verdicts, "DEFAULT_LEVEL", first_level)
    release = session.upload(UPLOADED).go("release")
    assert "The release lets nobody be guessed with 95 % certainty" in release.text
    assert "2 attributes of 300 people leave, randomised: smokes (2 categories), ward (2)." in release.text
    assert "Nobody has chosen this plan yet" in release.text
    assert release.widget("button", FIRST).disabled
    release.set("checkbox", verdicts.MEANT, True)
    assert not release.widget("button", FIRST).disabled
    release.go("budget").at.session_state["work"].set_levels({"smokes": 1.5})
    assert not release.go("release").has("checkbox", verdicts.MEANT)
    assert not release.widget("button", FIRST).disabled


@pytest.mark.parametrize("chosen", [{"scale": 1.25}, {"mechanism": "kronecker"}, {"entry": "questions"}])
def test_whatever_was_chosen_of_a_plan_makes_it_somebodys(session, monkeypatch, first_level, chosen):
    monkeypatch.setattr(verdicts, "DEFAULT_LEVEL", first_level)
    release = session.upload(UPLOADED).go("release")
    assert release.has("checkbox", verdicts.MEANT)
    release.at.session_state["work"].wish(**chosen)
    assert not release.go("budget").go("release").has("checkbox", verdicts.MEANT)


def test_forms_wait_for_a_plan_that_somebody_chose(session, monkeypatch, first_level):
    monkeypatch.setattr(verdicts, "DEFAULT_LEVEL", first_level)
    session.upload(UPLOADED).go("collect")
    assert not session.has("download_button", "Download form")
    session.set("checkbox", verdicts.MEANT, True)
    assert session.has("download_button", "Download form")
    session.go("data").set("radio", "Where the table comes from", "demo").go("collect")
    assert not session.has("checkbox", verdicts.MEANT)
    assert session.has("download_button", "Download form")


def test_the_draw_is_kept_and_a_second_one_says_its_price_first(release):
    before = release.click(FIRST).archive("release.zip")
    release.go("budget").go("release")
    assert release.archive("release.zip") == before  # downloaded again, not drawn again
    total = answers_of(release).mechanism.certificate.total
    assert "These people have already given" in release.warnings[-1]
    assert "whoever sees it all" not in release.text
    release.set("checkbox", SURE, True).click("Randomise again")
    assert "These people were released 2 times: whoever sees it all" in release.text
    assert release.archive("release-2.zip")["released.csv"] != before["released.csv"]
    assert release.archive("release.zip") == before
    assert one_more(answers_of(release).mechanism, draws.earlier(made(release))).after.total > 0
    assert total > 1


def test_a_double_click_draws_once(release, monkeypatch):
    start = draws.start

    def twice(work, *arguments):
        start(work, *arguments)
        state.of_page(draws.Draws).take_in()  # the page began to be drawn before the second click
        start(work, *arguments)

    monkeypatch.setattr(draws, "start", twice)
    release.run().click(FIRST)
    assert [draw.released.draw for draw in made(release)] == [1]


def test_answers_that_were_corrected_are_not_handed_over_as_those_before(release):
    release.click(FIRST)
    release.go("data").upload(UPLOADED.replace(b"yes,east\n", b"yes,west\n", 40))
    release.go("release")
    assert "This release has not left yet; 1 earlier one about these people was made." in release.text
    assert not release.has("download_button", "Download the release (ZIP)")
    assert release.has("download_button", f"Draw 1, {made(release)[0].released.made:%H:%M} UTC (ZIP)")


def test_another_mechanism_about_the_same_people_adds_up_too(release):
    release.click(FIRST)
    release.choose("kronecker")
    assert "This release has not left yet; 1 earlier one about these people was made." in release.text
    assert "These people have already given" in release.warnings[-1]
    assert not release.has("button", FIRST)


def test_what_it_adds_to_earlier_releases_is_read_from_the_open_ledger(release, here):
    """The verdict counts from the ledger's entries about these people, and only once they are said to be in it."""
    release.go("ledger").set("text_input", "Name of a new ledger", "l").click("Create")
    assert not release.go("release").has("selectbox", IN_LEDGER)  # an empty ledger has no groups
    release.go("ledger").set("radio", "One more release", "plan").set("text_input", "Name of the group of people", "panel")
    release.click("Record this release").go("release")
    assert "For whoever sees a second release like it" in release.text
    release.set("selectbox", IN_LEDGER, "panel")
    assert "These people have already given" in release.text
    assert "For whoever sees a second release like it" not in release.text


def test_several_releases_add_up_exactly():
    """Odds of 5 to 1, twice: 25, of which rounded nats make a little more."""
    once = Earlier(nigeria().mechanism, dt.date(2026, 3, 1))
    assert once.mechanism.certificate.total == 5
    assert "up to 25.0 times" in draws.together([once, once])


def test_a_demo_table_is_a_rehearsal_and_says_so(session):
    session.go("release")
    assert "Demonstration table: a rehearsal" in session.text
    session.click("Randomise the answers of 2,201 people")
    files = session.archive("rehearsal-demonstration-table.zip")
    assert files["read-me.txt"].startswith("Rehearsal with the demonstration table")
    assert "of the demonstration table" in files["for-recipients.html"]


def test_an_invented_table_is_a_rehearsal_and_a_declared_plan_has_nothing_to_release(session):
    session.go("data").set("radio", "Where the table comes from", "synthetic").go("release")
    assert "Invented people: a rehearsal" in session.text
    session.go("data").set("radio", "Where the table comes from", "declare").go("release")
    assert "A declared plan has no table to release" in session.text
    assert not [button for button in session.at.button if button.label.startswith("Randomise")]


def test_a_table_that_a_session_came_back_without_is_to_be_uploaded_again(release, open_session):
    fresh = open_session()
    fresh.open_project(release.download("project.json"))
    fresh.go("release")
    assert "has to be uploaded again before it is released" in fresh.text
    assert "A declared plan" not in fresh.text


def test_it_leads_to_the_ledger_and_to_reading(release, here):
    release.click(FIRST)
    release.click("Read it as a recipient would")
    assert release.title == "Read"
    assert "300 answers used" in release.text
    release.go("ledger").set("text_input", "Name of a new ledger", "l").click("Create")
    made = release.go("collect").set("radio", "Answers are randomised by", "field").at.session_state["work"].made_file
    release.go("release").click("Record in the ledger")
    assert release.title == "Ledger"
    assert release.widget("radio", "One more release").value == "released"
    assert release.at.session_state["work"].made_file == made, "a survey on Field would start by what was released"
    assert release.widget("number_input", "Number of people (optional)").value == 300


def test_a_file_for_another_table_is_refused_and_ones_own_is_used(release):
    text = release.go("collect").download("mechanism.json")
    release.go("release").set("radio", "Randomised by", "file")
    assert "Choose the mechanism file that the answers are to be randomised by." in release.text
    release.at.file_uploader[0].set_value(("other.json", text.replace("ward", "wand").encode(), "application/json"))
    release.run()
    assert "does not match its fingerprint" in release.errors[0]
    release.at.file_uploader[0].set_value(("mine.json", text.encode(), "application/json"))
    release.run()
    assert release.has("button", FIRST)
    release.go("data").set("radio", "Where the table comes from", "demo").go("release")
    assert "The table in play has no attribute 'smokes'" in release.errors[0]


def test_the_fingerprint_is_that_of_the_file_made_on_collect(release):
    release.go("collect").set("text_input", "Note", "first wave")
    made = MechanismFile.from_json(release.download("mechanism.json"))
    assert answers_of(release.go("release").click(FIRST)).mechanism == made


@pytest.mark.slow
def test_a_long_table_shows_progress_and_can_be_stopped(release, monkeypatch):
    gate, there = threading.Event(), threading.Event()

    def slow(*arguments, report, **options):
        report(0.5, "150 of 300 people randomised")
        there.set()
        assert gate.wait(60)
        return release_table(*arguments, report=report, **options)

    monkeypatch.setattr("rrcore.report.handover.release_table", slow)
    monkeypatch.setattr(jobs, "PATIENCE", 0.1)
    release.click(FIRST)
    assert there.wait(60)
    (progress,) = release.run().at.get("progress")
    assert progress.proto.text == "The release: 150 of 300 people randomised ..."
    release.click("Stop")
    gate.set()
    release.finish("release")
    assert release.has("button", FIRST)
    assert not release.has("download_button", "Download the release (ZIP)")


def test_a_column_that_is_known_anyway_leaves_as_it_is_and_its_price_is_said(session):
    session.upload(UPLOADED).at.session_state["work"].choose_attributes(("smokes",))
    release = session.go("release")
    assert "leaves as it is" not in release.text
    (box,) = [box for box in release.at.multiselect if box.label == "Known about everybody anyway"]
    box.set_value(["ward"])
    release.run()
    assert "ward leaves as it is: everybody's is learnt." in release.text
    assert "The smallest group of them has 100 people." in release.text
    release.click(FIRST)
    answers = answers_of(release)
    assert answers.mechanism.schema.names == ("smokes",)
    assert {name: own.n for name, own in answers.split("ward").items()} == {"east": 200, "west": 100}
    assert "ward leaves as it is" in release.archive("release.zip")["for-recipients.html"]
    release.click("Read it as a recipient would")
    assert release.title == "Read"
