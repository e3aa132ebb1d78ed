"""Compare: choose schemes, run, stop, look closer, download."""

import csv
import io
import math
import re
import time

import pytest

from pages.compare import results
from pages.shared import jobs
from rrcore.schemes import RELATIVE, SCHEMES, STUDY_METRICS, Summary

PRICE = ["One answer", "Others known", "Whole record"]


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


def opened(session, key):
    """The page with one of its details open."""
    return session.look_at(f"compare_{key}", True)


def table(session, column):
    return next(frame.value for frame in session.at.dataframe if column in frame.value.columns)


@pytest.mark.slow
def test_the_page_opens_with_an_answer_its_figure_and_the_price_beside_every_best(compare):
    answer = next(
        one.value.replace("\N{NO-BREAK SPACE}", " ")
        for one in compare.at.markdown
        if one.value.startswith("At equal levels, for ")
    )
    assert re.search(
        r"\*\*Pair-safe, shrunk\*\* comes closest.*: off by [\d.]+( to [\d.]+)? points.*"
        r"\(one answer × 7.39, others known × 88.5, whole record × 88.5\)",
        answer,
    )
    assert compare.figures["comparison"].spec["layout"]["yaxis"]["title"]["text"] == "largest absolute cell error (points)"
    rows = table(compare, "Others known").set_index("Scheme")
    assert rows.loc["RR-Independent", PRICE].tolist() == ["× 7.39", "× 7.39", "× 2,990"]  # e^2, e^2 and e^8
    assert rows.loc["Pair-safe, shrunk", PRICE].tolist() == ["× 7.39", "× 88.5", "× 88.5"]
    assert rows["2 attributes"].str.contains("best").sum() == 1
    assert "A first look at 3 releases; 'Compare' takes 10, also for joint distributions of up to 4 attributes." in compare.text


@pytest.mark.slow
def test_at_equal_levels_nothing_is_above_the_plan_and_at_an_equal_total_something_is(compare):
    opened(compare.set("multiselect", "Schemes", ["rr-joint", "pair-safe", "rr-clusters"]), "spent")
    assert table(compare, "Levels")["Levels above those of the plan"].tolist() == ["none"] * 3
    compare.set("multiselect", "Schemes", ["rr-ind-joint", "pair-safe"]).set("radio", "What is held equal", "total")
    spent = table(compare, "Levels")
    assert spent["Mechanism"].tolist() == ["Kronecker", "Pair-safe"]
    assert spent["Total"].tolist() == ["8.00", "8.00"]  # four attributes at 2 nats
    assert spent["Levels above those of the plan"].tolist()[0] == "none"
    assert spent["Levels above those of the plan"].tolist()[1].startswith("by up to")
    assert "At an equal total, for" in compare.text


@pytest.mark.slow
def test_what_is_said_beforehand_has_its_unit(compare):
    opened(compare, "beforehand")
    said = table(compare, RELATIVE).set_index("Attributes")
    assert said.index.tolist() == [2, 3, 4]
    assert said[RELATIVE].str.endswith(" %").all()
    assert said.drop(columns=RELATIVE).map(lambda text: text.endswith(" points")).all(axis=None)


@pytest.mark.slow
def test_a_comparison_of_the_default_schemes(compare):
    finish(small(compare).click("Compare"))
    assert compare.errors == []
    assert "A first look" not in compare.text
    lines = [name for name in compare.figures["comparison"].traces if name]
    assert lines == ["RR-Independent", "RR-Ind-Joint", "Blend", "Shrinkage", "Pair-safe, shrunk"]
    rows = list(csv.DictReader(io.StringIO(compare.download("comparison.csv"))))
    sets = 6 + 4 + 1  # pairs, triples, all four
    assert len(rows) == 3 * 5 * sets
    assert set(STUDY_METRICS) < set(rows[0])
    assert [row["number of attributes"] for row in rows] == [str(row["attributes"].count(";") + 1) for row in rows]
    assert {row["scheme"] for row in rows} == {"rr-independent", "rr-ind-joint", "blend", "shrinkage", "pair-safe-shrinkage"}
    assert "closer-look" not in compare.figures
    assert "closer-look" in opened(compare, "closer").figures


@pytest.mark.slow
def test_shares_within_groups_are_an_error_beside_those_of_all_people(compare):
    compare.set("selectbox", "Within each", 1)  # Sex
    assert compare.errors == []
    metric = compare.figures["comparison"].spec["layout"]["yaxis"]["title"]["text"]
    assert metric == "largest error of a share within a group (points)"
    compare.set("selectbox", "Error", "largest absolute cell error")
    assert "largest absolute cell error" in compare.figures["comparison"].spec["layout"]["yaxis"]["title"]["text"]
    assert not compare.set("selectbox", "What is varied", "categories").has("selectbox", "Within each")
    assert compare.errors == []


@pytest.mark.slow
def test_the_width_of_what_is_safe_can_be_chosen(compare):
    compare.set("number_input", "Safe for joint distributions of up to ... attributes", 3)
    assert table(compare, "Others known")["Scheme"].tolist()[-1] == "3-safe, shrunk"


