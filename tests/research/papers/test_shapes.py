"""Checks by powers, lines, factors and bounds decide both ways, and never agree on nothing."""

import math

import pytest

from rrcore.errors import InputError
from rrcore.research.papers import Curves, Series
from rrcore.research.papers.shapes import between_panels, close, grows, holds_where, lowest, power, straight, turns, under_printed

X = (1, 2, 4)


def a(*y, name="a", panel="", source=""):
    return Series(name, X[: len(y)], y, panel, source)


def decide(check, measured, printed=()):
    return check.outcome(Curves(tuple(measured)), Curves(tuple(printed)))


PRINTED = (a(1.0, 2.0, 4.0, source="Table I"),)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
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
        (holds_where("s", lambda curves: [(y < 5, f"{y:g}") for y in curves.get("a").y]), [a(1, 2, 4)], [a(1, 6, 4)]),
    ],
)
def test_every_shape_decides_both_ways(check, good, bad):
    agreed, differed = decide(check, good, PRINTED), decide(check, bad, PRINTED)
    assert (agreed.holds, differed.holds) == (True, False)
    assert agreed.numbers != differed.numbers


@pytest.mark.parametrize("check", [close("s", ["b"], factor=2), under_printed("s", ["b"]), holds_where("s", lambda curves: [])])
def test_nothing_to_compare_never_agrees(check):
    assert not decide(check, [a(1, 2, 4)], PRINTED).holds


def test_a_curve_that_is_missing_is_named():
    with pytest.raises(InputError, match=r"^There is no series 'b'\.$"):
        decide(power("s", "b", 1, within=1), [a(1, 2, 4)])


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
    assert not decide(check, [lost, a(1, 2, 4, name="b")], PRINTED).holds
