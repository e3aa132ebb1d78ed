"""What a comparison has found, in one sentence, with the price of every winner."""

import math

import pytest

from rrcore.mechanisms import Price
from rrcore.schemes import ALIKE, Summary, summary_winners, verdict

METRIC = "largest absolute cell error"
CHEAP, DEAR = Price(1.0, 1.0, 2.0), Price(1.0, 2.0, 1.5)


def one(scheme, ways, median, price=CHEAP, value=math.nan, spread=0.1):
    return Summary(scheme, value, ways, median, median * (1 - spread), median * (1 + spread), 3, price=price)


@pytest.mark.parametrize("prices", [(CHEAP, DEAR), (CHEAP, CHEAP)])
def test_neighbouring_places_with_one_winner_are_one_range(prices):
    found = [one("blend", 2, 0.02, price, value) for value, price in zip((500, 2000), prices, strict=True)]
    text = verdict(summary_winners(found), METRIC, varied="people")
    assert "people 500 to 2,000, **Blend**" in text
    assert ("2.72 to × 7.39" in text) == (prices[0] != prices[1])


def test_every_winner_is_named_with_its_error_and_price():
    found = [one("blend", 2, 0.012), one("pair-safe", 2, 0.02, DEAR), one("blend", 3, 0.03), one("pair-safe", 3, 0.02, DEAR)]
    first, second = verdict(summary_winners(found), METRIC, within="Class").split(";")
    for text, parts in ((first, ("Class", "**Blend**", "1.2 points", "2.0", "× 7.39")), (second, ("**Pair-safe**", "× 4.49"))):
        assert all(part in text for part in parts)


def test_overlapping_bands_are_called_luck_and_other_errors_are_no_points():
    text = verdict(summary_winners([one("blend", 2, 0.10), one("em", 2, 0.11)]), "Hellinger distance")
    assert "luck" in text
    assert "points" not in text


@pytest.mark.parametrize(
    ("next_error", "shown"), [(0.0123, ("1.21", "1.23")), (0.0121001, ("1.2", ALIKE)), (0.02, ("1.2 ", "2.0 "))]
)
def test_errors_that_round_to_the_same_get_more_digits_or_are_called_alike(next_error, shown):
    text = verdict(summary_winners([one("blend", 2, 0.0121), one("em", 2, next_error)]), METRIC)
    assert all(each in text for each in shown)
