"""The optimum by counts of lies: against all 2^k sets of changed attributes at small k, exact sums at large k, and its own certificate."""

from fractions import Fraction
from math import comb, log, prod

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.channel.channels import SubsetChannel
from rrcore.channel.epsilon import lie_from_epsilon
from rrcore.errors import InputError
from rrcore.limits import MAX_COUNT_VECTORS
from rrcore.mechanisms import Kronecker
from rrcore.mechanisms.base import Counted
from rrcore.mechanisms.optimal import optimum_by_counts
from rrcore.mechanisms.solve.countgrid import CountGrid, hold_levels
from tests import oracles

SMALL = {
    "one": ((4,), (1.2,)),
    "two alike": ((3, 3), (0.8, 0.8)),
    "all alike": ((2,) * 5, (1.0,) * 5),
    "two kinds": ((3, 2, 3, 2, 3), (1.0, 0.5, 1.0, 0.5, 1.0)),
    "same size": ((4, 4, 4, 4), (0.3, 2.0, 2.0, 0.3)),
    "three kinds": ((2, 5, 2, 3, 5, 3), (3.0, 0.7, 3.0, 6.0, 0.7, 6.0)),
    "all different": ((2, 3, 4), (0.5, 1.5, 2.5)),
}
small = pytest.mark.parametrize(("sizes", "epsilon"), SMALL.values(), ids=SMALL)

FALSE_ALARM = 1e-6
"""Chance that a correct sampler fails a chi-square test below, were the seed not fixed."""


def enumerated(counted):
    """q over all 2^k sets of changed attributes: outputs with the changes S are e^log_gain times as likely as under a uniform record."""
    sizes, k = counted.sizes, counted.k
    q = np.zeros((2,) * k)
    for lies in oracles.lie_sets(k):
        counts = [0] * counted.log_gains.ndim
        for kind, lie in zip(counted.kind, lies, strict=True):
            counts[kind] += lie
        q[lies] = np.exp(counted.log_gains[tuple(counts)]) * oracles.outputs_with(lies, sizes) / prod(sizes)
    assert q.sum() == pytest.approx(1, abs=1e-13)
    return SubsetChannel(sizes, q)


@small
def test_is_the_optimum_over_all_lie_sets(sizes, epsilon):
    counted = optimum_by_counts(sizes, epsilon)
    assert counted.epsilon_total == pytest.approx(oracles.ratio_optimum(sizes, epsilon), abs=1e-5)
    assert counted.is_optimal


@small
def test_everything_it_says_agrees_with_the_enumeration(sizes, epsilon):
    counted = optimum_by_counts(sizes, epsilon)
    whole = enumerated(counted)
    k = len(sizes)
    assert counted.epsilon_total == pytest.approx(whole.epsilon_total, abs=1e-12)
    np.testing.assert_allclose(counted.lies, whole.lies, rtol=1e-12)
    np.testing.assert_allclose(counted.epsilon, whole.epsilon, rtol=0, atol=1e-11)
    np.testing.assert_allclose(counted.epsilon_informed, whole.epsilon_informed, rtol=0, atol=1e-12)
    rng = np.random.default_rng(1)
    for w in range(1, k + 1):
        axes = rng.permutation(k)[:w]
        channel = counted.channel(axes)
        assert channel.sizes == tuple(sizes[i] for i in axes)
        np.testing.assert_allclose(channel.probabilities, whole.marginal(axes).probabilities, rtol=1e-11, atol=1e-16)
    pairs = counted.pair_factors
    np.testing.assert_allclose(np.diag(pairs), counted.retentions**2, rtol=1e-12)
    for i in range(k):
        for j in range(i):
            assert pairs[i, j] == pairs[j, i] == pytest.approx(whole.marginal((i, j)).factors[1, 1], abs=1e-13)


@small
def test_no_level_is_exceeded_and_none_is_missed(sizes, epsilon):
    achieved = optimum_by_counts(sizes, epsilon).epsilon
    assert (achieved <= epsilon).all()
    np.testing.assert_allclose(achieved, epsilon, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["one", "two alike", "two kinds", "three kinds", "all different"])
def test_sampled_changes_are_the_stated_ones(name):
    """Chi-square over sets of changes, rare ones pooled. The same draws reject the sets of a slightly higher epsilon."""
    sizes, epsilon = SMALL[name]
    counted = optimum_by_counts(sizes, epsilon)
    n, k = 400_000, len(sizes)
    lies = counted._draw_lies(n, np.random.default_rng(2))
    assert lies.shape == (k, n)
    counts = np.bincount(np.ravel_multi_index(lies.astype(int), (2,) * k), minlength=2**k)

    def statistic(mechanism):
        expected = n * enumerated(mechanism).probabilities.ravel()
        rare = expected < 10
        seen, awaited = (np.r_[each[~rare], each[rare].sum()] for each in (counts, expected))
        keep = awaited > 5
        return float(((seen - awaited)[keep] ** 2 / awaited[keep]).sum()), int(keep.sum()) - 1

    found, freedom = statistic(counted)
    assert found < chi2.isf(FALSE_ALARM, freedom)
    found, freedom = statistic(optimum_by_counts(sizes, np.array(epsilon) * 1.05))
    assert found > chi2.isf(FALSE_ALARM, freedom)


