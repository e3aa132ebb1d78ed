"""Start: the ways in, and how far it is from there to a result."""

import re
from pathlib import Path

import pytest

from rrcore.table.demo import DEMOS, load_demo

TRUTH_AND_ESTIMATE = "truth-and-estimate"
ASSETS = Path(__file__).parents[3] / "assets"


def test_start_shows_the_idea_three_doors_and_the_demo_tables(session):
    assert session.at.header[0].value.startswith("Passenger ")
    doors = ["I have a table", "I only have a plan", "I collected answers"]
    assert [heading.value for heading in session.at.subheader] == doors + [demo.title for demo in DEMOS.values()]
    assert "perturb" in session.links
    assert session.errors == []


@pytest.mark.parametrize("page", ["data", "budget", "perturb", "start"])
def test_every_page_renders_from_a_fresh_session(session, page):
    session.go(page)
    assert session.errors == []
    assert "Titanic" in session.text


@pytest.mark.slow
@pytest.mark.parametrize("key", DEMOS)
def test_a_demo_button_loads_its_table_and_reaches_budget_and_two_clicks_show_truth_and_estimate(session, key):
    session.click(f"demo_{key}")
    demo = load_demo(key)
    assert session.title == "Budget"
    assert dict(zip(session.typed_table["Attribute"], map(int, session.typed_table["Categories"]), strict=True)) == dict(
        zip(demo.schema.names, demo.schema.sizes, strict=True)
    )
    for told in (DEMOS[key].title, f"{demo.k} attributes", f"{demo.n:,} people"):
        assert told in session.text
    assert "perturb" in session.links
    assert TRUTH_AND_ESTIMATE in session.go("perturb").figures


def test_one_click_from_start_shows_truth_and_estimate(session):
    assert "perturb" in session.links
    session.go("perturb")
    traces = session.figures[TRUTH_AND_ESTIMATE].traces
    assert "truth" in traces
    assert any(trace.startswith("shrinkage") for trace in traces)
    assert "unbiased estimate" in traces


def put(session, data):
    """Choose a file at the table door."""
    session.at.file_uploader(key="door_upload").set_value(("toys.csv", data, "text/csv"))
    return session.run()


def test_a_table_put_into_its_door_is_in_play_on_the_next_page(session):
    assert session.title.startswith("Any answer")
    put(session, b"colour,size\n" + b"red,1\nblue,2\n" * 20)
    assert session.title == "Data"
    assert session.widget("radio", "Where the table comes from").value == "upload"
    assert "**toys** · 40 people · 2 attributes" in session.text


def test_a_file_that_cannot_be_read_says_so_at_the_door(session):
    put(session, b"\x00\x01\x02" * 50)
    assert session.title.startswith("Any answer")
    assert len(session.errors) == 1
    assert session.at.session_state["work"].title == "Titanic"


def test_a_saved_project_is_opened_on_start(session):
    saved = session.download("project.json")
    session.at.file_uploader(key="project_file").set_value(("project.json", saved.encode(), "application/json"))
    assert session.run().title == "Budget"


def test_the_door_of_answers_leads_to_reading_them(session):
    assert session.click("Read the answers").title == "Read"


def test_declaring_from_start_opens_the_editor_of_questions(session):
    session.click("Declare the questions")
    assert session.title == "Data"
    assert session.widget("radio", "Where the table comes from").value == "declare"
    assert session.has("text_area", "Questions and their possible answers, one question a line")


def test_start_says_which_table_is_loaded(session):
    session.click("demo_berkeley").go("start")
    assert "Now loaded: Berkeley admissions" in session.text


def test_every_demo_table_has_a_picture_and_no_picture_or_style_asks_for_anything_elsewhere():
    assert {file.stem for file in (ASSETS / "demos").iterdir()} == set(DEMOS)
    for file in (*ASSETS.rglob("*.svg"), *ASSETS.glob("*.css")):
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//\w|url\(|@import|href", text), file
