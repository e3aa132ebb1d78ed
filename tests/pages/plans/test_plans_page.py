"""Plans: pinned plans side by side, renamed, removed, loaded back, saved to a file and read from one."""

import re
import threading
from dataclasses import replace

import pytest

from pages.budget import levels
from pages.shared import jobs
from pages.shared.pins import Pins
from pages.shared.state import DEFAULT_DEMO, Work
from rrcore.budget import Pinned, Plan, Questions, compare
from rrcore.limits import MAX_PINNED
from rrcore.mechanisms import Kronecker, Safeguards
from rrcore.promise import MechanismFile
from rrcore.table import as_table
from rrcore.table.demo import load_demo
from rrcore.table.schema import Attribute, Schema
from rrcore.wording import EVEN_WITHIN, odds_text, total_text

QUESTION = "Joint distribution of"
WIDE = Schema(tuple(Attribute(f"q{i}", ("no", "yes")) for i in range(5)))


def show(session, *pins):
    """The Plans page with these (plan, name) pinned."""
    pinned = Pinned()
    for plan, name in pins:
        pinned = pinned.pin(plan, name)
    return session.given(**{"pages.shared.pins.Pins": Pins(pinned)}).go("plans")


def work(session):
    return session.at.session_state["work"]


def names(session):
    return [pin.name for pin in session.pins.pinned.pins]


def side_by_side(session):
    (frame,) = session.at.dataframe
    return frame.value


def press(session, button, name):
    """Press a button of the card of the plan called ``name``."""
    (key,) = [field.key.removeprefix("name_") for field in session.at.text_input if field.value == name]
    return session.click(f"{button}_{key}")


def toasts(session):
    return [toast.value for toast in session.at.toast]


@pytest.fixture(scope="module")
def plan():
    """Which every session starts with. Titanic: Class (4), Sex, Age, Survived (2 each), level 2.0 each, safe for pairs."""
    start = Work()
    start.adopt_table(*as_table(load_demo(DEFAULT_DEMO)), source="demo")
    return start.plan()


@pytest.fixture
def two(session, plan):
    return show(session, (plan, "first"), (plan.with_mechanism("kronecker"), "second"))


# nothing pinned


def test_without_pins_the_page_says_what_to_do_next_how_long_plans_are_kept_and_that_they_hold_no_answers(session):
    session.go("plans")
    (info,) = [info.value for info in session.at.info]
    assert "No plan is pinned yet" in info
    assert "Pin plan" in info
    assert session.links[0] == "budget"
    assert session.figures == {}
    assert [uploader.label for uploader in session.at.file_uploader] == ["A project file", "Add plans from a file"]
    assert "kept for this session only" in session.text
    assert "nobody's answers" in session.text


# pinning


@pytest.mark.slow
def test_the_plan_in_play_is_pinned_once(session, plan):
    session.go("plans").click("Pin plan")
    assert toasts(session) == ["Pinned as 'Pair-safe'"]
    assert [pin.plan for pin in session.pins.pinned.pins] == [plan]
    session.click("Pin plan")
    assert toasts(session) == ["Not pinned: This plan is pinned already, as 'Pair-safe'."]
    assert names(session) == ["Pair-safe"]
    work(session).wish(respondents=500)
    session.click("Pin plan")
    assert toasts(session) == ["Pinned as 'Pair-safe 2'"]
    session.click("Undo")
    assert names(session) == ["Pair-safe"]


@pytest.mark.slow
def test_a_plan_that_is_wrong_is_not_pinned(session):
    session.go("budget").set("multiselect", "Attributes of the plan", ["Sex"])
    work(session).set_levels({"Sex": 99.0})
    session.click("Pin plan")
    (toast,) = toasts(session)
    assert toast.startswith("Not pinned: Level of 'Sex' is 99:")
    assert names(session) == []


