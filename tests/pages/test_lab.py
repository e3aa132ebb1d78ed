"""Lab: each tool opens with a result and its ε, with a table, a declared plan and without either."""

import math
import re
from itertools import islice

import pytest

from rrcore.limits import MAX_PEOPLE
from rrcore.papers import GROUPS, find_scheme
from rrcore.papers.comparison import Sweep

FIGURES = {"Compare methods": "methods", "Synthesize": "synthetic-marginal", "Key-value": "key-frequencies"}
JOBS = {"Compare methods": ("comparison",), "Synthesize": ("synthesize_collected", "synthesize_made"), "Key-value": ()}


def opened(session, tab):
    session.go("lab", tab)
    for job in JOBS[tab]:
        session.finish(job)
    return session


def rows(session, column):
    frames = [*(each.value for each in session.at.dataframe), *(each.value.reset_index() for each in session.at.table)]
    return next(frame for frame in frames if column in frame.columns)


@pytest.mark.parametrize("tab", FIGURES)
def test_a_tab_opens_with_one_result_its_epsilon_and_a_figure(session, tab):
    opened(session, tab)
    assert list(session.figures) == [FIGURES[tab]]
    assert any(re.match(r"At\s+ε\s", one.value) for one in session.at.markdown)
    assert len(session.at.header) >= 2
    assert session.errors == []


def test_methods_are_drawn_before_they_reach_the_plans_epsilon(session, monkeypatch):
    run = Sweep.run
    monkeypatch.setattr(Sweep, "run", lambda self, people, epsilon: islice(run(self, people, epsilon), 1))
    assert list(opened(session, "Compare methods").figures) == ["methods"]
    assert not any("Method" in each.value for each in session.at.table)


@pytest.mark.parametrize("tab", FIGURES)
def test_a_tab_opens_for_a_declared_plan(session, tab):
    session.declaring().declare("smokes: yes, no", "age: young, middle, old")
    assert list(opened(session, tab).figures) == [FIGURES[tab]]
    assert session.errors == []


def test_a_plan_for_more_people_than_a_server_has_room_for(session, monkeypatch):
    monkeypatch.setenv("RR_WORKBENCH_DEMO", "yes")
    monkeypatch.setattr("pages.shared.state.DEMO_ROWS", 500)
    session.declaring().declare("smokes: yes, no", "age: young, middle, old").set("number_input", "Sample size", MAX_PEOPLE)
    assert list(opened(session, "Compare methods").figures) == ["methods"]
    assert session.at.session_state["work"].simulated == 500
    assert session.errors == []


def test_without_a_table_there_are_three_doors_and_key_value_needs_none(open_session):
    for tab in ("Compare methods", "Synthesize"):
        session = open_session("/", table="").go("lab", tab)
        assert any(button.label == "Describe questions" for button in session.at.button)
        assert session.figures == {}
    assert "key-frequencies" in open_session("/", table="").go("lab", "Key-value").figures


def test_the_methods_of_a_paper_are_compared_at_the_plans_epsilon(session):
    opened(session, "Compare methods").set("selectbox", "Methods", "Castell").finish("comparison")
    titles = [find_scheme(name).title for name in GROUPS["Castell"]]
    assert session.figures["methods"].traces == titles
    table = rows(session, "ε, whole record")
    assert sorted(table["Method"]) == sorted(titles)
    total = math.fsum(session.epsilon)
    assert table["ε, whole record"].astype(float).tolist() == pytest.approx([total] * len(titles), abs=0.011)
    assert session.figures["methods"].spec["layout"]["shapes"][0]["x0"] == pytest.approx(total)


