"""The least certified total and the pair-safe mechanism, for any number of attributes."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.mechanisms import ClosedForm, Kronecker, Optimal, dual_bound
from rrcore.mechanisms.least import least_total, safe
from tests import oracles

pair_safe = partial(safe, width=2)


def random_instance(rng, k, top=3.0):
    return tuple(int(a) for a in rng.integers(2, 6, k)), rng.uniform(0.3, top, k)


def check(mechanism, levels):
    """Exact levels, never above Kronecker, a bound below the total."""
    np.testing.assert_allclose(mechanism.levels, levels, rtol=0, atol=1e-9)
    assert (mechanism.levels <= np.add(levels, 1e-11)).all()
    assert mechanism.total_level <= np.sum(levels) + 1e-9
    assert (mechanism.leakage <= mechanism.total_level + 1e-9).all()
    assert mechanism.lower_bound is None or mechanism.lower_bound <= mechanism.total_level + 1e-9


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_least_total_is_the_slow_optimum(k):
    rng = np.random.default_rng(160 + k)
    for _ in range(10):
        sizes, levels = random_instance(rng, k, 2.0)
        mechanism = least_total(sizes, levels)
        check(mechanism, levels)
        assert mechanism.total_level == pytest.approx(oracles.guarded_optimum(sizes, levels), abs=1e-6)
        assert mechanism.is_optimal


@pytest.mark.slow
@pytest.mark.parametrize("k", [12, 13, 16, 20])
def test_up_to_20_attributes_the_total_meets_its_bound(k):
    """The bound is (D) for some lambda, so it holds if it is one; here one found from the total's own side agrees to 1e-6."""
    sizes, levels = random_instance(np.random.default_rng(170 + k), k)
    mechanism = least_total(sizes, levels)
    check(mechanism, levels)
    assert mechanism.gap <= 1e-6
    assert mechanism.total_level <= Optimal.from_levels(sizes, levels).total_level + 1e-9
    if k == 12:
        assert mechanism.lower_bound == pytest.approx(
            oracles.dual_value(sizes, levels, oracles.dual_direction(sizes, levels)), abs=1e-5
        )


@pytest.mark.slow
@pytest.mark.parametrize("k", [21, 25, 30, 40])
def test_beyond_20_attributes_the_total_is_far_below_kronecker(k):
    sizes, levels = random_instance(np.random.default_rng(180 + k), k)
    mechanism = least_total(sizes, levels)
    check(mechanism, levels)
    assert mechanism.total_level < 0.8 * levels.sum()
    blocks = sum(Optimal.from_levels(sizes[at : at + 10], levels[at : at + 10]).total_level for at in range(0, k, 10))
    assert mechanism.total_level <= blocks + 1e-9
    if mechanism.lower_bound is not None:
        half = sum(Optimal.from_levels(sizes[at : at + 10], levels[at : at + 10]).total_level for at in (0, 10)) / 2
        assert mechanism.lower_bound >= half  # fewer attributes never cost more, so some block alone is a bound


@pytest.mark.parametrize("k", [30, 100, 1000])
def test_where_the_closed_form_is_the_optimum_it_is_used_for_any_number_of_attributes(k):
    rng = np.random.default_rng(190)
    sizes = tuple(int(a) for a in rng.integers(2, 6, k))
    levels = np.log1p((k / 0.3 - 1) * np.array(sizes))  # r_i = 1 - .3 / k for all: RR-Joint, .3 lies on average at most
    mechanism = least_total(sizes, levels)
    assert isinstance(mechanism, ClosedForm)
    check(mechanism, levels)
    assert mechanism.total_level == pytest.approx(np.log(sizes).sum() + np.log(k / 0.3 - 1), abs=1e-9)
    assert mechanism.is_optimal


@pytest.mark.slow
def test_dropping_an_attribute_never_costs_more():
    rng = np.random.default_rng(191)
    for _ in range(10):
        k = int(rng.integers(2, 8))
        sizes, levels = random_instance(rng, k)
        whole = least_total(sizes, levels).total_level
        for i in range(k):
            rest = [j for j in range(k) if j != i]
            assert least_total(tuple(sizes[j] for j in rest), levels[rest]).total_level <= whole + 1e-8
            assert dual_bound(sizes, levels, np.eye(k)[i]) <= whole + 1e-9


