"""Invent one: an invented table becomes the table in use, follows its form, and outlives other pages."""

import pytest
from scipy.stats.contingency import association

V = "Dependence of neighbours (Cramér's V)"


@pytest.fixture
def invented(session):
    """The form as it opens: 10,000 people, 3 attributes of 5 categories, V = 0.5."""
    return session.go("data").set("radio", "Where the table comes from", "synthetic")


def work(session):
    return session.at.session_state["work"]


def test_the_form_opens_with_a_table(invented):
    assert invented.errors == []
    assert "**Invented table (V = 0.50)** · 10,000 people · 3 attributes" in invented.text
    assert "3 attributes, 125 combinations, 10,000 people" in invented.text
    assert invented.table["name"].tolist() == ["A", "B", "C"]
    assert invented.row("B")["distribution"] == [3448, 2299, 1724, 1379, 1150], "1/2 to 1/6 of 10,000 people in proportion"


@pytest.mark.slow
def test_the_table_follows_the_form(invented):
    invented.set("number_input", "People", 3000).set("number_input", "Attributes", 2)
    invented.set("number_input", "Categories of each", 4).set("slider", V, 0.8).set("slider", "Unevenness (Zipf exponent)", 0.0)
    assert invented.errors == []
    assert "**Invented table (V = 0.80)** · 3,000 people · 2 attributes" in invented.text
    assert invented.row("A")["distribution"] == [750] * 4
    assert association(work(invented).dataset.counts("AB"), method="cramer") == pytest.approx(0.8, abs=0.005)


def test_the_seed_changes_the_people_but_not_the_shares(invented):
    before = work(invented).dataset
    invented.set("number_input", "Seed", 1)
    after = work(invented).dataset
    assert (before.codes != after.codes).any()
    assert (before.counts("AB") == after.counts("AB")).all()


def test_what_is_impossible_is_said_and_the_former_table_stays(invented):
    invented.set("number_input", "People", 4)
    (error,) = invented.errors
    assert "4 people cannot fill 5 categories" in error
    assert "**Invented table (V = 0.50)** · 10,000 people · 3 attributes" in invented.text
    invented.set("number_input", "People", 250).set("slider", V, 0.0)
    (error,) = invented.errors
    assert "the nearest Cramér's V to 0 is 0.017" in error
    assert "250 people · 3 attributes" in invented.text
    invented.set("number_input", "People", 5000)
    assert invented.errors == []
    assert "**Invented table (V = 0.00)** · 5,000 people · 3 attributes" in invented.text


def test_the_form_and_the_table_outlive_other_pages(invented):
    invented.set("slider", V, 0.3).go("budget").go("start").go("data")
    assert invented.widget("radio", "Where the table comes from").value == "synthetic"
    assert invented.widget("slider", V).value == 0.3
    assert "**Invented table (V = 0.30)** · 10,000 people · 3 attributes" in invented.text


@pytest.mark.slow
def test_what_was_done_to_a_column_stays_until_the_form_changes(invented):
    invented.edit({2: {"in play": False}})
    assert "2 attributes, 25 combinations" in invented.text
    invented.go("budget").go("data")
    assert "2 attributes, 25 combinations" in invented.text


def test_a_demo_and_back(invented):
    invented.set("slider", V, 0.9).set("radio", "Where the table comes from", "demo")
    assert "**Titanic**" in invented.text
    invented.set("radio", "Where the table comes from", "synthetic")
    assert "**Invented table (V = 0.90)**" in invented.text


@pytest.mark.slow
def test_an_invented_table_goes_through_to_the_estimate(invented):
    invented.go("budget").go("perturb")
    assert invented.errors == []
    assert invented.frame("simulated-estimate.csv").columns[:2].tolist() == ["A", "B"]
