"""What a comparison has found, in one sentence, with the price of every winner."""

import math

import pytest

from rrcore.mechanisms import Price
from rrcore.schemes import Summary, summary_winners, verdict

METRIC = "largest absolute cell error"
CHEAP, DEAR = Price(1.0, 1.0, 2.0), Price(1.0, 2.0, 1.5)


def one(scheme, ways, median, price=CHEAP, value=math.nan, spread=0.1):
    return Summary(scheme, value, ways, median, median * (1 - spread), median * (1 + spread), 3, price=price)


def test_neighbouring_places_with_the_same_winner_are_told_together_with_its_price():
    found = [one("blend", w, 0.02 * w) for w in (2, 3)] + [one("pair-safe", w, 0.01 * w, DEAR) for w in (2, 3)]
    assert verdict(summary_winners(found), METRIC) == (
        "for joint distributions of 2 to 3 attributes **Pair-safe** comes closest: off by 2.0 to 3.0 points, the next by 2.0 times "
        "as much (one answer × 2.72, others known × 7.39, whole record × 4.49)."
    )


def test_shares_within_groups_are_called_so():
    found = [one("blend", 2, 0.02), one("pair-safe", 2, 0.01)]
    text = verdict(summary_winners(found), METRIC, within="Class")
    assert text.startswith("for shares within each Class of pairs **Pair-safe** comes closest: off by 1.0 points")
    assert "within" not in verdict(summary_winners(found), METRIC)


def test_another_winner_has_its_own_part_and_a_single_place_names_who_is_next():
    found = [one("blend", 2, 0.012), one("pair-safe", 2, 0.02, DEAR), one("blend", 3, 0.03), one("pair-safe", 3, 0.02, DEAR)]
    assert verdict(summary_winners(found), METRIC) == (
        "for pairs **Blend** comes closest: off by 1.2 points, Pair-safe, the next, by 2.0 points (one answer × 2.72, others known × 2.72, "
        "whole record × 7.39); for joint distributions of 3 attributes **Pair-safe** comes closest: off by 2.0 points, Blend, the next, by "
        "3.0 points (one answer × 2.72, others known × 7.39, whole record × 4.49)."
    )


def test_overlapping_bands_are_called_luck_and_other_errors_are_no_points():
    text = verdict(summary_winners([one("blend", 2, 0.10), one("em", 2, 0.11)]), "Hellinger distance")
    assert "**Blend** comes closest, though it may be luck: off by 0.100, EM, the next, by 0.110 " in text


@pytest.mark.parametrize("prices", [(CHEAP, DEAR), (CHEAP, CHEAP)])
def test_what_is_varied_is_named_and_the_price_is_a_range_where_it_changes(prices):
    found = [one("blend", 2, 0.02, price, value) for value, price in zip((500, 2000), prices, strict=True)]
    text = verdict(summary_winners(found), METRIC, varied="people")
    assert text.startswith("for pairs, people 500 to 2,000, **Blend** comes closest: off by 2.0 points, no other has an estimate")
    assert ("others known × 2.72 to × 7.39" in text) == (prices[0] != prices[1])


@pytest.mark.parametrize(
    ("next_error", "told"),
    [
        (0.0123, "off by 1.21 points, EM, the next, by 1.23 points"),
        (0.0121001, "off by 1.2 points, EM, the next, by about the same"),
        (0.02, "off by 1.2 points, EM, the next, by 2.0 points"),
    ],
)
def test_two_errors_that_round_to_the_same_get_more_digits_or_are_called_alike(next_error, told):
    assert told in verdict(summary_winners([one("blend", 2, 0.0121), one("em", 2, next_error)]), METRIC)


def test_a_range_runs_upwards_and_says_where_luck_may_be():
    found = [one("blend", 2, 0.013), one("blend", 3, 0.012), one("em", 2, 0.0131), one("em", 3, 0.02)]
    assert (
        "**Blend** comes closest, though in places it may be luck: off by 1.2 to 1.3 points, the next by up to 1.7 times as much"
        in (verdict(summary_winners(found), METRIC))
    )
    alike = [one("blend", 2, 0.013), one("blend", 3, 0.012), one("em", 2, 0.0131), one("em", 3, 0.0121)]
    assert "comes closest, though it may be luck: off by 1.2 to 1.3 points, the next by about the same (" in verdict(
        summary_winners(alike), METRIC
    )
