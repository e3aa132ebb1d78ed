"""What surrounds every page: header, Save menu, undo, projects, and rules that hold for all pages and tabs."""

import json

import pytest

from pages.release import draws, history
from pages.shared.mode import SWITCHED_OFF
from pages.shared.opened import OpenLedger
from pages.survey import closing, serving, starting
from pages.survey.opening import OpenSurvey
from rrcore.budget import Project
from rrcore.errors import InputError
from rrcore.table import load_demo
from tests.pages.conftest import TITLES
from tests.pages.rendered import rendered
from tests.test_words import PRIVATE

TABS = {
    "start": ("",),
    "learn": ("Chapters", "Class poll"),
    "data": ("Table", "Describe questions"),
    "budget": ("Plan", "What-if", "Saved plans", "Choosing ε"),
    "simulate": ("Estimates", "Associations"),
    "release": ("Release a table", "History"),
    "survey": ("Ask people", "Running survey"),
    "analyze": ("Proportions", "Regression", "Check a mechanism"),
    "lab": ("Compare methods", "Synthesize", "Key-value", "Papers"),
}
PLACES = [(page, tab) for page, tabs in TABS.items() for tab in tabs]
PRIVACY = ("budget", "simulate", "release", "survey", "lab")
"""Pages that say how well people are protected whatever table is loaded."""


@pytest.fixture
def declared(open_session):
    session = open_session(table="")
    session.run()
    session.at.session_state["work"].adopt_declared(load_demo("titanic").schema, 1_000)
    return session


def work(session):
    return session.at.session_state["work"]


def look(session, page, tab):
    """The faults of a page: headings, private words, and no ε where privacy is the subject."""
    session.go(page, tab)
    texts = [text for _, text in rendered(session, literal=()) if not text.startswith("<style>")]
    faults = [f"private word {match[0]!r} in {text[:80]!r}" for text in texts for match in PRIVATE.finditer(text)]
    faults += [] if len(session.at.title) == 1 else ["not one h1"]
    faults += [] if session.at.header or (page, tab) == ("learn", "Chapters") else ["no h2"]  # these have their own in a frame
    if page in PRIVACY and tab != "Papers" and not any("ε" in text for text in texts):
        faults.append("no ε")
    return faults


def test_every_page_is_opened_below():
    assert set(TABS) == set(TITLES)


@pytest.mark.parametrize("page", TABS)
def test_every_page_with_a_demo_table(session, here, page):
    assert [(tab, faults) for tab in TABS[page] if (faults := look(session, page, tab))] == []


@pytest.mark.slow
@pytest.mark.parametrize("page", ["budget", "simulate", "release", "survey", "analyze"])
def test_every_page_with_a_declared_plan(declared, here, page):
    assert [(tab, faults) for tab in TABS[page] if (faults := look(declared, page, tab)) not in ([], ["no ε"])] == []


def test_the_header_names_the_table_and_its_epsilon(session):
    (text,) = [each.value for each in session.go("release").at.caption if each.value.startswith("Titanic")]
    text = text.replace("\N{NO-BREAK SPACE}", " ")
    assert "2,201 people" in text
    assert f"ε = {work(session).plan().epsilon[0]:g} per answer" in text


def test_the_menu_makes_every_file(session):
    session.given(save=True).go("budget")
    assert Project.from_json(session.download("project.json")).draft == work(session).draft
    assert "<html" in session.download("report-before-collection.html")
    compile(session.download("simulated-trial.py"), "trial", "exec")
    assert json.loads(session.download("simulated-trial.ipynb"))["nbformat"] == 4


def test_a_plan_is_saved_once_and_ends_the_tutorial(session):
    session.given(save=True, tutorial=True).go("budget").click("save_plan")
    assert [pin.plan for pin in session.pins.pinned.pins] == [work(session).plan()]
    assert session.at.session_state["tutorial"] is False
    assert len(session.click("save_plan").pins.pinned.pins) == 1


def test_without_a_table_there_is_nothing_to_save(open_session):
    session = open_session(table="").given(save=True).go("budget")
    assert session.files == {}


def test_undo_brings_back_the_plan_and_the_table(session):
    before = work(session.go("budget")).draft
    work(session).change(mechanism="independent")
    work(session.run()).set_epsilon({"Sex": 3.0})
    session.run().go("simulate")
    session.click("undo")
    assert work(session).draft.epsilon == before.epsilon
    assert work(session).draft.mechanism == "independent"
    session.click("undo")
    assert work(session).draft == before
    session.upload(b"a,b\n" + b"x,y\nz,w\n" * 50)
    session.go("budget").click("undo")
    assert work(session).title == "Titanic"


@pytest.mark.parametrize("content", [b"a,b\n" + b"x,y\nz,w\n" * 50, None])
def test_a_project_brings_the_work_back(session, open_session, content):
    if content:
        session.upload(content, "mine.csv")
    session.given(save=True).go("budget")
    work(session).change(seed=7, population=False, mechanism="independent")
    session.run().click("save_plan")
    saved = session.download("project.json")
    assert "x,y" not in saved
    fresh = open_session(table="").go("start")
    fresh.widget("file_uploader", "A project file").set_value(("project.json", saved.encode(), "application/json"))
    fresh.run()
    assert work(fresh).draft == work(session).draft
    assert fresh.pins.pinned == session.pins.pinned
    assert (work(fresh).awaited is not None) == bool(content)
    if content:
        fresh.upload(content, "mine.csv")
        assert work(fresh).dataset.n == 100
        assert work(fresh).draft == work(session).draft


def test_a_broken_project_changes_nothing(session):
    session.go("start").widget("file_uploader", "A project file").set_value(("project.json", b"{}", "application/json"))
    session.run()
    assert len(session.errors) == 1
    assert work(session).title == "Titanic"


def test_two_sessions_share_nothing(open_session):
    one, other = open_session().go("budget"), open_session().go("budget")
    work(one).change(seed=3)
    assert work(other).draft.seed == 0


def test_what_acts_is_refused_in_a_demo(monkeypatch, here, tmp_path):
    """Also if somebody calls it by a message that no page sends."""
    monkeypatch.setenv("RR_WORKBENCH_DEMO", "yes")
    created, recorded, started, paused, stopped, closed = OpenLedger(), OpenLedger(), *(OpenSurvey() for _ in range(4))
    created.create()
    history.record(recorded, None, None)
    starting.start(started)
    serving._pause(paused, True)
    serving._stop(stopped, None)
    closing._close(closed, "")
    shown = [each.problem for each in (created, recorded, started, paused, stopped)]
    assert [*shown, closed.unclosed] == [SWITCHED_OFF] * 6
    with pytest.raises(InputError, match=SWITCHED_OFF):
        draws.start(None, None, None, None, 1)
    assert list(tmp_path.iterdir()) == []