@pytest.mark.slow
def test_what_was_typed_just_before_the_click_is_pinned(session):
    """A browser sends both at once, and the plan follows what was typed only while the page runs."""
    session.go("budget").widget("number_input", "People").set_value(700)
    session.click("Pin plan")
    assert [pin.plan.respondents for pin in session.pins.pinned.pins] == [700]
    session.at.session_state[levels.key(work(session))] = {"typed": {"0": "1.25"}}
    session.click("Pin plan")
    assert [pin.plan.levels[0] for pin in session.pins.pinned.pins] == [2.0, 1.25]


@pytest.mark.slow
def test_only_so_many_are_pinned(session, plan):
    show(session, *((replace(plan, respondents=n + 1), str(n)) for n in range(MAX_PINNED)))
    session.click("Pin plan")
    (toast,) = toasts(session)
    assert f"at most {MAX_PINNED} are kept, so remove some first." in toast
    assert len(names(session)) == MAX_PINNED


# side by side


def test_every_plan_has_a_column(two, plan):
    found = side_by_side(two)
    assert list(found) == ["first", "second"]
    assert found.loc["Mechanism"].tolist() == ["Pair-safe", "Kronecker"]
    for name, key in (("first", "pair-safe"), ("second", "kronecker")):
        (option,) = compare(plan, (key,))
        assert found.at["Whole record", name] == f"× {odds_text(option.mechanism.total_level)}"
        assert found.at["Others known", name] == f"× {odds_text(option.mechanism.leakage.max())}"
    assert re.fullmatch(r"\d+ % less", found.at["Beside Kronecker", "first"])
    assert found.at["Could cost less by", "first"] == "nothing, proved"
    assert found.at["Could cost less by", "second"] == "not known"
    assert found.loc["People"].tolist() == ["2,201", "2,201"]
    assert found.loc["Level of Sex"].tolist() == ["2.00", "2.00"]
    assert set(found.loc["Pairs lost"]) == {"none"}


def test_the_best_bargain_is_named(two):
    assert "For Class with Sex, if all answers are equally common, the best bargain is 'first'" in two.text
    (option,) = compare(work(two).plan(), ("pair-safe",))
    assert f"points at {option.price.text}" in two.text
    assert re.search(r"'first'.*one answer × [\d.]+, others known × [\d.]+, whole record × [\d.]+", two.text)
    assert "<b>first</b>" in two.figures["plans"].spec["layout"]["yaxis"]["ticktext"]
    two.set("multiselect", QUESTION, ["Survived"])
    assert "For Survived, if all answers are equally common, the best bargain is 'first'" in two.text


def test_levels_that_are_not_kept_are_shown_as_asked_and_given(session, plan):
    joint = replace(plan, levels=(1.0, 2.0, 1.5, 0.5), mechanism="joint")
    show(session, (joint, "joint"))
    given = total_text(joint.build().levels[1])
    assert side_by_side(session).at["Level of Sex", "joint"] == f"2.00 asked, {given} given"
    (warning,) = session.warnings
    assert "stays below the levels asked" in warning


def test_exceeded_levels_are_named(session, plan):
    show(session, (replace(plan, levels=(1.0, 3.0, 2.0, 0.5), mechanism="published"), "as printed"))
    assert side_by_side(session).at["Levels exceeded", "as printed"] == "1"
    assert side_by_side(session).at["Beside Kronecker", "as printed"] == "exceeds the levels asked"
    (warning,) = session.warnings
    assert "more than the level asked for Survived" in warning


def test_a_lost_pair_is_not_identifiable_and_said(session, plan):
    schema = plan.schema.select(["Sex", "Age", "Survived"])
    optimum = Plan(schema, (0.5,) * 3, 2201, "optimal")
    show(session, (optimum, "optimum"), (optimum.with_mechanism("kronecker"), "kronecker"))
    session.set("multiselect", QUESTION, ["Sex", "Age"])
    found = side_by_side(session)
    assert found.at[EVEN_WITHIN, "optimum"] == "cannot be read"
    assert found.at[EVEN_WITHIN, "kronecker"].startswith("± ")
    assert found.loc["Pairs lost"].tolist() == ["3", "none"]
    (warning,) = session.warnings
    assert "3 pairs of attributes are lost" in warning


