"""Checks decide both ways, on curves that do and do not do what is said; entries without source, measurement or reason are refused."""

import math

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.research.papers import PaperEntry, Series, run
from rrcore.research.papers.checks import (
    below,
    between_panels,
    close,
    falls,
    flat,
    grows,
    lowest,
    near,
    number,
    power,
    rises,
    straight,
    turns,
    under_printed,
)
from rrcore.research.papers.entry import Axis, Curves, Paper, PaperCheck
from rrcore.research.papers.running import judge

PAPER = Paper("toy", "Toy", "A toy", "Nobody", 1999)
PRINTED = (Series("a", (1, 2, 4), (1.0, 2.0, 4.0), source="Table I, as printed"),)


def decide(check, *measured, published=PRINTED):
    return check.outcome(Curves(measured), Curves(published))


def a(*y, name="a", panel=""):
    return Series(name, (1, 2, 4), y, panel)


def entry(**more):
    given = {"measure": lambda setting: [a(1.0, 2.0, 4.0)], "checks": (near("as printed", relative=0.1),), "published": PRINTED}
    return PaperEntry("toy-table-1", PAPER, "Table I", "a title", "a claim", (Axis("x"), Axis("y", "nats")), **(given | more))


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (near("s", relative=0.1), [a(1.05, 2.1, 3.7)], [a(1.05, 2.3, 3.7)]),
        (near("s", absolute=0.5), [a(1.5, 2.5, 3.5)], [a(1.5, 2.51, 3.5)]),
        (near("s", relative=0.1, share=0.6), [a(1, 2, 40)], [a(1, 20, 40)]),
        (near("s", relative=0.1), [a(1, 2, 4)], [a(1, 2, math.nan)]),
        (near("s"), [a(1, 2, 4)], [a(1, 2, 4.0001)]),
        (below("s", "a", "b"), [a(1, 2, 4), a(1, 3, 5, name="b")], [a(1, 2, 4), a(1, 3, 3, name="b")]),
        (
            below("s", "a", "b", factor=0.5, start=2),
            [a(1, 1, 2), a(1, 2, 4, name="b")],
            [a(1, 1, 2), a(1, 2, 3, name="b")],
        ),
        (below("s", "a", "b", share=0.6), [a(1, 2, 6), a(1, 3, 5, name="b")], [a(1, 4, 6), a(1, 3, 5, name="b")]),
        (rises("s", "a"), [a(1, 1, 2)], [a(1, 0.9, 2)]),
        (rises("s", "a", slack=0.2), [a(1, 0.9, 2)], [a(1, 0.7, 2)]),
        (falls("s", "a"), [a(3, 2, 1)], [a(1, 2, 3)]),
        (flat("s", "a", factor=1.5), [a(1, 1.2, 1.5)], [a(1, 1.2, 1.6)]),
        (power("s", "a", -1, within=0.1), [a(8, 4, 2)], [a(4, 2 * math.sqrt(2), 2)]),
        (power("s", "a", 2, within=0.1, start=2), [a(50, 4, 16)], [a(1, 4, 8)]),
        (straight("s", "a", least=0.99), [a(3, 4, 6)], [a(3, 6, 4)]),
        (straight("s", "a", least=0.99, through_zero=True), [a(1, 2, 4)], [a(3, 4, 6)]),
        (straight("s", "a", least=0.5), [a(1, 2, 4)], [a(2, 2, 2)]),
        (grows("s", "a", 4), [a(1, 1, 4)], [a(1, 5, 3)]),
        (grows("s", "a", 2, per_step=True), [a(1, 2, 4)], [a(1, 1.9, 9)]),
        (
            grows("s", "a", 2, panels=["p", "q"]),
            [a(1, 1, 1, panel="p"), a(1, 2, 4, panel="q")],
            [a(1, 1, 1, panel=p) for p in "pq"],
        ),
        (turns("s", "a", "b", 2, panels=[""]), [a(1, 1, 9), a(2, 2, 2, name="b")], [a(1, 1, 1), a(2, 2, 2, name="b")]),
        (close("s", ["a"], factor=2), [a(2, 1, math.nan)], [a(2, 0.9, 4)]),
        (close("s", ["a"], factor=2, places=(4,)), [a(9, 9, 4)], [a(1, 2, 9)]),
        (
            between_panels("s", "a", "p", "q", 2),
            [a(1, 2, 3, panel="p"), a(2, 4, 6, panel="q")],
            [a(1, 2, 3, panel=p) for p in "pq"],
        ),
        (under_printed("s", ["a"]), [a(1, 2, 4)], [a(1, 2, 4.001)]),
        (lowest("s", "a", "ab", panels=[""]), [a(1, 1, 1), a(1, 2, 2, name="b")], [a(1, 1, 1), a(1, 2, 0.5, name="b")]),
    ],
)
def test_every_check_decides_both_ways(check, good, bad):
    agreed, differed = decide(check, *good), decide(check, *bad)
    assert (agreed.holds, differed.holds) == (True, False)
    assert agreed.numbers
    assert agreed.numbers != differed.numbers


