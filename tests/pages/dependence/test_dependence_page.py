"""Dependence: the true one, four ways to find it, clusters, a secure sum."""

import threading

import numpy as np
import pytest

from pages.dependence import finding, true
from pages.dependence.true import TITLES
from pages.shared import jobs
from rrcore.dependence import MEASURES, PairTables
from rrcore.table import load_demo
from rrcore.wording import amount_range_text, odds_text


@pytest.fixture
def dependence(session):
    return session.go("dependence")


def table(session, column):
    return next(frame.value for frame in session.at.dataframe if column in frame.value.columns)


@pytest.mark.slow
def test_two_routes_from_the_release_and_three_by_secure_sum(dependence):
    assert "association" in dependence.figures
    assert table(dependence, "Route")["Route"].tolist() == ["Released answers, debiased", "Released answers as they are (4.1)"]
    dependence.click("Add the routes by secure sum (4.2, 4.3)").finish("secret_routes")
    rows = table(dependence, "Route").set_index("Route")
    assert rows.loc["Exact pairs by secure sum (4.2)", ["Rank correlation", "Median error", "Cost (nats)"]].tolist() == [
        "1.00",
        "+0.000",
        "no bound",
    ]
    assert rows.loc["Randomised pairs by secure sum (4.3)", ["Cost (nats)", "Cost as published"]].tolist() == ["24.00", "8.00"]
    assert rows.loc["Randomised pairs by secure sum (4.3), counted in full", "Cost (nats)"] == "8.00"
    pairs = table(dependence, "95 % interval")
    assert len(pairs) == 6
    assert dependence.figures["agreement"].traces[0] == "as in truth"


@pytest.mark.slow
def test_measures_and_pearson_for_ordered_pairs(dependence):
    dependence.look_at("dependence_section", "true")
    before = dependence.figures["true-association"].spec["data"][-1]["text"]
    dependence.set("selectbox", "Measure", "mutual information (nats)")
    assert dependence.figures["true-association"].spec["data"][-1]["text"] != before
    dependence.set("checkbox", "Pearson for ordered pairs", True)
    assert dependence.errors == []
    dependence.go("start").go("dependence")
    assert dependence.widget("selectbox", "Measure").value == "mutual information (nats)"


def test_the_strongest_pair_comes_first_with_its_interval_and_its_price(dependence):
    """One sentence: V as in the table of pairs, and the odds of the record as in the plan."""
    first = table(dependence, "95 % interval").sort_values("Found", ascending=False).iloc[0]
    low, high = (float(end) for end in first["95 % interval"].split(" to "))
    assert f"{first['Found']} ({first['95 % interval']})" == amount_range_text(
        float(first["Found"]), low, high
    )  # no digits beyond the error
    (answer,) = [text for text in dependence.text.split("\n") if "go together most" in text]
    assert answer.startswith(
        f"{first['Pair'].replace(' with ', ' and ')} go together most: Cramér's V {float(first['Found']):.2f} ({low:.2f} to {high:.2f})"
    )
    total = dependence.at.session_state["work"].plan().build().total_level
    assert f"by at most × {odds_text(total)}; it is {float(first['True V']):.2f} in the true table." in answer


@pytest.mark.slow
def test_clusters_from_three_sources(dependence):
    dependence.set(
        "segmented_control" if hasattr(dependence.at, "segmented_control") else "button_group", "Look closer", "clusters"
    )
    for source in ("the release, debiased", "the release as it is", "the true table"):
        dependence.set("radio", "Dependence from", source)
        clusters = table(dependence, "Level (nats)")
        assert sum(len(cell.split(", ")) for cell in clusters["Cluster"]) == 4
    dependence.set("slider", "Least dependence to merge (T_d)", 0.0).set(
        "number_input", "Most combinations in a cluster (T_v)", 32
    )
    (row,) = table(dependence, "Level (nats)").to_dict("records")
    assert (row["Combinations"], row["Level (nats)"]) == ("32", "8.00")
    assert "merge-tree" in dependence.figures