def test_plans_with_different_questions_are_compared_on_what_they_share(session, plan):
    small = Plan(plan.schema.select(["Survived", "Sex"]), (1.0, 1.0), 100, "kronecker")
    show(session, (plan, "large"), (small, "small"))
    assert session.widget("multiselect", QUESTION).options == ["Sex", "Survived"]
    assert side_by_side(session).at["Level of Class", "small"] == "not in the plan"
    assert "different numbers of people" in session.text


def test_plans_with_nothing_in_common_are_compared_by_cost_only(session, plan):
    other = Plan(Schema((Attribute("q", ("a", "b")),)), (1.0,), 100, "kronecker")
    show(session, (plan, "mine"), (other, "other"))
    assert "no attribute in common" in session.text
    assert not session.has("multiselect", QUESTION)
    assert not session.has("radio", "Errors are against")  # there are none to be seen
    assert EVEN_WITHIN not in side_by_side(session).index
    assert "plans" in session.figures


def test_a_plan_that_cannot_be_carried_out_is_shown_with_its_sentence(session, plan):
    impossible = replace(plan, mechanism="safeguarded", safeguards=Safeguards(50.0))
    show(session, (impossible, "impossible"), (plan, "good"))
    assert side_by_side(session).at["Whole record", "impossible"] == "cannot be carried out"
    (error,) = session.errors
    assert error.startswith("An accuracy floor of 50 times Kronecker's cannot be kept at these levels")
    assert Pinned.from_json(session.download("pinned-plans.json")) == session.pins.pinned
    assert "plans" in session.figures
    press(session, "remove", "good")
    assert len(session.errors) == 1
    assert session.figures == {}


@pytest.mark.slow
def test_a_design_is_shown_with_the_levels_that_came_out(session, plan):
    design = replace(plan, mechanism="design", questions=Questions(4.0, ((0, 1),)))
    show(session, (design, "design"))
    found = side_by_side(session)
    assert found.at["Whole record", "design"] == "× 54.6"  # e^4
    assert found.at["Level of Class", "design"].endswith(", designed")


@pytest.mark.slow
def test_mechanisms_are_made_once(two, monkeypatch):
    monkeypatch.setattr(Plan, "build", lambda self, **_: pytest.fail("made again"))
    press(two.set("multiselect", QUESTION, ["Survived"]), "remove", "second").set("text_input", "Name of 'first'", "other")
    assert list(side_by_side(two)) == ["other"]


@pytest.mark.slow
def test_a_slow_plan_does_not_hold_up_the_others(session, plan, monkeypatch):
    go_on, build = threading.Event(), Plan.build

    def slow(self, **options):
        if self.mechanism == "optimal":
            assert go_on.wait(30)
        return build(self, **options)

    monkeypatch.setattr(Plan, "build", slow)
    monkeypatch.setattr(jobs, "PATIENCE", 0.4)
    show(session, (plan, "fast"), (plan.with_mechanism("optimal"), "slow"))
    assert list(side_by_side(session)) == ["fast"]
    assert "Its mechanism is not made yet." in session.text
    go_on.set()
    session.finish("pinned")
    assert list(side_by_side(session)) == ["fast", "slow"]
    assert "not made yet" not in session.text


# changes


def test_a_plan_is_renamed(two):
    two.set("text_input", "Name of 'first'", "  my   plan ")
    assert two.errors == []
    assert names(two) == ["my plan", "second"]
    assert list(side_by_side(two)) == ["my plan", "second"]
    two.click("Undo")
    assert names(two) == ["first", "second"]


