"""Choices survive visits to other pages, and two sessions share nothing."""

import re
from pathlib import Path

import numpy as np
import pytest

from pages.shared import state
from rrcore.budget import Wishes

MARGINAL = "Joint distribution of"
MECHANISM = "Mechanism of the plan"
SCALE = "Scale all levels"
PAGES = ("start", "data", "budget", "perturb")


def visit_all(session):
    for page in PAGES:
        session.go(page)
    return session


@pytest.mark.slow
def test_levels_and_scale_survive_and_hold_everywhere(session):
    session.go("budget").edit({0: {"eps": 1.0}, 2: {"eps": 3.0}}).set("slider", SCALE, 0.5)
    visit_all(session).go("budget")
    assert session.levels == [0.5, 1.0, 1.5, 1.0]
    assert session.widget("slider", SCALE).value == 0.5
    assert session.go("perturb").widget("slider", SCALE).value == 0.5


@pytest.mark.slow
def test_the_scale_set_on_perturb_holds_on_budget(session):
    session.go("budget").go("perturb").set("slider", SCALE, 2.0).go("budget")
    assert session.widget("slider", SCALE).value == 2.0
    assert session.levels == [4.0] * 4


@pytest.mark.slow
@pytest.mark.parametrize(("here", "there"), [("budget", "perturb"), ("perturb", "budget")])
def test_the_mechanism_survives_and_holds_on_both_pages(session, here, there):
    session.go(there).go(here).choose("optimal").go(there)
    assert session.widget("radio", MECHANISM).value == "optimal"
    assert visit_all(session).go(here).widget("radio", MECHANISM).value == "optimal"


@pytest.mark.slow
def test_the_marginal_survives(session):
    session.go("perturb").set("multiselect", MARGINAL, ["Survived", "Age", "Sex"])
    assert visit_all(session).widget("multiselect", MARGINAL).value == ["Survived", "Age", "Sex"]
    assert session.go("budget").widget("multiselect", MARGINAL).value == ["Survived", "Age", "Sex"]


@pytest.mark.slow
def test_seed_and_number_of_people_survive(session):
    session.go("perturb").set("number_input", "Seed", 77).set("number_input", "What if the number of people were", 500)
    estimate = session.download("simulated-estimate.csv")
    visit_all(session)
    assert session.widget("number_input", "Seed").value == 77
    assert session.widget("number_input", "What if the number of people were").value == 500
    assert session.download("simulated-estimate.csv") == estimate


@pytest.mark.slow
def test_chosen_attributes_and_planned_people_survive(session):
    session.go("budget").set("multiselect", "Attributes of the plan", ["Age", "Class"]).set("number_input", "People", 900)
    visit_all(session).go("budget")
    assert session.widget("multiselect", "Attributes of the plan").value == ["Age", "Class"]
    assert session.widget("number_input", "People").value == 900


@pytest.mark.slow
def test_the_demo_survives(session):
    session.go("data").set("radio", "Demo table", "haireye")
    visit_all(session).go("data")
    assert session.widget("radio", "Demo table").value == "haireye"
    assert session.table["name"].tolist() == ["Hair", "Eye", "Sex"]


@pytest.mark.slow
def test_what_became_of_a_column_survives(session):
    session.go("data").edit({0: {"in play": False}}).edit({3: {"kind": "ordinal"}})
    visit_all(session).go("data")
    assert session.table["in play"].tolist() == [False, True, True, True]
    assert session.row("Survived")["kind"] == "ordinal"


@pytest.mark.slow
def test_levels_survive_an_edit_of_a_column(session):
    session.go("budget").edit({0: {"eps": 1.0}}).go("data").edit({3: {"kind": "ordinal"}}).go("budget")
    assert session.levels == [1.0, 2.0, 2.0, 2.0]


@pytest.mark.slow
def test_what_only_a_widget_knows_survives_too(session):
    chosen = {
        "compare": {("number_input", "Releases"): 7, ("multiselect", "Schemes"): ["em"]},
        "synthesize": {("slider", "Dependency degree phi"): 0.4},
        "collect": {("text_input", "Made by"): "the office"},
        "perturb": {("checkbox", "Intervals hold for all at once"): True},
    }
    for page, values in chosen.items():
        session.go(page)
        for widget, value in values.items():
            session.set(*widget, value)
    session.go("start")
    for page, values in chosen.items():
        session.go(page)
        assert {widget: session.widget(*widget).value for widget in values} == values


@pytest.mark.slow
def test_the_next_draw_holds_on_every_page(session):
    session.go("perturb").set("number_input", "Seed", 5).go("synthesize").click("Draw again").go("perturb")
    assert session.widget("number_input", "Seed").value == 6


@pytest.mark.slow
def test_two_sessions_share_nothing(open_session):
    one, other = open_session(), open_session()
    one.upload(b"secret,answer\n" + b"confidential a,yes\nconfidential b,no\n" * 50, "confidential.csv")
    one.go("budget").edit({0: {"eps": 0.25}}).set("slider", SCALE, 2.0).choose("optimal")
    one.go("perturb").set("number_input", "Seed", 99)
    for page in PAGES:
        other.go(page)
        assert "confidential" not in other.text + "".join(other.errors + other.warnings)
    assert other.widget("number_input", "Seed").value == 0
    assert other.widget("radio", MECHANISM).value == "pair-safe"
    assert other.frame("simulated-release.csv").columns.tolist() == ["Class", "Sex", "Age", "Survived"]
    assert other.go("budget").levels == [2.0] * 4
    assert one.go("budget").levels == [0.5, 4.0]
    assert one.typed_table["Attribute"].tolist() == ["secret", "answer"]


def test_editing_a_demo_in_one_session_leaves_it_whole_in_another(open_session):
    one, other = open_session(), open_session()
    one.go("data").edit({0: {"in play": False}}).detail("Age").set("text_area", "Categories, one per line, in order", "Adult")
    assert other.go("data").table["in play"].tolist() == [True] * 4
    assert other.row("Age")["categories"] == 2


def seeded(seed):
    return state.Work(wishes=Wishes(1, (), {}, seed=seed))


def test_random_streams_are_told_apart_by_their_names_and_the_seed():
    calls = [("",), ("people",), ("repeats",), ("conditional ratings", 0), ("conditional ratings", 1)]
    drawn = [seeded(seed).rng(*call).integers(2**62) for seed in (0, 1) for call in calls]
    assert len(set(drawn)) == len(drawn)
    assert seeded(1).rng("people").integers(2**62) == drawn[6]


@pytest.mark.parametrize("seed", [0, 7, 2**40])
def test_the_stream_without_a_name_is_the_one_a_release_is_reproduced_by(seed):
    assert seeded(seed).rng().random() == np.random.default_rng(seed).random()


def test_every_stream_of_the_pages_has_a_name_of_its_own():
    code = "".join(path.read_text(encoding="utf-8") for path in Path(state.__file__).parents[1].rglob("*.py"))
    names = re.findall(r'\.rng\("([^"]+)"', code)
    assert len(names) > 10
    assert len(set(names)) == len(names)
    assert "default_rng(" not in code.replace("return np.random.default_rng(", "")
