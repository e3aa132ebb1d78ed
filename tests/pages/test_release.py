"""Release: a table is randomized once, with everything needed to analyze it, and a second time only after its ε is shown."""

import threading

import pytest

from pages.release import draws
from pages.shared import jobs, state
from rrcore.answers import read_answers
from rrcore.ledger import epsilon_of_releases
from rrcore.promise import MechanismFile, release_table
from rrcore.wording import eps_text

UPLOADED = b"smokes,ward\n" + b"yes,east\nno,west\nno,east\n" * 100
FIRST = "Randomize 300 rows"
SURE = "Spend the privacy budget again"
ZIP = "Download the release (ZIP)"


@pytest.fixture
def release(session):
    return session.upload(UPLOADED).go("release")


def answers_of(session, name="release.zip"):
    files = session.archive(name)
    file = MechanismFile.from_json(files["mechanism.json"])
    return read_answers([(files["released.csv"].encode(), "released.csv")], file)


def made(session):
    return session.at.session_state["pages.release.draws.Draws"].about("survey")


def checklist(session):
    return {str(name): str(text) for name, text in session.at.table[0].value.iloc[:, 0].items()}


def test_one_click_publishes_a_table_with_its_mechanism_file(release):
    assert not release.has("download_button", ZIP)
    assert any("300" in text for text in checklist(release).values())
    file = release.click(FIRST).at.session_state["work"].made_file
    assert f"ε = {eps_text(float(epsilon_of_releases([file])))}" in release.text
    answers = answers_of(release)
    assert (answers.n, answers.left_out, answers.mechanism) == (300, 0, file)
    release.at.session_state["work"].change(rows_per_person=3)  # epsilon of a person is that of all their rows
    assert f"ε = {eps_text(3 * float(epsilon_of_releases([file])))}" in release.run().text
    assert {"check.py", "certificate.txt", "for-recipients.html"} <= set(release.archive("release.zip"))
    assert release.widget("button", "Randomize again").disabled


def test_changes_since_budget_are_listed(release):
    assert len(release.warnings) == 1
    assert release.links == ["budget"]
    assert not release.go("budget").go("release").warnings
    release.at.session_state["work"].set_epsilon({"smokes": 1.5, "ward": 0.25})
    text = release.run().text
    assert "ε of smokes" in text
    assert "1.50" in text
    assert "0.25" in text
    assert "1.50" not in release.go("budget").go("release").text.replace("ε = 1.50", "")


def test_a_second_release_shows_its_epsilon_first(release):
    before = release.click(FIRST).archive("release.zip")
    release.go("budget").go("release")
    assert release.archive("release.zip") == before  # downloaded again, not randomized again
    file = answers_of(release).mechanism
    both = f"ε = {eps_text(float(epsilon_of_releases([file, file])))}"
    assert any(both in warning for warning in release.warnings)
    release.set("checkbox", SURE, True).click("Randomize again")
    assert both in release.text
    assert release.archive("release-2.zip")["released.csv"] != before["released.csv"]
    assert release.archive("release.zip") == before
    assert [draw.released.draw for draw in made(release)] == [1, 2]


def test_a_double_click_randomizes_once(release, monkeypatch):
    start = draws.start

    def twice(work, *arguments):
        start(work, *arguments)
        state.of_page(draws.Draws).about(work.title)  # the page began to be drawn before the second click
        start(work, *arguments)

    monkeypatch.setattr(draws, "start", twice)
    release.run().click(FIRST)
    assert [draw.released.draw for draw in made(release)] == [1]


def test_other_answers_or_another_mechanism_are_another_release(release):
    release.click(FIRST)
    release.go("data").upload(UPLOADED.replace(b"yes,east\n", b"yes,west\n", 40)).go("release")
    assert not release.has("download_button", ZIP)
    assert not release.has("button", FIRST)
    assert release.has("checkbox", SURE)
    release.at.session_state["work"].change(mechanism="independent")
    assert release.run().has("checkbox", SURE)
    assert release.content("release.zip") == made(release)[0].archive


def test_a_demo_table_and_invented_people_are_rehearsals(session):
    session.go("release").click("Randomize 2,201 rows")
    files = session.archive("rehearsal-demonstration-table.zip")
    assert "demonstration table" in files["read-me.txt"].splitlines()[0]


def test_without_a_table_it_leads_to_one(session, open_session):
    session.declaring().go("release")
    assert session.links == ["survey"]
    assert not [button for button in session.at.button if button.label.startswith("Randomize")]
    empty = open_session("/release", table="")
    assert empty.has("selectbox", "Demo table")


def test_it_leads_to_the_analysis(release):
    assert release.click(FIRST).click("Analyze it").title == "Analyze"


def test_it_leads_to_the_history(release, here):
    release.go("release", "History").set("text_input", "Name", "l").click("Create").go("release", "Release a table")
    release.click(FIRST).click("Add to the history")
    assert release.widget("radio", "Mechanism of the release").value == "made"
    assert release.widget("number_input", "Number of people (optional)").value == 300


def test_long_work_shows_progress_and_can_be_stopped(release, monkeypatch):
    gate, there = threading.Event(), threading.Event()

    def slow(*arguments, report, **options):
        report(0.5, "150 of 300 people randomized")
        there.set()
        assert gate.wait(60)
        return release_table(*arguments, report=report, **options)

    monkeypatch.setattr("rrcore.reports.recipients.release_table", slow)
    monkeypatch.setattr(jobs, "PATIENCE", 0.1)
    release.click(FIRST)
    assert there.wait(60)
    assert len(release.run().at.get("progress")) == 1
    release.click("Stop")
    gate.set()
    release.finish("release")
    assert release.has("button", FIRST)
    assert not release.has("download_button", ZIP)


def test_a_column_can_be_published_without_randomization(session):
    session.upload(UPLOADED).at.session_state["work"].choose_attributes(("smokes",))
    release = session.go("release")
    assert "Not randomized" not in checklist(release)
    release.set("multiselect", "Columns published without randomization", ["ward"])
    assert checklist(release.go("budget").go("release"))["Not randomized"].startswith("ward")
    answers = answers_of(release.click(FIRST))
    assert answers.mechanism.schema.names == ("smokes",)
    assert {name: own.n for name, own in answers.split("ward").items()} == {"east": 200, "west": 100}
