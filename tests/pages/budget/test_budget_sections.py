"""The sections of Budget: other ways in, safeguards, trade-offs, observers, the published algorithm, and work in the background."""

import json
import threading
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from pages.budget import tradeoffs
from pages.shared import jobs, mechanisms
from rrcore.budget import KNOWS, Plan, Questions, certainty_assumed, certainty_in_table, levels_for_total, observe
from rrcore.mechanisms import Safeguards, build
from rrcore.mechanisms.published import Published
from rrcore.mechanisms.recipes import RECIPES
from rrcore.wording import unbroken

CHOSEN = "Attributes of the plan"
MECHANISM = "Mechanism of the plan"
ENTRY = "Start from"
TOTAL = "Total for the whole record (nats)"
SIZES = (4, 2, 2, 2)
NAMES = ("Class", "Sex", "Age", "Survived")


@pytest.fixture
def budget(session):
    """Titanic: Class (4), Sex, Age, Survived (2 each), level 2.0 each."""
    return session.go("budget")


@pytest.fixture
def from_total(budget):
    return budget.set("radio", ENTRY, "total")


@pytest.fixture
def asking(budget):
    return budget.set("radio", ENTRY, "questions")


def section(session, name, *, key="budget_section"):
    return session.look_at(key, name)


def work(session):
    return session.at.session_state["work"]


def frame_with(session, column):
    (frame,) = [frame.value for frame in session.at.dataframe if column in frame.value]
    return frame


def plan_file(session):
    return Plan.from_json(session.download("plan.json"))


# one total in, levels out


@pytest.mark.slow
def test_a_total_is_spent_by_the_levels_of_the_chosen_mechanism(from_total):
    from_total.set("number_input", TOTAL, 5.0)
    for mechanism in ("pair-safe", "kronecker", "optimal"):
        expected = levels_for_total(SIZES, 5.0, [1.0] * 4, mechanism=mechanism).levels
        plan = plan_file(from_total.choose(mechanism))
        assert plan.levels == pytest.approx(expected, abs=1e-9)
        assert plan.build().total_level == pytest.approx(5.0, abs=1e-6)


@pytest.mark.slow
def test_weights_set_the_ratios_of_the_levels(from_total):
    from_total.edit({0: {"weight": "2"}, 3: {"weight": "0,5"}})
    levels = np.array(plan_file(from_total).levels)
    np.testing.assert_allclose(levels / levels[1], [2, 1, 1, 0.5], rtol=1e-9)
    assert from_total.errors == []


@pytest.mark.slow
def test_a_bad_weight_gives_one_sentence_and_keeps_the_former(from_total):
    before = plan_file(from_total).levels
    from_total.edit({1: {"weight": "-3"}})
    (error,) = from_total.errors
    assert error == "The weight of 'Sex' is '-3': give a positive number, for example 1. The previous weight is kept."
    assert plan_file(from_total).levels == before


@pytest.mark.slow
def test_what_other_mechanisms_afford_is_listed(from_total):
    table = frame_with(from_total, "Pair-safe")
    assert table["Attribute"].tolist() == list(NAMES)
    kronecker = table["Kronecker"].astype(float)
    assert kronecker.tolist() == [1.0] * 4  # 4 nats shared by four
    assert (table["Optimum"].astype(float) >= table["Pair-safe"].astype(float)).all()
    assert (table["Pair-safe"].astype(float) >= kronecker).all()
    assert any("protects little: one of 32 records" in warning for warning in from_total.warnings)


# one total and questions in, a mechanism out


@pytest.mark.slow
def test_questions_choose_a_design_and_its_plan_can_be_taken_along(asking):
    assert asking.widget("radio", MECHANISM).value == "design"
    plan = plan_file(asking)
    assert plan.mechanism == "design"
    assert plan.questions == Questions(4.0, tuple(combinations(range(4), 2)), 2_201)
    assert plan.build().total_level <= 4 + 1e-9
    assert json.loads(asking.download("plan.json"))["questions"]["total"] == 4.0