@pytest.mark.long
def test_equal_epsilons_per_answer_spend_different_totals(session):
    opened(session, "Compare methods").set("radio", "Equal for all methods", "epsilon").finish("comparison")
    table = rows(session, "ε, whole record").set_index("Method").astype({"ε, whole record": float, "ε, answer alone": float})
    assert table["ε, answer alone"].max() <= max(session.epsilon) + 0.011
    optimized = find_scheme("preserving-2-shrinkage").title
    assert table.loc[optimized, "ε, whole record"] < table.loc["RR-Ind-Joint", "ε, whole record"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("axis", "places"),
    [("nothing", [2, 3, 4]), pytest.param("people", [500, 1000, 2000, 5000, 10000], marks=pytest.mark.long)],
)
def test_the_axis_is_the_width_or_the_sample_size(session, axis, places):
    opened(session, "Compare methods").set("selectbox", "Horizontal axis", axis).finish("comparison")
    assert session.figures["methods"].spec["layout"]["xaxis"]["tickvals"] == places
    session.set("selectbox", "Error", "count query, relative error").finish("comparison")
    assert session.errors == []


def test_the_published_heuristic_exceeds_epsilons_that_the_optimum_keeps(session):
    session.given(lab_published=True)
    opened(session, "Compare methods").finish("lab_optimum")
    table = rows(session, "Achieved ε")
    exceeded = table["Achieved ε"].astype(float) > table["Requested ε"].astype(float) + 0.01
    assert (table["Requested ε kept"] == "no").tolist() == exceeded.tolist()
    assert len(table) == 4
    before = table["Attribute"].tolist()
    session.set("number_input", "Order of the attributes", 3)
    assert sorted(rows(session, "Achieved ε")["Attribute"]) == sorted(before)


def test_a_synthetic_table_is_marked_and_changes_with_the_seed(session):
    opened(session, "Synthesize")
    frame = session.frame("simulated-synthetic.csv")
    assert frame.columns.tolist() == ["Class", "Sex", "Age", "Survived"]
    assert 1000 < len(frame) <= 2201
    errors = rows(session, "Mean total variation distance")
    assert errors["Number of attributes"].tolist() == ["1", "2", "3", "4"]
    session.set("selectbox", "Joint distributions from", "truth").finish("synthesize_made")
    assert session.download("with-true-shares-simulated-synthetic.csv")


@pytest.mark.slow
def test_lopub_collects_bloom_filters_at_the_epsilon_asked_for(session):
    opened(session, "Synthesize").set("selectbox", "Joint distributions from", "lasso-em").finish("synthesize_made")
    total = math.fsum(session.epsilon)
    assert any(f"{total:g} for the whole record" in one.value.replace("\N{NO-BREAK SPACE}", " ") for one in session.at.markdown)


def test_every_protocol_estimates_every_key_and_a_biased_one_is_warned_of(session):
    opened(session, "Key-value")
    for protocol, biased in (("kvue", False), ("privkv", True)):
        session.set("selectbox", "Protocol", protocol)
        assert len(rows(session, "True share")) == 8
        assert bool(session.warnings) == biased


@pytest.mark.slow
@pytest.mark.long
def test_all_protocols_and_a_conditional_question(session):
    session.given(keyvalue_question=True)
    opened(session, "Key-value").finish("keyvalue_collected")
    table = rows(session, "Bits per user")
    assert len(table) == 5
    assert table["Method"].iloc[0] == "Truth"
    session.click("Measure all protocols").finish("keyvalue_curves")
    assert len(session.figures["protocols"].traces) == 6


def test_ratings_from_a_file_are_rescaled_or_refused(session):
    opened(session, "Key-value").set("radio", "Ratings", "Uploaded")
    assert session.figures == {}
    ratings = "".join(f"u{i},{'tea' if i % 3 else 'beer'},{1 + i % 5}\n" for i in range(400))
    session.widget("file_uploader", "Ratings").set_value(("ratings.csv", f"user,key,value\n{ratings}".encode(), "text/csv"))
    session.run()
    assert len(session.errors) == 1
    session.set("number_input", "Lowest rating", 1.0).set("number_input", "Highest rating", 5.0)
    assert session.errors == []
    assert rows(session, "True share")["Key"].tolist() == ["beer", "tea"]