def test_a_bad_name_is_refused_and_the_former_kept(two):
    for typed, sentence in (("second", "Two pinned plans are called 'second'"), ("  ", "A pinned plan needs a name")):
        two.set("text_input", "Name of 'first'", typed)
        (error,) = two.errors
        assert sentence in error
        assert error.endswith("The previous name was kept.")
        assert names(two) == ["first", "second"]
        assert two.widget("text_input", "Name of 'first'").value == "first"
        two.run()
        assert two.errors == []


@pytest.mark.slow
def test_plans_are_removed_and_brought_back(two):
    pinned = two.pins.pinned
    press(two, "remove", "first")
    assert names(two) == ["second"]
    press(two, "remove", "second")
    assert "No plan is pinned yet" in two.text
    two.click("Undo")
    assert names(two) == ["second"]
    two.click("Undo")
    assert two.pins.pinned == pinned


def test_a_name_cannot_carry_markup(session, plan):
    show(session, (plan, "![x](https://evil.example/p.png) *d*"), (plan.with_mechanism("kronecker"), "_b_ $c$ <b>"))
    texts = [element.value for kind in ("markdown", "caption", "warning", "error") for element in getattr(session.at, kind)]
    assert any("evil" in text for text in texts)
    for text in texts:
        assert not re.search(r"(?<!\\)\]\(https", text), text
        assert not re.search(r"(?<!\\)\*d", text), text


# loading


@pytest.mark.slow
def test_a_plan_is_loaded_back(session, plan):
    wanted = replace(plan.with_mechanism("kronecker"), levels=(1.0, 0.5, 2.0, 1.5), respondents=700)
    show(session, (plan, "first"), (wanted, "wanted"))
    press(session, "load", "wanted")
    assert session.title == "Budget"
    assert work(session).plan() == wanted
    assert session.levels == [1.0, 0.5, 2.0, 1.5]
    assert toasts(session) == ["Loaded 'wanted'"]
    assert names(session.go("plans")) == ["first", "wanted"]


@pytest.mark.slow
def test_a_plan_for_another_table_is_loaded_as_declared_and_what_was_there_got_back(session, plan):
    other = Plan(Schema((Attribute("q", ("a", "b, or c")),)), (1.0,), 100, "kronecker")
    press(show(session, (other, "other")), "load", "other")
    assert session.title == "Budget"
    assert work(session).plan() == other
    assert work(session).dataset is None
    session.go("data").run()
    assert work(session).plan() == other
    session.click("Undo")
    assert work(session).plan() == plan
    assert work(session).title == "Titanic"


# the file


def test_the_download_is_what_is_pinned(two):
    pinned = two.pins.pinned
    assert Pinned.from_json(two.download("pinned-plans.json")) == pinned


@pytest.mark.slow
def test_a_file_is_added_once_and_can_be_undone(two, plan):
    added = Pinned().pin(plan.with_mechanism("joint"), "first").pin(plan.with_mechanism("optimal"), "third")
    two.upload(added.to_json().encode(), "pinned-plans.json")
    assert names(two) == ["first", "second", "first 2", "third"]
    two.run()
    assert names(two) == ["first", "second", "first 2", "third"]
    two.click("Undo")
    assert names(two) == ["first", "second"]


def test_a_single_plan_file_is_added(session, plan):
    session.go("plans").upload(plan.with_mechanism("kronecker").to_json().encode(), "plan.json")
    assert names(session) == ["Kronecker"]
    assert list(side_by_side(session)) == ["Kronecker"]


BAD = [
    (b"name,age\nx,1\n", "is not JSON"),
    (b"\xff\xfe\x00", "UTF-8"),
    (b"{}", "'format'"),
    (b'{"format": "rr-workbench pinned plans", "version": 2, "plans": []}', "version: expected 1, got 2"),
    (b'{"format": "rr-workbench pinned plans", "version": 1, "plans": [{"name": "x"}]}', "'plan'"),
]


