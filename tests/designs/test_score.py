"""Score intervals of designs: closed forms, coverage by enumeration, and reports that nobody gave."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from rrcore.designs import BlocksOfPeople, estimate_blocks, estimate_counts, from_sample
from rrcore.errors import InputError
from rrcore.estimate.sample import Sample
from tests.designs.catalogue import NUMBERS, channel

Z = norm.ppf(0.975)


def wilson(share, n, z=Z):
    """All x with (share - x)^2 <= z^2 x (1 - x) / n."""
    centre, reach = share + z**2 / (2 * n), z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.array([centre - reach, centre + reach]) / (1 + z**2 / n)


@pytest.mark.parametrize("yes", [0, 1, 4, 10, 12])
def test_of_two_answers_it_is_wilsons(yes):
    """Of blocks that of those who were not made to lie; of Devore that of reported no, which half of those give whose answer is no."""
    blocks = estimate_blocks(
        [1 + (yes > k) + (yes > 3 + k) + (yes > 6 + k) + (yes > 9 + k) for k in range(3)], BlocksOfPeople(5, 1)
    )
    assert blocks.value == pytest.approx(yes / 12)
    assert blocks.interval() == pytest.approx(wilson(yes / 12, 11), abs=1e-7)
    devore = estimate_counts(channel("devore", "1/2"), [12 - yes, yes]).quantities[0]
    low, high = 1 - 2 * wilson((12 - yes) / 12, 11)[::-1]
    if yes >= 6:  # else the estimate is below 0, where nothing varies more
        assert devore.interval() == pytest.approx((low, high), abs=1e-7)


def test_where_all_report_alike_there_is_a_width():
    """Warner's at a share of 0: 3/4 say no there, so the sum has the deviation sqrt(3) / 4 / (p - q) / sqrt(n - 1)."""
    found = estimate_counts(channel("warner", "3/4"), [30, 0]).quantities[0]
    reach = norm.ppf(0.975) * np.sqrt(3) / 2 / np.sqrt(29)
    assert (found.value, found.error) == (-0.5, 0.0)
    assert found.interval() == pytest.approx((-0.5 - reach, -0.5 + reach))


@pytest.mark.parametrize("key", NUMBERS)
def test_every_design_has_intervals_that_hold_its_estimate(key):
    """With many people they are those of the standard error; with all of each group in one report they have a width."""
    design = channel(key)
    expected = np.full(len(design.classes), 1 / len(design.classes)) @ design.matrices
    for one in estimate_counts(design, np.round(expected * 4e6)).quantities:
        low, high = one.interval()
        assert (high - one.value, one.value - low) == pytest.approx([1.96 * one.error] * 2, rel=0.02)
    counts = np.zeros(expected.shape)
    counts[:, int(design.matrices[0].any(axis=0).argmax())] = 20
    for one in estimate_counts(design, counts).quantities:
        low, high = one.interval()
        assert not np.isfinite(one.value) or high - low > 0.05


@pytest.mark.parametrize(("key", "numbers"), [("devore", "1/2"), ("triangular", "1/4"), ("warner", "3/4")])
def test_coverage_by_enumeration(key, numbers):
    """Of 25 people, all shares from 1 to 99 %: 95 % intervals hold in 93 to 97 % on average; those by the error alone in as few as 12 %."""
    design = channel(key, numbers)
    ends = np.array([estimate_counts(design, [25 - k, k]).quantities[0].interval() for k in range(26)])
    x = np.linspace(0.01, 0.99, 99)
    chance = binom.pmf(np.arange(26), 25, ((1 - x) * design.matrices[0, 0, 1] + x * design.matrices[0, 1, 1])[:, None])
    covered = (chance * ((ends[:, 0] <= x[:, None]) & (x[:, None] <= ends[:, 1]))).sum(axis=1)
    assert 0.93 <= covered.mean() <= 0.97
    assert covered.min() > 0.8


def test_of_a_sample_it_is_that_of_as_many_people_as_tell_as_much():
    """Everybody alike and weights of 1 and 3: 80 people tell as much as 64 (Kish), with Student's t of 79 degrees of freedom."""
    design = channel("triangular", "1/4")
    sample = Sample(np.tile([1.0, 3.0], 40))
    found = from_sample(design, design.quantities[0], np.zeros(80, dtype=int), sample)
    low, high = found.interval()
    equal = from_sample(design, design.quantities[0], np.zeros(80, dtype=int), Sample(np.ones(80)))
    assert high - low == pytest.approx(np.sqrt(1.25) * np.subtract(*equal.interval()[::-1]))
    many = estimate_counts(design, [60, 20]).quantities[0]
    one = from_sample(design, design.quantities[0], np.repeat([0, 1], [60, 20]), Sample(np.ones(80)))
    assert one.error == pytest.approx(many.error)
    assert one.interval() == pytest.approx(many.interval(), abs=3e-3)  # t for z


def test_a_group_of_one_is_refused_of_a_sample_as_of_counts():
    design = channel("warner", "3/4")
    with pytest.raises(InputError, match="A group has fewer than 2 people: a standard error needs at least 2"):
        from_sample(design, design.quantities[0], [1], Sample(np.ones(1)))
    two = channel("lie-detector")
    with pytest.raises(InputError, match="A group has fewer than 2 people"):
        from_sample(two, two.quantities[0], [0, 1, 1], Sample(np.ones(3)), [0, 0, 1])