@pytest.mark.slow
def test_something_varied_gives_a_map_of_winners(compare):
    small(compare.set("multiselect", "Schemes", ["rr-independent", "rr-ind-joint"]))
    for varied, values, axis in (
        ("people", "300, 900", "people"),
        ("eps", "1, 4", "level of every attribute (nats)"),
        ("cramers_v", "0.2, 0.8", "Cramér's V"),
    ):
        compare.set("selectbox", "What is varied", varied).set("text_input", "Values, separated by commas", values)
        finish(compare.click("Compare"))
        assert "winners" in compare.figures
        assert axis in compare.figures["winners"].spec["layout"]["xaxis"]["title"]["text"]
        rows = list(csv.reader(io.StringIO(compare.download("comparison.csv"))))
        assert {float(row[0]) for row in rows[1:]} == {float(value) for value in values.split(",")}


@pytest.mark.slow
def test_a_closer_look_at_another_scheme(compare):
    opened(compare, "closer").set("selectbox", "Scheme", "blend")
    assert "Blend: largest cell error" in compare.text
    compare.set("selectbox", "Joint distribution of", (0, 1, 2))
    assert "half L1" in compare.text


@pytest.mark.slow
def test_a_closer_look_says_how_iterations_ended(compare):
    opened(compare.set("multiselect", "Schemes", ["em", "adjustment"]), "closer")
    assert "the log-likelihood rose from" in compare.text
    compare.set("selectbox", "Scheme", "adjustment")
    assert "weighted records have the estimated marginals" in compare.text


@pytest.mark.slow
def test_bad_values_are_one_sentence(compare):
    compare.set("multiselect", "Schemes", ["rr-independent"]).set("selectbox", "What is varied", "people")
    for values in ("1, x", "", "0"):
        compare.set("text_input", "Values, separated by commas", values)
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
def test_other_settings_give_a_first_look_and_a_comparison_comes_back_with_its_own(compare):
    finish(small(compare).click("Compare"))
    assert "A first look" not in compare.text
    compare.set("number_input", "Releases", 4)
    assert re.search(r"'Compare' takes 4, also for .* 4 attributes\. The one that was made has other settings", compare.text)
    assert "comparison" in compare.figures
    assert "A first look" not in compare.set("number_input", "Releases", 3).text


@pytest.mark.slow
def test_a_scheme_that_cannot_be_says_why(compare):
    compare.set("multiselect", "Schemes", ["naive", "em"])
    (warning,) = compare.warnings
    assert warning.startswith("A total of 8.00 nats is not below 3.47")
    assert [SCHEMES[key].title for key in ("naive", "em")] == [name for name in compare.figures["comparison"].traces if name]


@pytest.mark.slow
def test_what_a_scheme_lacks_is_listed_with_its_reason(compare):
    """At 0.5 nats raw inversion has shares below 0, for which the Hellinger distance is not defined."""
    compare.set("selectbox", "What is varied", "eps").set("text_input", "Values, separated by commas", "0.5")
    compare.set("multiselect", "Schemes", ["rr-independent", "rr-ind-joint", "pair-safe"])
    assert not any("logarithm" in warning for warning in compare.warnings)
    compare.set("selectbox", "Error", "Hellinger distance")
    assert any("Not every scheme has an estimate, and" in warning for warning in compare.warnings)
    table = next(one.value for one in compare.at.dataframe if "Why" in one.value.columns)
    assert set(table["Scheme"]) == {"RR-Ind-Joint"}
    assert table["Why"].str.contains("below 0").all()
    assert table["At"].tolist() == ["0.5"] * len(table)


def test_where_independence_is_closer_than_the_recommended_scheme_is_said_with_both_errors():
    def summary(scheme, median, ways):
        return Summary(scheme, math.nan, ways, median, median, median, 3)

    found = [summary("rr-independent", 0.12, 2), summary("pair-safe", 0.34, 2)]
    found += [summary("rr-independent", 0.5, 3), summary("pair-safe", 0.4, 3)]
    text = results.behind_independence(found, "largest absolute cell error", varied=False, several=True)
    assert text.startswith(
        "RR-Independent is closer than Pair-safe here: 2 attributes, 12.0 points against 34.0 points. So little"
    )
    assert results.behind_independence(found[2:], "largest absolute cell error", varied=False, several=True) == ""


@pytest.mark.slow
def test_a_plan_of_one_attribute_is_sent_back(session):
    session.go("budget").set("multiselect", "Attributes of the plan", ["Sex"]).go("compare")
    assert "choose at least two on the Budget page" in session.text
    assert "budget" in session.links
    assert not session.errors


def test_the_reasons_are_those_of_the_sets_that_are_compared(compare):
    reasons = "Blindness of independence"
    of_all = table(opened(small(compare), "why"), reasons)
    within = table(compare.set("selectbox", "Within each", 3), reasons)  # survival
    assert not within.equals(of_all)
    assert table(compare.set("selectbox", "Within each", -1), reasons).equals(of_all)