@pytest.mark.parametrize("k", [2, 3, 4])
def test_pair_safe_is_the_slow_programme_with_floors_on_all_pairs(k):
    rng = np.random.default_rng(200 + k)
    for floor in (0.5, 1.0, 1.02):
        floors = [(pair, floor) for pair in combinations(range(k), 2)]
        for _ in range(5):
            sizes, levels = random_instance(rng, k, 2.0)
            expected = oracles.guarded_optimum(sizes, levels, floors)
            if expected is None or expected > 8:
                continue
            mechanism = pair_safe(sizes, levels, floor=floor)
            np.testing.assert_allclose(mechanism.levels, levels, rtol=0, atol=1e-9)
            if expected <= levels.sum():
                assert mechanism.total_level == pytest.approx(expected, abs=1e-6)
            assert mechanism.min_pair_ratio() >= floor - 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("k", [*range(2, 12), 13, 15, 21, 25, 30])
def test_pair_safe_keeps_every_pair(k):
    """mu_ij >= r_i r_j for all pairs, from channels of two attributes and the levels asked, at no more than Kronecker's total."""
    rng = np.random.default_rng(210 + k)
    sizes, levels = random_instance(rng, k, 4.0 if k <= 12 else 2.0)
    mechanism = pair_safe(sizes, levels)
    check(mechanism, levels)
    r = [(np.exp(e) - 1) / (np.exp(e) + a - 1) for a, e in zip(sizes, levels, strict=True)]
    assert mechanism.min_pair_ratio() >= 1 - 1e-9
    pairs = list(combinations(range(k), 2))
    for i, j in [pairs[n] for n in rng.permutation(len(pairs))[:40]]:
        q = mechanism.marginal_channel((i, j)).probabilities
        kept = q[0, 0] - q[0, 1] / (sizes[j] - 1) - q[1, 0] / (sizes[i] - 1) + q[1, 1] / ((sizes[i] - 1) * (sizes[j] - 1))
        assert kept >= r[i] * r[j] * (1 - 1e-8)


@pytest.mark.slow
def test_pair_safe_with_twelve_attributes():
    mechanism = pair_safe((3,) * 12, [1.0] * 12)
    check(mechanism, [1.0] * 12)
    assert mechanism.min_pair_ratio() >= 1 - 1e-9
    assert mechanism.total_level < 8


def test_pair_safe_with_a_floor_that_cannot_be_kept():
    assert pair_safe((2, 2), (1.0, 1.0), floor=4.68).min_pair_ratio() >= 4.68 - 1e-6
    with pytest.raises(
        InputError, match=r"^An accuracy floor of 4\.69 times Kronecker's cannot be kept at these levels: the largest"
    ):
        pair_safe((2, 2), (1.0, 1.0), floor=4.69)  # 1 / tanh(1/2)^2 = 4.683


@pytest.mark.slow
def test_pair_safe_costs_no_less_than_the_optimum():
    rng = np.random.default_rng(192)
    for _ in range(20):
        k = int(rng.integers(1, 7))
        sizes, levels = random_instance(rng, k)
        safe, least = pair_safe(sizes, levels), least_total(sizes, levels)
        assert safe.total_level >= least.total_level - 1e-9
        assert safe.total_level <= Kronecker.from_levels(sizes, levels).total_level + 1e-9
        assert pair_safe(sizes, levels, floor=0.5).total_level <= safe.total_level + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 3, 10, 14, 24])
@pytest.mark.parametrize("builder", [least_total, pair_safe])
def test_building_reports_and_can_be_stopped(builder, k):
    sizes, levels = random_instance(np.random.default_rng(193), k)
    told = []
    builder(sizes, levels, report=lambda fraction, text: told.append((fraction, text)))
    assert told
    assert all(0 <= fraction <= 1 and text for fraction, text in told)

    class StopError(Exception):
        pass

    def stop(fraction, text):
        if fraction >= told[len(told) // 2][0]:
            raise StopError

    with pytest.raises(StopError):
        builder(sizes, levels, report=stop)
