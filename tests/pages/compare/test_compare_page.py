"""Compare: choose schemes, run, stop, look closer, download."""

import csv
import io
import time

import pytest

from pages.shared import jobs
from rrcore.schemes import SCHEMES, STUDY_METRICS


@pytest.fixture
def compare(session):
    return session.go("compare")


def finish(session):
    return session.finish("comparison")


def small(session, **more):
    session.set("number_input", "Releases", 3)
    for label, value in more.items():
        session.set("number_input", label, value)
    return session


@pytest.mark.slow
def test_an_empty_page_says_what_to_do_and_what_schemes_spend(compare):
    assert "press 'Compare'" in compare.text
    spent = next(frame.value for frame in compare.at.dataframe if "Record total" in frame.value.columns)
    assert spent["Mechanism"].tolist() == ["Kronecker", "3-safe"]
    assert spent["Record total"].tolist() == ["8.00", "8.00"]  # four attributes at 2 nats
    assert spent["Levels above those of the plan"].tolist()[0] == "none"
    assert spent["Levels above those of the plan"].tolist()[1].startswith("by up to")


@pytest.mark.slow
def test_a_comparison_of_the_default_schemes(compare):
    finish(small(compare).click("Compare"))
    assert compare.errors == []
    assert "comparison" in compare.figures
    lines = [name for name in compare.figures["comparison"].traces if name]
    assert lines == ["RR-Independent", "RR-Ind-Joint", "Truncated", "Blend", "3-safe"]
    rows = list(csv.DictReader(io.StringIO(compare.download("comparison.csv"))))
    sets = 6 + 4 + 1  # pairs, triples, all four
    assert len(rows) == 3 * 5 * sets
    assert set(STUDY_METRICS) < set(rows[0])
    assert {row["scheme"] for row in rows} == {"rr-independent", "rr-ind-joint", "truncated", "blend", "3-safe"}
    assert "closer-look" in compare.figures
    medians = next(frame.value for frame in compare.at.dataframe if "2 attributes" in frame.value.columns)
    assert medians["2 attributes"].str.contains("best").sum() == 1


@pytest.mark.slow
def test_the_width_of_what_is_safe_can_be_chosen(compare):
    compare.set("number_input", "Safe for joint distributions of up to ... attributes", 2)
    spent = next(frame.value for frame in compare.at.dataframe if "Record total" in frame.value.columns)
    assert spent["Mechanism"].tolist() == ["Kronecker", "Pair-safe"]


@pytest.mark.slow
def test_at_equal_levels_nothing_is_above_the_plan(compare):
    compare.set("multiselect", "Schemes", ["rr-joint", "pair-safe", "rr-clusters"]).set("radio", "What is held equal", "levels")
    spent = next(frame.value for frame in compare.at.dataframe if "Record total" in frame.value.columns)
    assert spent["Levels above those of the plan"].tolist() == ["none"] * 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("varied", "values", "axis"),
    [
        ("people", "300, 900", "people"),
        ("eps", "1, 4", "level of every attribute (nats)"),
        ("cramers_v", "0.2, 0.8", "Cramer's V"),
    ],
)
def test_something_varied_gives_a_map_of_winners(compare, varied, values, axis):
    compare.set("multiselect", "Schemes", ["rr-independent", "rr-ind-joint"]).set("selectbox", "What is varied", varied)
    compare.set("text_input", "Values, separated by commas", values)
    finish(small(compare).click("Compare"))
    assert "winners" in compare.figures
    assert axis in compare.figures["winners"].spec["layout"]["xaxis"]["title"]["text"]
    rows = list(csv.reader(io.StringIO(compare.download("comparison.csv"))))
    assert {float(row[0]) for row in rows[1:]} == {float(value) for value in values.split(",")}


@pytest.mark.slow
def test_a_closer_look_at_another_scheme(compare):
    finish(small(compare).click("Compare"))
    compare.set("selectbox", "Scheme", "truncated")
    assert "Truncated: largest cell error" in compare.text
    compare.set("selectbox", "Joint distribution of", (0, 1, 2))
    assert "half L1" in compare.text


@pytest.mark.slow
def test_a_closer_look_says_how_iterations_ended(compare):
    compare.set("multiselect", "Schemes", ["em", "adjustment"])
    finish(small(compare).click("Compare"))
    assert "the log-likelihood rose from" in compare.text
    compare.set("selectbox", "Scheme", "adjustment")
    assert "weighted records have the estimated marginals" in compare.text


@pytest.mark.parametrize("values", ["1, x", "", "0"])
def test_bad_values_are_one_sentence(compare, values):
    compare.set("selectbox", "What is varied", "people").set("text_input", "Values, separated by commas", values)
    (error,) = compare.errors
    assert "give" in error
    assert next(button for button in compare.at.button if button.label == "Compare").disabled


def test_no_scheme_is_one_sentence(compare):
    compare.set("multiselect", "Schemes", [])
    assert compare.errors == ["No scheme is chosen: choose at least one."]


@pytest.mark.slow
def test_stopping_keeps_what_is_finished(compare, monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", 0.3)
    compare.set("number_input", "Releases", 2000).click("Compare")
    job = compare.job("comparison")
    deadline = time.monotonic() + 30
    while not job.pieces and time.monotonic() < deadline:
        time.sleep(0.05)
    compare.run().click("stop_comparison").finish("comparison")
    assert 0 < len(job.pieces) < 2000
    assert "The comparison was stopped; what is finished is shown." in compare.text
    assert "comparison" in compare.figures


@pytest.mark.slow
def test_results_for_other_settings_say_so(compare):
    finish(small(compare).click("Compare"))
    assert "other settings" not in compare.text
    compare.set("number_input", "Releases", 4)
    assert "other settings" in compare.text
    assert "comparison" in compare.figures


@pytest.mark.slow
def test_a_scheme_that_cannot_be_says_why(compare):
    compare.set("multiselect", "Schemes", ["naive", "em"])
    finish(small(compare).click("Compare"))
    assert compare.warnings == []
    assert [SCHEMES[key].title for key in ("naive", "em")] == [name for name in compare.figures["comparison"].traces if name]


@pytest.mark.slow
def test_a_plan_of_one_attribute_is_sent_back(session):
    session.go("budget").set("multiselect", "Attributes of the plan", ["Sex"]).go("compare")
    assert any("at least two" in error for error in session.errors)


def test_what_the_papers_say_is_measured(compare):
    table = compare.at.table[0].value
    assert {"yes", "no", "in part"} == set(table["Holds"])
    assert len(table) >= 10