@pytest.mark.slow
def test_gains_are_shown_for_what_is_ticked_and_what_is_not(asking):
    asking.set("radio", "Joint distributions wanted", "The ones I tick").set("multiselect", "One by one", ["Class with Sex"])
    table = frame_with(asking, "Ticked")
    assert table["Joint distribution"].tolist()[0] == "Class with Sex"
    assert table["Ticked"].tolist() == ["yes"] + [""] * 9
    assert len(table) == 4 + 6
    design = plan_file(asking).build()
    assert table["Designed: gain"].tolist()[0] == f"× {design.gains((0, 1)):.2f}"


@pytest.mark.slow
def test_no_question_is_one_sentence(asking):
    asking.set("radio", "Joint distributions wanted", "The ones I tick").set("multiselect", "One by one", [])
    assert asking.errors == ["No joint distribution is wanted: tick at least one."]


@pytest.mark.slow
def test_too_many_attributes_for_a_design_are_one_sentence(session):
    session.declaring()
    session.declare("smokes: no, yes", "health: 3", "region: 4", *(f"q{i}: no, yes" for i in range(10))).go("budget")
    session.set("multiselect", CHOSEN, list(session.widget("multiselect", CHOSEN).options)).set("radio", ENTRY, "questions")
    (error,) = session.errors
    assert error.startswith("A design for joint distributions wanted takes at most 12 attributes and there are 13: choose fewer")


@pytest.mark.slow
def test_going_back_to_levels_leaves_the_design(asking):
    asking.set("radio", ENTRY, "levels")
    assert asking.widget("radio", MECHANISM).value == "pair-safe"
    assert plan_file(asking).questions is None


# safeguards


@pytest.mark.slow
def test_a_cap_is_kept_by_the_mechanism_that_is_then_chosen(budget):
    budget.set("multiselect", "Cap the leakage of", ["Survived"]).set(
        "number_input", "Leakage above the level, at most (nats)", 0.5
    )
    assert budget.widget("radio", MECHANISM).value == "safeguarded"
    plan = plan_file(budget)
    assert plan.safeguards.slacks == (float("inf"),) * 3 + (0.5,)
    assert plan.build().leakage[3] <= 2.5 + 1e-9
    budget.go("perturb")
    assert budget.widget("radio", MECHANISM).value == "safeguarded"
    assert budget.errors == []


@pytest.mark.slow
def test_an_impossible_floor_names_the_largest_possible(budget):
    budget.set("checkbox", "Keep an accuracy floor", True).set("number_input", "Floor (1 = as accurate as Kronecker)", 50.0)
    assert (
        "An accuracy floor of 50 times Kronecker's cannot be kept at these levels: the largest possible is" in budget.warnings[-1]
    )
    assert budget.widget("radio", MECHANISM).value == "pair-safe"


@pytest.mark.slow
def test_a_floor_for_chosen_pairs_goes_into_the_plan(budget):
    budget.set("checkbox", "Keep an accuracy floor", True).set("multiselect", "For these combinations", ["Sex with Survived"])
    assert plan_file(budget).safeguards == Safeguards(1.0, ((1, 3),), None)
    assert plan_file(budget).mechanism == "safeguarded"


@pytest.mark.slow
def test_another_table_drops_safeguards_and_questions(budget):
    budget.set("multiselect", "Cap the leakage of", ["Survived"]).go("start").click("demo_berkeley").go("budget")
    assert work(budget).wishes.slacks == {}
    assert budget.widget("radio", MECHANISM).value == "pair-safe"


# trade-offs


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["accuracy", "leakage", "error"])
def test_a_point_of_a_trade_off_can_be_adopted(budget, kind):
    section(budget, "tradeoffs")
    section(budget, kind, key="budget_tradeoff")
    assert budget.errors == []
    name = {"accuracy": "trade_accuracy", "leakage": "trade_leakage", "error": "errors"}[kind]
    found = budget.job(name).result
    points = [point for curve in found.values() for point in curve] if kind == "error" else found
    point = next(point for point in points[3:] if point.mechanism is not None)
    work(budget).adopt_plan(point.plan)
    budget.run()
    assert plan_file(budget).build().total_level == pytest.approx(point.total, abs=1e-9)
    assert budget.widget("radio", MECHANISM).value == point.plan.mechanism