@pytest.mark.slow
def test_a_secure_sum_step_by_step(dependence):
    dependence.set(
        "segmented_control" if hasattr(dependence.at, "segmented_control") else "button_group", "Look closer", "protocol"
    )
    messages, seen = (frame.value for frame in dependence.at.dataframe if "announces" in frame.value.columns)
    shares = messages[[f"to {party}" for party in range(1, 6)]]
    assert (shares.sum(axis=1) % 97 == 0).all()
    assert messages["announces"].sum() % 97 == messages["own number"].sum()
    first = load_demo("titanic").select(dependence.chosen[:2]).codes[:5]
    assert messages["own number"].sum() == np.unique(first, axis=0, return_counts=True)[1].max()
    assert seen.loc["from 3", "own number"] == "hidden"
    assert seen.loc["from 3", "to 1"] == str(shares.loc["from 3", "to 1"])
    assert "nothing else" in dependence.text
    dependence.set("multiselect", "Parties that put together what they see", [0, 1, 2, 3])
    assert any("Only one party is outside" in warning for warning in dependence.warnings)


def test_a_single_attribute_has_no_dependence(session):
    session.go("budget").set("multiselect", "Attributes of the plan", ["Sex"]).go("dependence")
    assert "choose at least two" in session.text


@pytest.mark.slow
def test_what_needs_no_release_is_there_though_the_search_in_it_was_stopped(session, monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr(jobs, "PATIENCE", 0.1)
    monkeypatch.setattr(finding, "dependence_after_release", lambda *arguments, **options: gate.wait(60))
    session.go("dependence").click("Stop")
    gate.set()
    session.finish("routes")
    assert "Looking for dependence was stopped." in session.text
    assert "Nothing has been found in the release yet." in session.text
    assert "association" not in session.figures
    session.look_at("dependence_section", "true")
    assert "true-association" in session.figures
    assert "Nothing has been found in the release yet." not in session.text


def test_drawing_again_changes_what_is_found(dependence):
    before = table(dependence, "Route").to_dict()
    dependence.click("Draw again")
    assert table(dependence, "Route").to_dict() != before


@pytest.mark.slow
def test_pairs_about_which_a_release_says_nothing_are_marked(session):
    session.go("budget").set("slider", "Scale all levels", 0.1).go("dependence")
    assert "its own release says next to nothing" in table(session, "95 % interval")["Note"].tolist()
    session.go("budget").set("slider", "Scale all levels", 3.0).go("dependence")
    assert set(table(session, "95 % interval")["Note"]) == {""}


def test_only_ordered_pairs_are_measured_by_pearson_and_every_choice_anew(dependence):
    work = dependence.at.session_state["work"]
    table = work.dataset
    tables = PairTables.count(table.codes, table.schema.sizes)
    kinds = {attribute.name: attribute.kind for attribute in table.schema.attributes}
    assert [kinds[name] for name in ("Class", "Sex", "Age")] == ["ordinal", "nominal", "ordinal"]
    name = next(iter(MEASURES))
    plain, ordered = (true.dependence(work, table, tables, name, ordinal=ordinal) for ordinal in (False, True))
    codes = table.codes
    assert ordered[0, 2] == pytest.approx(abs(np.corrcoef(codes[:, 0], codes[:, 2])[0, 1]))
    assert ordered[0, 2] != pytest.approx(plain[0, 2], abs=1e-3)
    assert ordered[0, 1] == plain[0, 1]
    work.wish(chosen=("Class", "Age"))
    two = table.select(["Class", "Age"])
    assert true.dependence(work, two, PairTables.count(two.codes, two.schema.sizes), name, ordinal=True).shape == (2, 2)


def test_a_measure_that_a_project_names_is_still_offered():
    """Its name in files stays when that on the page changes."""
    assert "Cramer's V, bias-corrected" in MEASURES
    assert TITLES["Cramer's V, bias-corrected"] == "Cramér's V, bias-corrected"
