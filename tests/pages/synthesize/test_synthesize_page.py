"""Synthesize: what is sent, what goes together, the synthetic table, its use, and all sources compared."""

import json
import re

import numpy as np
import pytest


@pytest.fixture
def synthesize(session):
    return session.go("synthesize")


def section(session, key):
    """The page with one of its details open."""
    return session.look_at(f"synthesize_{key}", True)


def shown(session, column):
    return next(frame.value for frame in session.at.dataframe if column in frame.value.columns)


def source(session, key):
    return session.set("selectbox", "Where joint distributions come from", key)


def test_the_page_opens_with_an_answer_its_price_and_a_figure(synthesize):
    answer = next(
        one.value.replace("\N{NO-BREAK SPACE}", " ")
        for one in synthesize.at.markdown
        if one.value.startswith("Rebuilt from the randomised answers")
    )
    assert "of 1,541 of 2,201 people, a synthetic table is off by" in answer
    assert answer.endswith("Pair-safe, shrunk (one answer × 7.39, others known × 88.5, whole record × 88.5).")
    assert list(synthesize.figures) == ["synthetic-marginal"]
    assert [trace["name"] for trace in synthesize.figures["synthetic-marginal"].spec["data"]] == ["truth", "synthetic"]


def test_the_graph_is_held_against_the_true_one(synthesize):
    section(synthesize, "graph")
    assert "graph" in synthesize.figures
    assert "dependencies correct" in synthesize.text or "dependency correct" in synthesize.text
    assert "Cliques:" in synthesize.text
    before = synthesize.text
    synthesize.set("slider", "Dependency degree phi", 0.05)
    assert synthesize.text != before


def off(session):
    """By how many points the synthetic table is off for one attribute, as the page's first sentence says."""
    text = session.text.replace("\N{NO-BREAK SPACE}", " ")
    return float(re.search(r"off by \*\*([0-9.]+) points\*\*", text)[1])


@pytest.mark.slow
def test_the_page_opens_with_the_closer_of_the_safe_sources(open_session):
    """Eight attributes of the census, 8 levels of 2: cliques, inverted, are off by more than ten times as much."""
    session = open_session("/synthesize?table=census").finish("synthesize_made")
    first = off(session)
    assert 10 * first < off(source(session, "pair-safe").finish("synthesize_made"))


def test_records_of_the_model_of_all_pairs(synthesize):
    assert "Drawn from one table of all attributes. What the model of all pairs says of any two attributes" in synthesize.text
    told = json.loads(synthesize.download("synthetic-provenance.json"))
    assert (told["source"], told["cliques"]) == ("Pair-safe, shrunk", None)
    assert told["model_of_all_pairs"]["difference"] < 0.01
    assert not synthesize.has("checkbox", "Prune pairs by entropy")
    assert len(synthesize.frame("simulated-synthetic.csv")) == 2201


@pytest.mark.slow
def test_lopub_tells_what_is_sent_and_what_it_costs(synthesize):
    source(synthesize, "lasso-em").set("number_input", "Level of every attribute (nats)", 4.0)
    section(synthesize, "collection")
    rows = shown(synthesize, "Bits m").set_index("Attribute")
    assert rows["Bits m"].tolist() == [128] * 4
    assert rows["Level as published"].tolist() == ["4.00"] * 4
    assert "(16.00 nats)" in synthesize.text  # four attributes at 4
    assert "One respondent sends 512 bits" in synthesize.text
    assert "likelihood" in synthesize.figures
    synthesize.set("radio", "Bloom filters", "rate")
    rows = shown(synthesize, "Bits m").set_index("Attribute")
    assert rows.loc["Class", "Bits m"] == 25  # 4 ln 20 / (ln 2)^2 = 24.9
    assert rows.loc["Sex", "Bits m"] == 13


@pytest.mark.slow
def test_lasso_as_published_is_called_blind_to_dependence(synthesize):
    source(synthesize, "lasso")
    section(synthesize, "collection")
    assert any("nothing about which answers go together" in text for text in synthesize.warnings)


@pytest.mark.slow
def test_the_unprotected_source_says_so(synthesize):
    source(synthesize, "truth")
    section(synthesize, "collection")
    assert any("nothing is protected" in text for text in synthesize.warnings)


def test_the_table_and_where_it_comes_from(synthesize):
    source(synthesize, "pair-safe").set("number_input", "Records", 500)
    frame = synthesize.frame("simulated-synthetic.csv")
    assert frame.columns.tolist() == ["Class", "Sex", "Age", "Survived"]
    assert len(frame) == 500
    told = json.loads(synthesize.download("synthetic-provenance.json"))
    assert told["source"] == "Pair-safe, inverted"
    assert told["records"] == 500
    assert {name for clique in told["cliques"] for name in clique} == {"Class", "Sex", "Age", "Survived"}
    first = synthesize.download("simulated-synthetic.csv")
    synthesize.click("Draw again")
    assert synthesize.download("simulated-synthetic.csv") != first


def test_repeating_keeps_the_estimated_shares(synthesize):
    source(synthesize, "pair-safe").set("checkbox", "Repeat instead of draw", True)
    shares = np.array(synthesize.frame("simulated-synthetic.csv")["Sex"].value_counts(normalize=True))
    assert shares.sum() == pytest.approx(1)


def test_pruning_tells_what_it_saves_and_loses(synthesize):
    section(source(synthesize, "pair-safe"), "graph")
    synthesize.set("slider", "Dependency degree phi", 0.4)
    synthesize.set("checkbox", "Prune pairs by entropy", True)
    assert "Pruning looks at 1 of 6 pairs" in synthesize.text  # 4 * 0.6 = 2.4, so two attributes are kept


@pytest.mark.slow
def test_what_the_table_is_good_for(synthesize):
    section(synthesize, "use")
    assert {"half-l1", "v-difference", "accuracy"} <= set(synthesize.figures)
    assert "true rows that were in neither table" in synthesize.text


@pytest.mark.slow
def test_all_sources_are_compared_and_one_is_closest(synthesize):
    section(synthesize, "contest")
    synthesize.click("Compare all sources").finish("contest")
    rows = shown(synthesize, "Source").set_index("Source")
    assert rows.index.tolist()[:3] == ["Pair-safe, inverted", "Pair-safe, shrunk", "RR-Ind-Joint"]
    price = ["One answer", "Others known", "Whole record"]
    assert rows.loc["RR-Ind-Joint", price].tolist() == ["× 7.39", "× 7.39", "× 2,990"]  # e^2, e^2 and e^8
    assert rows.loc["Pair-safe, inverted", price].tolist() == ["× 7.39", "× 88.5", "× 88.5"]
    assert rows["2 attributes"].str.contains("best").sum() == 1
    assert "is closest" in synthesize.text
    synthesize.set("radio", "What is held equal", "total")
    assert "Every source may spend 8.00 nats on the record" in synthesize.text


def test_without_a_table_the_page_says_what_to_do(session):
    session.go("data").set("radio", "Where the table comes from", "declare").go("synthesize")
    assert "data" in session.links


@pytest.mark.slow
def test_very_low_levels_of_the_plan_are_no_obstacle(open_session):
    session = open_session("/synthesize?levels=Sex:0.01,Survived:0.01")
    assert session.widget("number_input", "Level of every attribute (nats)").value == 0.1