@pytest.mark.parametrize(
    "check",
    [
        below("s", "a", "b"),
        rises("s", "c"),
        falls("s", "c"),
        flat("s", "c", factor=2),
        close("s", ["b"], factor=2),
        under_printed("s", ["b"]),
    ],
)
def test_nothing_to_compare_never_agrees(check):
    assert not decide(check, a(1, 2, 4)).holds


def test_a_curve_that_is_missing_is_named():
    with pytest.raises(InputError, match=r"^There is no series 'b'\.$"):
        decide(power("s", "b", 1, within=1), a(1, 2, 4))


@pytest.mark.parametrize(
    "check",
    [
        power("s", "a", 1, within=9),
        straight("s", "a", least=-1),
        grows("s", "a", 0),
        under_printed("s", ["a"]),
        close("s", ["a"], factor=9),
        turns("s", "a", "a", 4, panels=[""]),
        between_panels("s", "a", "", "", 0),
        lowest("s", "a", "ab", panels=[""]),
    ],
)
def test_numbers_that_are_missing_never_agree(check):
    lost = a(math.nan, math.nan, math.nan)
    assert not decide(check, lost, a(1, 2, 4, name="b")).holds


def test_panels_are_judged_one_by_one():
    measured = a(1, 2, 4, panel="k = 3"), a(4, 2, 1, panel="k = 5")
    assert not decide(rises("s", "a"), *measured).holds
    assert decide(rises("s", "a", panels=("k = 3",)), *measured).holds
    assert "k = 5" in decide(rises("s", "a"), *measured).numbers


def test_the_verdict_is_that_of_all_checks_and_says_what_failed():
    fine, wrong = run(entry()), run(entry(checks=(rises("it rises", "a"), falls("it falls", "a"))))
    assert (fine.verdict, wrong.verdict) == ("agree", "differ")
    assert (
        fine.sentence
        == "This holds: 'as printed', 3 of 3 printed numbers are met, the farthest is a at 1: printed 1, measured 1."
    )
    steps = "a goes from 1 to 4 with a step from 2 at 2 to 4 at 4"
    assert wrong.sentence == f"1 of 2 statements does not hold: 'it falls', {steps}."
    both = run(entry(checks=(rises("it rises", "a"), near("as printed", relative=0.1))))
    assert both.sentence == "Both statements hold, the first of them: 'it rises', a goes from 1 to 4."
    assert [outcome.holds for outcome in wrong.outcomes] == [True, False]


def test_what_needs_adult_or_cannot_be_run_says_so():
    needs = run(entry(needs_adult=True))
    assert (needs.verdict, needs.measured) == ("cannot be run", ())
    assert needs.sentence == "It needs the table UCI Adult, which is not part of this program: give its file."
    never = run(entry(measure=None, checks=(), cannot="Its data are not public."))
    assert (never.verdict, never.sentence) == ("cannot be run", "Its data are not public.")


def test_the_same_seed_gives_the_same_numbers_whatever_else_is_run():
    made = entry(measure=lambda setting: [a(*setting.rng.random(3))], checks=(PaperCheck("s", lambda ours, printed: (True, "")),))
    first, again, other = run(made, seed=1), run(made, seed=1), run(made, seed=2)
    assert first.measured == again.measured != other.measured


def test_series_are_found_by_name_panel_and_place():
    curves = Curves((a(1, 2, 4), a(5, 6, 7, panel="p")))
    assert (curves.get("a").at(4), curves.get("a", "p").at(1), curves.names, curves.panels) == (4.0, 5.0, ("a",), ("", "p"))
    with pytest.raises(InputError, match=r"^There is no series 'b' in the panel 'p'\.$"):
        curves.get("b", "p")
    with pytest.raises(InputError, match=r"^The series 'a' has no value at 3\.$"):
        curves.get("a").at(3)


@pytest.mark.parametrize(
    ("given", "shown"), [(0.01234, "0.0123"), (1.234, "1.23"), (12345.6, "12,346"), (1e-7, "1.00e-07"), (np.nan, "none")]
)
def test_numbers_in_verdicts_have_three_digits(given, shown):
    assert number(given) == shown


def test_judging_again_gives_the_same():
    assert judge(entry(), [a(1, 2, 4)])[0].holds