@pytest.mark.slow
def test_what_being_safe_costs_is_traced_and_a_point_is_adopted(budget):
    section(budget, "tradeoffs")
    section(budget, "safe", key="budget_tradeoff")
    trade = budget.job("trade_safe").pieces
    assert [point.plan.mechanism for point in trade] == ["optimal", "pair-safe", "3-safe", "4-safe"]
    for point in trade:
        assert point.total == pytest.approx(build(point.plan.mechanism, SIZES, (2.0,) * 4).total_level, abs=1e-9)
    budget.set("number_input", "People", 100)
    trade = budget.job("trade_safe").pieces
    assert {point.plan.respondents for point in trade} == {100}
    work(budget).adopt_plan(trade[3].plan)
    budget.run()
    assert work(budget).wishes.respondents == 100
    assert (plan_file(budget).mechanism, budget.widget("radio", MECHANISM).value) == ("4-safe", "4-safe")


@pytest.mark.slow
def test_the_ends_of_the_leakage_trade_off(budget):
    section(budget, "tradeoffs")
    section(budget, "leakage", key="budget_tradeoff")
    trade = budget.job("trade_leakage").result
    assert trade[0].total == pytest.approx(8.0, abs=1e-8)
    assert trade[-1].total == pytest.approx(build("optimal", SIZES, (2.0,) * 4).total_level, abs=1e-8)
    assert tradeoffs.GAMMAS[0] == 0


@pytest.mark.slow
def test_a_plan_about_other_attributes_brings_its_own_questions(budget):
    other = Plan.from_json(budget.download("plan.json"))
    budget.go("start").click("demo_berkeley").go("budget")
    work(budget).adopt_plan(other)
    assert plan_file(budget.run()) == other
    assert work(budget).dataset is None


# what an observer can learn


def test_of_a_single_attribute_no_others_are_spoken_of(session):
    session.upload(b"smokes\n" + b"yes\nno\nno\n" * 300)
    section(session.go("budget"), "observer").set("radio", "What the observer believes beforehand", "Every answer equally likely")
    assert "the observer sees this released answer." in session.text
    assert "by someone who sees one answer; nobody could be guessed without it either" in session.text
    for words in ("takes the other attributes", "all other answers", "knows their other answers", "knows the others;"):
        assert words not in session.text


@pytest.mark.slow
def test_observers_numbers_are_those_of_the_library(budget):
    section(budget, "observer")
    mechanism = plan_file(budget).build()
    shares = np.bincount(work(budget).dataset.codes[:, 3]) / 2201
    assert frame_with(budget, "Guess before")["Guess before"][3] == f"{100 * shares.max():.1f} %"
    budget.set("radio", "What the observer believes beforehand", "Every answer equally likely")
    table = frame_with(budget, "Guess before")
    for i, size in enumerate(SIZES):
        found = observe(mechanism, i, np.full(size, 1 / size))
        assert table["Guess after the answer"][i] == f"{100 * found.alone:.1f} %"
        assert table["Guess with the others known"][i] == f"{100 * found.full:.1f} %"
    assert "Before anything is seen, the best guess is right" in budget.text


@pytest.mark.slow
def test_people_who_can_be_guessed_are_counted(budget):
    """The sentence, the figure and the table are the library's numbers: with the table as it is, and with a belief of one's own."""
    section(budget, "observer")
    budget.set("selectbox", "Guessing the answer to", "Survived")
    mechanism, codes = plan_file(budget).build(), work(budget).dataset.codes
    found = [certainty_in_table(mechanism, codes, 3, knows, rng=np.random.default_rng(0)) for knows in KNOWS]
    assert found[1].sentence("Survived") in budget.text
    assert KNOWS["record"] in budget.text
    assert budget.figures["certainty"].traces == ["below 50 %", "50 to 75 %", "75 to 95 %", "at least 95 %"]
    table = frame_with(budget, "Seen")
    assert table["at least 95 % certain"].tolist() == [
        f"{before:,.0f}, then {after:,.0f}" for before, after in (each.guessed(0.95) for each in found)
    ]
    budget.set("radio", "What the observer believes beforehand", "A share that I set").set(
        "slider", "Share of the commonest answer", 0.6
    )
    alone = certainty_assumed(mechanism, 3, [0.6, 0.4], 2201, "answer", rng=np.random.default_rng(0))
    assert alone.sentence("Survived") in budget.text
    assert len(frame_with(budget, "Seen")) == 2


