"""Amounts times a random number: what is read in, estimated, expected, and given away."""

from fractions import Fraction

import numpy as np
import pytest

from rrcore.designs import AMOUNT_DESIGNS, Multiplier, amount_channel, amount_error, estimate_amounts, estimate_counts
from rrcore.errors import InputError

CARDS = {"eichhorn-hayre": "1/2:1/4, 1:1/2, 2:1/4", "bar-lev": "3/5; 1/2:1/2, 3/2:1/2"}


@pytest.mark.slow
@pytest.mark.parametrize("key", AMOUNT_DESIGNS)
@pytest.mark.parametrize("weighted", [False, True])
def test_means_are_unbiased_and_intervals_cover(key, weighted):
    """2,000 surveys of 200: bias within 4.5 of its errors (false alarm 7e-6), coverage 93 to 97 % (4 of its errors from 95 %: 6e-5)."""
    rng = np.random.default_rng(3)
    multiplier = AMOUNT_DESIGNS[key].multiplier(CARDS[key])
    values, shares = (np.array(part, dtype=float) for part in zip(*multiplier.drawn, strict=True))
    weights = np.tile([1.0, 3.0], 100) if weighted else np.ones(200)
    means = np.tile([800.0, 1200.0], 100) if weighted else np.full(200, 1000.0)
    truth = 1100.0 if weighted else 1000.0
    amounts = rng.gamma(4, means / 4, size=(2_000, 200))
    reports = amounts * rng.choice(values, p=shares, size=amounts.shape)
    found = [estimate_amounts(row, multiplier, weights=weights) for row in reports]
    estimates = np.array([one.value for one in found])
    bounds = np.array([one.interval() for one in found])
    assert abs(estimates.mean() - truth) < 4.5 * estimates.std() / np.sqrt(len(found))
    assert 0.93 < ((bounds[:, 0] < truth) & (truth < bounds[:, 1])).mean() < 0.97
    if not weighted:
        assert estimates.std() == pytest.approx(amount_error(multiplier, mean=1000, deviation=500, people=200), rel=0.08)


def test_weights_of_one_kind_change_nothing():
    multiplier = AMOUNT_DESIGNS["bar-lev"].multiplier("3/5, 1, 1")
    reports = np.arange(1.0, 50.0)
    plain = estimate_amounts(reports, multiplier)
    assert estimate_amounts(reports, multiplier, weights=np.full(49, 2.5)) == plain
    total = estimate_amounts(reports, multiplier, weights=np.full(49, 2.5), population=122.5)
    assert total.value == pytest.approx(plain.value)
    assert total.error == pytest.approx(plain.error)


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("eichhorn-hayre", "1", "expected mean and standard deviation"),
        ("eichhorn-hayre", "1/2:1/2, 2:1/3", "shares of the cards sum to 5/6"),
        ("eichhorn-hayre", "0, 1", "mean 0"),
        ("bar-lev", "3/2, 1, 1", "above 1"),
        ("bar-lev", "", "expected probability of the true amount"),
        ("bar-lev", "x, 1, 1", "not a probability"),
    ],
)
def test_bad_numbers_get_one_sentence(key, text, message):
    with pytest.raises(InputError, match=message):
        AMOUNT_DESIGNS[key].multiplier(text)


def test_bad_reports_get_one_sentence():
    multiplier = AMOUNT_DESIGNS["eichhorn-hayre"].multiplier("1, 1/2")
    for reports in ([1.0], [1.0, np.nan]):
        with pytest.raises(InputError, match="at least two finite numbers"):
            estimate_amounts(reports, multiplier)
    with pytest.raises(InputError, match="2 positive numbers"):
        estimate_amounts([1.0, 2.0], multiplier, weights=[1.0, 0.0])
    with pytest.raises(InputError, match="a level needs the cards"):
        amount_channel((Fraction(1), Fraction(2)), multiplier)


def test_what_amounts_give_away():
    cards = AMOUNT_DESIGNS["eichhorn-hayre"].multiplier(CARDS["eichhorn-hayre"])
    exact = amount_channel((Fraction(0), Fraction(1), Fraction(2)), cards)
    assert exact.level is None
    assert ("everyone", "0", "1") in exact.ruled_out  # 0 stays 0
    assert ("everyone", "4", "1") in exact.ruled_out  # only 2 times 2 is 4
    ranges = amount_channel((Fraction(1), Fraction(2)), cards, edges=(Fraction(2),))
    assert ranges.rows[0] == ((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    assert ranges.level == 3
    assert ranges.reports == ("below 2", "2 or more")


def test_the_mean_of_few_amounts_is_read_from_counts_too():
    cards = Multiplier.of_cards(((Fraction(1, 2), Fraction(1, 2)), (Fraction(3, 2), Fraction(1, 2))), direct=Fraction(1, 4))
    exact = amount_channel((Fraction(1), Fraction(3)), cards)
    counts = np.round(np.array([0.25, 0.75]) @ exact.matrices[0] * 8_000_000)
    found = estimate_counts(exact, counts).quantities[0]
    assert found.value == pytest.approx(2.5, abs=1e-6)
    reports = np.repeat([float(Fraction(report)) for report in exact.reports], (counts / 1000).astype(int))
    again = estimate_amounts(reports, cards)
    assert again.value == pytest.approx(found.value, rel=1e-3)