@pytest.mark.slow
def test_a_bad_file_gives_one_sentence_and_adds_nothing(two):
    for content, fragment in BAD:
        two.upload(content, "some.json")
        (error,) = two.errors
        assert fragment in error
        assert error.endswith("Nothing was added.")
        assert names(two) == ["first", "second"]
    two.run()
    assert len(two.errors) == 1
    two.upload(two.pins.pinned.to_json().encode(), "some.json")
    assert (two.errors, names(two)) == ([], ["first", "second", "first 2", "second 2"])


def test_a_hostile_plan_is_told_with_its_place_and_changes_nothing(two, plan):
    good = plan.with_mechanism("kronecker").to_json()
    before = two.at.session_state["work"].plan()
    for old, new, said in (
        ('"nats"', '"bits"', "unit_of_levels: expected 'nats', got 'bits'"),
        ('"respondents": ', '"respondents": 5, "respondents": ', "the field twice"),
        (
            '"total_level"',
            '"questions": {"total": NaN, "marginals": []}, "total_level"',
            "questions.total: expected a number, got NaN",
        ),
    ):
        assert old in good
        two.upload(good.replace(old, new, 1).encode(), "plan.json")
        (error,) = two.errors
        assert said in error.replace("\\", "")
        assert names(two) == ["first", "second"]
        assert two.at.session_state["work"].plan() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "odd",
    [
        Plan.for_levels(WIDE, 1.0, safeguards=Safeguards(0.002, ((3, 1, 0, 2),)), respondents=10**10),
        Plan.for_levels(WIDE, 30.0, safeguards=Safeguards(1000.0), respondents=1),
        Plan(WIDE, (0.001,) * 5, 9, "design", questions=Questions(0.005, ((3, 1, 0, 2), (1, 0)))),
        Plan(WIDE, (1.0,) * 5, 9, "design", questions=Questions(60.0, ((4,),))),
    ],
)
def test_whatever_a_plan_file_may_ask_for_budget_can_show(session, odd):
    """No widget is asked for a number that it does not have, and a question stays the one that was asked."""
    read = Plan.from_json(odd.to_json(Kronecker.from_levels(odd.schema.sizes, odd.levels)))
    session.at.session_state["work"].adopt_plan(read)
    session.go("budget")
    kept = session.at.session_state["work"].plan()
    assert kept.respondents == odd.respondents
    for asked, own in ((odd.questions, kept.questions), (odd.safeguards, kept.safeguards)):
        assert asked is None or {frozenset(axes) for axes in asked.marginals} == {frozenset(axes) for axes in own.marginals}


def test_two_plans_that_differ_in_closeness_alone_have_mechanisms_of_their_own(session, plan):
    show(session, (plan, "full"), (replace(plan, closeness="first"), "first"))
    assert len(work(session).remember("pinned_options", "", dict)) == 2


def test_a_plan_made_near_the_least_total_stays_so_and_is_said_to_be(session, plan):
    near = replace(plan, closeness="first")
    press(show(session, (near, "near")), "load", "near")
    assert work(session).plan() == near
    session.go("budget")
    assert near.remark in session.text
    assert '"closeness": "first"' in session.download("plan.json")
    assert MechanismFile.from_json(session.go("collect").download("mechanism.json")).note == near.remark
    session.go("budget").click("Search for the least total")
    assert work(session).plan() == plan
    assert near.remark not in session.text


@pytest.mark.slow
def test_a_file_that_would_be_too_many_adds_none_of_it(two, plan):
    many = Pinned()
    for number in range(MAX_PINNED - 1):
        many = many.pin(replace(plan, respondents=number + 1), str(number))
    two.upload(many.to_json().encode(), "pinned-plans.json")
    (error,) = two.errors
    assert f"That makes {MAX_PINNED + 1} pinned plans" in error
    assert names(two) == ["first", "second"]
