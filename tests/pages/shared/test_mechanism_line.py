"""Everywhere but on Budget the mechanism is one line, its price beside its gain; the full choice opens from it. And the strip above pages."""

from itertools import combinations

import pytest

from rrcore.budget import Assumption, compare, precision_of
from rrcore.wording import points

MECHANISM = "Mechanism of the plan"


def line(session):
    """The one line of the mechanism: none or one."""
    return [text.value for text in session.at.markdown if text.value.startswith(":small[**")]


def change(session):
    """What opens from the line: none or one."""
    return [popover for popover in session.at.get("popover") if popover.proto.popover.label == "Change"]


def option(session, key):
    return compare(session.at.session_state["work"].plan(), [key])[0]


def test_budget_has_the_full_choice_and_no_line(session):
    session.go("budget")
    assert session.has("radio", MECHANISM)
    assert line(session) == []
    assert change(session) == []


@pytest.mark.slow
@pytest.mark.parametrize("page", ["perturb", "dependence", "collect"])
def test_a_line_with_the_gain_and_the_choice_behind_it(session, page):
    session.go(page)
    for key in ("pair-safe", "kronecker"):
        session.choose(key)
        found = option(session, key)
        assert line(session) == [f":small[**{found.title}**{f': {found.gain_text}' if found.gain_text else ''}]"]
        assert all(part.replace(" ", "\N{NO-BREAK SPACE}") in session.at.caption[0].value for part in found.price.parts)
    (popover,) = change(session)
    assert [radio.label for radio in popover.radio] == [MECHANISM]


@pytest.mark.slow
def test_what_is_lost_stands_in_the_line(session):
    session.go("budget").set("multiselect", "Attributes of the plan", ["Sex", "Age", "Survived"])
    session.set("slider", "Scale all levels", 0.25).choose("optimal").go("collect")
    (text,) = line(session)
    assert text.endswith(", **3 pairs lost**]")


@pytest.mark.slow
def test_a_mechanism_that_ceases_to_exist_is_named_outside_of_the_closed_choice(session):
    session.go("perturb").choose("closed-form")
    session.at.session_state["work"].set_levels({"Class": 0.1, "Sex": 6.0})
    session.run()
    (said,) = [
        text for text in session.warnings if text.startswith("Closed form: The closed form does not exist for these levels: ")
    ]
    assert said.endswith(" Pair-safe is used instead.")
    (popover,) = change(session)
    assert list(popover.warning) == []
    assert line(session)[0].startswith(":small[**Pair-safe**: ")


@pytest.mark.parametrize(
    ("page", "told"), [("data", True), ("perturb", True), ("start", False), ("ledger", False), ("papers", False)]
)
def test_the_strip_speaks_of_the_plan_where_the_page_is_about_it(session, page, told):
    session.go(page)
    strip = [caption.value for caption in session.at.caption if caption.value.startswith("**Titanic**\N{NO-BREAK SPACE}· ")]
    assert len(strip) == told
    assert all("whole record × 88.5".replace(" ", "\N{NO-BREAK SPACE}") in caption for caption in strip)
    assert "Pin plan" in [button.label for button in session.at.button]


@pytest.mark.parametrize("whose", ["people", "population"])
def test_the_strip_says_the_precision_of_pairs_that_collect_says(session, whose):
    """Of whatever shares: for equally common ones it was 1.7 points, where Collect said 3.1."""
    work = session.go("budget").at.session_state["work"]
    population = whose == "population"
    session.set("radio", "Errors are against", population)
    plan, mechanism = work.plan(), work.plan().build()
    pairs = list(combinations(range(4), 2))
    widest = precision_of(plan, pairs, assumption=Assumption(population=population), mechanism=mechanism)
    (strip,) = [
        caption.value
        for caption in session.go("perturb").at.caption
        if caption.value.startswith("**Titanic**\N{NO-BREAK SPACE}· ")
    ]
    assert strip.endswith("\N{NO-BREAK SPACE}· " + f"pairs within {points(widest.margin)}".replace(" ", "\N{NO-BREAK SPACE}"))
    if not population:
        assert f"every share of Class × Sex is within {widest.margin_text}" in session.go("collect").text


def test_the_strip_says_so_where_pairs_cannot_be_read(session):
    work = session.go("budget").at.session_state["work"]
    work.set_levels(dict.fromkeys(work.wishes.chosen, 0.01))
    (strip,) = [
        caption.value
        for caption in session.go("perturb").at.caption
        if caption.value.startswith("**Titanic**\N{NO-BREAK SPACE}· ")
    ]
    assert strip.endswith("· " + "pairs cannot be read".replace(" ", "\N{NO-BREAK SPACE}"))


def test_the_strip_speaks_of_the_plan_only_where_the_page_does(session):
    def told():
        return any(caption.value.startswith("**Titanic**\N{NO-BREAK SPACE}· ") for caption in session.at.caption)

    session.go("collect")
    assert told()
    session.set("radio", "Answers are randomised by", "field")
    assert not told()
    session.set("radio", "Answers are randomised by", "plan")
    assert told()
