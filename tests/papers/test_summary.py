"""Medians and bands by hand, sets that every method has, and the method with the smallest error."""

import math

import pytest

from rrcore.papers import Outcome, Summary, best_sentence, find_scheme, summarise

METRIC = "half L1 (total variation)"


def outcome(release, error, *, scheme="em", axes=(0, 1), value=math.nan, reason=""):
    return Outcome(value, release, scheme, axes, {} if error is None else {METRIC: error}, reason)


def test_median_and_band_over_releases_of_means_over_sets():
    """Means 1, 2, 4, 8, 16; tenth and ninetieth percentile lie 0.4 of the way between the first and the last two."""
    found = []
    for release, mean in enumerate((4.0, 1.0, 16.0, 2.0, 8.0)):
        found += [outcome(release, mean - 0.5), outcome(release, mean + 0.5, axes=(0, 2))]
    (one,) = summarise(found, METRIC)
    assert (one.scheme, one.ways, one.releases, one.reason) == ("em", 2, 5, "")
    assert math.isnan(one.value)
    assert (one.median, one.low, one.high) == pytest.approx((4.0, 1.4, 12.8))


def test_points_are_sorted_by_method_value_and_ways():
    found = [
        outcome(0, 1.0, scheme="truncated", value=8.0, axes=(0, 1, 2)),
        outcome(0, 2.0, scheme="truncated", value=8.0),
        outcome(0, 3.0, scheme="hybrid", value=2.0),
        outcome(0, 4.0, scheme="truncated", value=2.0),
    ]
    assert [(one.scheme, one.value, one.ways, one.median) for one in summarise(found, METRIC)] == [
        ("truncated", 2.0, 2, 4.0),
        ("truncated", 8.0, 2, 2.0),
        ("truncated", 8.0, 3, 1.0),
        ("hybrid", 2.0, 2, 3.0),
    ]


def test_only_sets_that_every_method_has_are_averaged():
    """By hand: in release 0 both have (0, 1), in release 1 both sets; the easy set that only "em" has does not help it."""
    found = [
        outcome(0, 6.0),
        outcome(0, 1.0, axes=(0, 2)),
        outcome(1, 2.0),
        outcome(1, 4.0, axes=(0, 2)),
        outcome(0, 5.0, scheme="hybrid"),
        outcome(0, math.nan, scheme="hybrid", axes=(0, 2)),
        outcome(1, 7.0, scheme="hybrid"),
        outcome(1, 9.0, scheme="hybrid", axes=(0, 2)),
    ]
    em, hybrid = summarise(found, METRIC)
    assert (em.median, hybrid.median) == (4.5, 6.5)  # releases: 6 and 3; 5 and 8
    assert (em.sets, em.asked, em.releases) == (hybrid.sets, hybrid.asked, hybrid.releases) == (3, 4, 2)
    assert em.reason == ""
    assert hybrid.reason


@pytest.mark.filterwarnings("error")
def test_reasons_without_any_estimate_give_no_numbers():
    (one,) = summarise([outcome(0, None, reason="No such mechanism."), outcome(1, None, reason="No such mechanism.")], METRIC)
    assert all(map(math.isnan, (one.median, one.low, one.high)))
    assert (one.releases, one.reason) == (0, "No such mechanism.")
    assert summarise([], METRIC) == []


@pytest.mark.parametrize(("high", "chance"), [(0.019, False), (0.020, True), (0.025, True)])
def test_the_best_method_is_named_and_overlap_is_chance(high, chance):
    found = [
        Summary("em", math.nan, 2, 0.03, 0.02, 0.04, 3),
        Summary("truncated", math.nan, 2, 0.01, 0.005, high, 3),
        Summary("hybrid", math.nan, 2, math.nan, math.nan, math.nan, 0),
    ]
    text = best_sentence(found, METRIC)
    assert text.startswith(f"**{find_scheme('truncated').title}**")
    assert "1.0 percentage points" in text
    assert "3.0 percentage points" in text
    assert ("chance" in text) == chance
    assert best_sentence(found[2:], METRIC) == ""
