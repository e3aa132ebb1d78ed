"""Start: the ways in, and how far it is from there to a result."""

import pytest

from rrcore.table.demo import DEMOS, load_demo

TRUTH_AND_ESTIMATE = "truth-and-estimate"


def test_start_offers_a_table_a_plan_answers_and_a_result(session):
    assert [heading.value for heading in session.at.subheader][:3] == [
        "I have a table",
        "I only have a plan",
        "I collected answers",
    ]
    assert session.links == ["data", "read", "perturb"]
    assert session.has("button", "Declare the questions")
    assert session.errors == []


@pytest.mark.parametrize("page", ["data", "budget", "perturb", "start"])
def test_every_page_renders_from_a_fresh_session(session, page):
    session.go(page)
    assert session.errors == []
    assert "Titanic" in session.text


@pytest.mark.slow
@pytest.mark.parametrize("key", DEMOS)
def test_a_demo_button_loads_its_table_and_reaches_budget(session, key):
    session.click(f"demo_{key}")
    demo = load_demo(key)
    assert session.title == "Budget"
    assert dict(zip(session.typed_table["Attribute"], map(int, session.typed_table["Categories"]), strict=True)) == dict(
        zip(demo.schema.names, demo.schema.sizes, strict=True)
    )
    assert f"**{DEMOS[key].title}** · {demo.n:,} people · {demo.k} attributes" in session.text


def test_one_click_from_start_shows_truth_and_estimate(session):
    assert "perturb" in session.links
    session.go("perturb")
    traces = session.figures[TRUTH_AND_ESTIMATE].traces
    assert "truth" in traces
    assert any(trace.startswith("blend") for trace in traces)
    assert "unbiased estimate" in traces


@pytest.mark.slow
@pytest.mark.parametrize("key", DEMOS)
def test_two_clicks_from_a_demo_show_truth_and_estimate(session, key):
    session.click(f"demo_{key}")
    assert "perturb" in session.links
    assert TRUTH_AND_ESTIMATE in session.go("perturb").figures


@pytest.mark.slow
def test_three_links_through_data_and_budget_show_truth_and_estimate(session):
    for page in ("data", "budget", "perturb"):
        assert page in session.links
        session.go(page)
    assert TRUTH_AND_ESTIMATE in session.figures


def test_declaring_from_start_opens_the_editor_of_questions(session):
    session.click("Declare the questions")
    assert session.title == "Data"
    assert session.widget("radio", "Where the table comes from").value == "declare"
    assert list(session.table.columns) == ["name", "kind", "categories"]


def test_start_says_which_table_is_loaded(session):
    session.click("demo_berkeley").go("start")
    assert "Now loaded: Berkeley admissions" in session.text