def test_release_of_many_attributes_lies_as_often_as_stated():
    """z-tests over 60 attributes, one at 1e-6 / 60 each, and over the variance of the number of lies."""
    sizes, epsilon = (2,) * 40 + (7,) * 20, np.repeat([1.0, 2.0], [40, 20])
    counted = optimum_by_counts(sizes, epsilon)
    n = 40_000
    codes = np.column_stack([np.arange(n) % a for a in sizes]).astype(np.int32)
    lies = counted.sample(codes, rng=np.random.default_rng(3)) != codes
    z = (lies.mean(axis=0) - counted.lies) / np.sqrt(counted.lies * (1 - counted.lies) / n)
    assert (z**2 < chi2.isf(FALSE_ALARM / 60, 1)).all()
    both = counted.channel((0, 41)).probabilities[1, 1]
    seen = float((lies[:, :40].mean(axis=1) * lies[:, 40:].mean(axis=1)).mean())
    assert seen == pytest.approx(both, rel=0.02)


def exact_identical(k, size, lie):
    """ln(1 + 1/c) with c k d = E_U[(k q - lies)_+] in rational arithmetic: phi = 1 exactly where fewer than k q lie."""
    c = sum(comb(k, m) * (size - 1) ** m * (k * lie - m) for m in range(k + 1) if m < k * lie)
    ratio = Fraction(k * (Fraction(size - 1, size) - lie) * size**k, 1) / c
    return log(ratio.numerator + ratio.denominator) - log(ratio.denominator)


@pytest.mark.parametrize("k", [30, 100, 1000])
@pytest.mark.parametrize("level", [0.01, 1.0, 4.0, 30.0])
@pytest.mark.parametrize("size", [2, 10_000])
def test_identical_attributes_of_any_number(k, level, size):
    counted = optimum_by_counts((size,) * k, np.full(k, level))
    lie = Fraction(float(lie_from_epsilon(level, size)))
    assert counted.epsilon_total == pytest.approx(exact_identical(k, size, lie), rel=1e-9, abs=1e-8)
    assert counted.epsilon_total <= k * level + 1e-9
    assert 0 <= counted.gap <= 1e-7
    assert (counted.epsilon <= level + 1e-9).all()
    np.testing.assert_allclose(counted.epsilon, level, rtol=0, atol=1e-7)
    assert (counted.epsilon_informed >= level - 1e-7).all()
    assert np.isfinite(counted.log_gains).all()


@pytest.mark.parametrize(
    ("numbers", "sizes", "epsilon"),
    [
        ((10, 10, 10), (2, 3, 5), (1.0, 2.0, 0.5)),
        ((30, 30, 30), (2, 3, 5), (1.0, 2.0, 0.5)),
        ((500, 500), (2, 300), (0.1, 7.0)),
        ((300, 1), (2, 1000), (2.0, 0.2)),
        ((3, 2, 4, 1, 2, 3), (2, 3, 4, 5, 6, 7), (0.2, 4.0, 1.0, 2.0, 8.0, 0.7)),
        ((6, 6), (10_000, 2), (30.0, 0.01)),
    ],
)
def test_few_kinds_are_certified(numbers, sizes, epsilon):
    each, eps = np.repeat(sizes, numbers), np.repeat(epsilon, numbers)
    counted = optimum_by_counts(each, eps)
    assert (counted.epsilon <= eps + 1e-9).all()
    np.testing.assert_allclose(counted.epsilon, eps, rtol=0, atol=1e-7)
    assert counted.epsilon_total <= Kronecker.from_epsilon(each, eps).epsilon_total + 1e-9
    assert -1e-9 <= counted.epsilon_total - counted.lower_bound <= 1e-7
    channel = counted.channel((0, counted.k - 1))
    np.testing.assert_allclose(channel.lies, counted.lies[[0, -1]], rtol=1e-9)
    if counted.k < 100:
        assert counted.pair_factors[0, -1] == pytest.approx(channel.factors[1, 1], abs=1e-12)


def test_holding_levels_is_a_replacement_by_a_uniform_draw():
    """Asked for more lies, it replaces one attribute of the kind at random; no total and no leakage grows."""
    sizes, epsilon = (3, 3, 3, 2, 2), (1.0, 1.0, 1.0, 2.0, 2.0)
    counted = optimum_by_counts(sizes, epsilon)
    more = counted.lies + np.array([0.01, 0.01, 0.01, 0.0, 0.0])
    grid = CountGrid(sizes, epsilon)
    uniform = grid.log_uniform.reshape(grid.shape)
    q = hold_levels(np.exp(counted.log_gains + uniform), grid.sizes, more[[3, 0]])  # kinds in the order of their sizes
    held = Counted(sizes, counted.kind, np.log(q) - uniform)
    np.testing.assert_allclose(held.lies, more, rtol=1e-12)
    assert held.epsilon_total < counted.epsilon_total
    assert (held.epsilon_informed <= counted.epsilon_informed + 1e-12).all()
    before, expected = enumerated(counted).probabilities, np.zeros((2,) * 5)
    chance = 0.03 / (1 - 1 / 3 - counted.lies[0])
    for i in range(3):
        others = before.sum(axis=i, keepdims=True)
        shape = [1] * 5
        shape[i] = 2
        expected += ((1 - chance) * before + chance * others * np.array([1 / 3, 2 / 3]).reshape(shape)) / 3
    np.testing.assert_allclose(enumerated(held).probabilities, expected, rtol=1e-11)


def test_too_many_kinds_are_refused():
    assert MAX_COUNT_VECTORS == 2**20
    with pytest.raises(
        InputError,
        match=r"^These attributes are of too many kinds .* 2,097,152 .* 1,048,576 ",
    ):
        optimum_by_counts(range(2, 23), [1.0] * 21)
    with pytest.raises(InputError, match="more than a trillion counts"):
        optimum_by_counts([2] * 1000, np.linspace(1, 2, 1000))