def test_without_a_table_the_planned_people_are_counted(session):
    session.declaring().go("budget").set("number_input", "People", 500)
    section(session, "observer")
    assert session.widget("radio", "What the observer believes beforehand").options == [
        "Every answer equally likely",
        "A share that I set",
    ]
    assert "Of 500 people, " in session.text
    assert session.errors == []


# the published algorithm


@pytest.mark.slow
def test_achieved_beside_requested_and_another_order(budget):
    budget.edit({0: {"eps": 1.0}, 1: {"eps": 3.0}, 2: {"eps": 0.5}})
    section(budget, "published")
    levels = (1.0, 3.0, 0.5, 2.0)
    table = frame_with(budget, "Verdict")
    kept = Published.from_levels(SIZES, levels)
    for i in range(4):
        exceeded = kept.excess[i] > 1e-9
        assert table["Verdict"][i].startswith("exceeded by") == exceeded
    assert any("exceeded, the worst by" in warning for warning in budget.warnings) == bool(kept.violations)
    assert "Algorithms 1 and 2 (the paper's programme over 15 ratios): total" in budget.text
    (costs,) = [text.value for text in budget.at.markdown if "under the optimum, which keeps all levels" in text.value]
    assert " nats" not in unbroken(costs)
    assert costs == unbroken(costs)  # sign, number and unit stay together
    assert costs.count("nats") == costs.count("×") == 2
    budget.click("Shuffle attributes")
    assert frame_with(budget, "Verdict")["Attribute"].tolist() == list(NAMES[::-1])
    assert len(frame_with(budget, "Order of the attributes")) == 2


@pytest.mark.slow
def test_two_attributes_name_the_case_of_the_paper(budget):
    budget.set("multiselect", CHOSEN, ["Class", "Sex"])
    section(budget, "published")
    assert "Two attributes: case (" in budget.text


# work in the background


@pytest.mark.slow
def test_slow_work_shows_progress_can_be_stopped_and_started_again(budget, monkeypatch):
    """The page shows progress while the designs are at work, keeps what needs no solving once stopped, and starts again."""
    gate = threading.Event()
    recipe = RECIPES["optimal"]

    def slow(sizes, levels, *, report, **rest):
        while not gate.wait(0.01):
            report(0.5, "thinking")
        return recipe.make(sizes, levels, report=report, **rest)

    monkeypatch.setattr(jobs, "PATIENCE", 0.2)
    monkeypatch.setattr(mechanisms, "MAX_INSTANT_ATTRIBUTES", 3)  # beyond which they are made with progress
    monkeypatch.setitem(RECIPES, "optimal", replace(recipe, make=slow))
    budget.edit({0: {"eps": 1.0}})
    assert budget.has("button", "Stop")
    assert not budget.has("radio", MECHANISM)
    assert budget.has("radio", ENTRY)
    job = budget.job("options")
    assert 0 < job.fraction < 1
    job.stop()
    budget.run()
    assert "Designing the mechanisms was stopped." in budget.text
    assert "Kronecker" in budget.captions_of_mechanisms
    gate.set()
    monkeypatch.setattr(jobs, "PATIENCE", 120)
    budget.click("Start again")
    assert (
        "Safe for joint distributions of up to 2 attributes (pair\N{NON-BREAKING HYPHEN}safe) (recommended)"
        in budget.captions_of_mechanisms
    )
    assert budget.errors == []


def test_what_two_attributes_have_in_common_is_not_explained_of_one(budget):
    assert "Mu is the factor" in budget.text
    budget.set("multiselect", "Attributes of the plan", ["Survived"])
    assert "Side by side, for Survived" in budget.text
    assert "Mu is the factor" not in budget.text
