"""Joint thinning, against the enumeration of the intervals of u in ``tests/oracles.py``."""

from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.channel.channels import SubsetChannel
from rrcore.errors import InputError
from rrcore.mechanisms import Joint, Kronecker, Optimal
from rrcore.mechanisms.base import Tabulated
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.mechanisms.lowest_total import least_total
from rrcore.mechanisms.thinned import Thinned
from tests import oracles


def random_instance(rng, k):
    return tuple(int(a) for a in rng.integers(2, 6, k)), rng.uniform(0.2, 3.0, k)


def bases(rng, sizes, epsilon):
    """An arbitrary mechanism and four of the library's."""
    yield Tabulated(
        sizes,
        SubsetChannel(
            sizes, rng.dirichlet(np.full(2 ** len(sizes), 0.7)).reshape((2,) * len(sizes)) * 0.99 + 0.01 / 2 ** len(sizes)
        ),
    )
    yield Kronecker.from_epsilon(sizes, epsilon)
    yield Joint.from_epsilon(sizes, epsilon)
    yield Optimal.from_epsilon(sizes, epsilon)


def random_kept(rng, k):
    """Some attributes are never hidden, some always together."""
    return np.where(rng.random(k) < 0.25, 1.0, rng.choice(rng.uniform(0.05, 1.0, 3), k))


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_channel_factors_and_lies_are_those_of_the_enumeration(k):
    rng = np.random.default_rng(100 + k)
    for _ in range(3):
        sizes, epsilon = random_instance(rng, k)
        for base in bases(rng, sizes, epsilon):
            kept = random_kept(rng, k)
            mechanism = Thinned(sizes, base, 1 - kept)
            q = oracles.thinned(base.channel(range(k)).probabilities, sizes, kept)
            np.testing.assert_allclose(mechanism.channel(range(k)).probabilities, q, rtol=0, atol=1e-13)
            found, _, _, mu = oracles.facts(q, sizes)
            np.testing.assert_allclose(mechanism.epsilon, found, rtol=0, atol=1e-10)
            for i in range(k):
                assert mechanism.retentions[i] == pytest.approx(mu[(i,)], abs=1e-12)
                assert mechanism.pair_factors[i, i] == pytest.approx(mu[(i,)] ** 2, abs=1e-12)
                for j in range(i):
                    assert mechanism.pair_factors[i, j] == pytest.approx(mu[(j, i)], abs=1e-12)
            for axes in mu:
                assert not axes or mechanism.factor(axes) == pytest.approx(mu[axes], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_marginal_channel_is_the_marginal_of_the_enumeration_in_any_order(k):
    rng = np.random.default_rng(110 + k)
    sizes, epsilon = random_instance(rng, k)
    for base in bases(rng, sizes, epsilon):
        mechanism = Thinned(sizes, base, 1 - random_kept(rng, k))
        q = oracles.thinned(base.channel(range(k)).probabilities, sizes, 1 - mechanism.hidden)
        matrix = oracles.dense(SubsetChannel(sizes, q))
        for axes in (*permutations(range(k), 2), (*range(1, k), 0)):
            found = oracles.dense(mechanism.channel(axes))
            np.testing.assert_allclose(found, oracles.marginalise(matrix, sizes, axes), rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_total_and_leakage_are_bounds_and_are_met_where_nothing_is_hidden(k):
    rng = np.random.default_rng(120 + k)
    strict = 0
    for _ in range(4):
        sizes, epsilon = random_instance(rng, k)
        for base in bases(rng, sizes, epsilon):
            below = base.channel(range(k)).probabilities
            mechanism = Thinned(sizes, base, 1 - random_kept(rng, k))
            _, total, epsilon_informed, _ = oracles.facts(oracles.thinned(below, sizes, 1 - mechanism.hidden), sizes)
            assert total <= mechanism.epsilon_total + 1e-9
            assert (epsilon_informed <= mechanism.epsilon_informed + 1e-9).all()
            strict += total < mechanism.epsilon_total - 1e-3
            whole = Thinned(sizes, base, np.zeros(k))
            _, total, epsilon_informed, _ = oracles.facts(below, sizes)
            assert whole.epsilon_total == pytest.approx(total, abs=1e-9)
            np.testing.assert_allclose(whole.epsilon_informed, epsilon_informed, rtol=0, atol=1e-9)
    assert strict >= 5


FALSE_ALARM = 1e-6


@pytest.mark.parametrize("kept", [(0.9, 0.5, 0.7), (1.0, 0.4, 0.4), (0.3, 1.0, 1.0)])
def test_sampler_draws_from_the_enumeration(kept):
    """Chi-square over the sets of changes of 400,000 records; the same counts reject hiding each attribute on its own (1e-6 each way)."""
    sizes, epsilon, n = (3, 2, 4), (1.0, 1.4, 0.8), 400_000
    base = Optimal.from_epsilon(sizes, epsilon)
    mechanism = Thinned(sizes, base, 1 - np.array(kept))
    codes = np.column_stack([np.random.default_rng(130).integers(0, a, n) for a in sizes]).astype(np.int32)
    released = mechanism.sample(codes, rng=np.random.default_rng(131))
    drawn = np.bincount((released != codes) @ [4, 2, 1], minlength=8)
    below = base.channel(range(3)).probabilities
    expected = n * oracles.thinned(below, sizes, kept).ravel()
    assert float(((drawn - expected) ** 2 / expected).sum()) < chi2.isf(FALSE_ALARM, 7)
    apart = below
    for i, share in enumerate(kept):
        apart = oracles.thinned(apart, sizes, [share if j == i else 1.0 for j in range(3)])
    expected = n * apart.ravel()
    assert (float(((drawn - expected) ** 2 / expected).sum()) > chi2.isf(FALSE_ALARM, 7)) == (sum(k < 1 for k in kept) > 1)


@pytest.mark.parametrize(("k", "floor"), [(3, 1.05), (4, 1.0), (5, 0.8)])
def test_pair_safe_keeps_its_promises_in_the_enumeration(k, floor):
    """Exactly these levels, every pair at ``floor`` times Kronecker's or better, and a total that bounds the enumeration's."""
    rng = np.random.default_rng(140 + k)
    refused, thin = 0, 0
    for _ in range(16 if k == 3 else 6):
        sizes = tuple(int(a) for a in rng.integers(2, 6, k))
        epsilon = rng.uniform(0.4, 3) * rng.uniform(0.6, 1.6, k)
        try:
            mechanism = Thinned.safe(sizes, epsilon, least_total, floor=floor)
        except InputError:
            refused += 1
            continue
        q = oracles.thinned(mechanism.base.channel(range(k)).probabilities, sizes, 1 - mechanism.hidden)
        found, total, epsilon_informed, mu = oracles.facts(q, sizes)
        np.testing.assert_allclose(found, epsilon, rtol=0, atol=1e-9)
        assert (found <= epsilon + 1e-11).all()
        assert total <= mechanism.epsilon_total + 1e-9
        assert (epsilon_informed <= mechanism.epsilon_informed + 1e-9).all()
        r = [(np.exp(e) - 1) / (np.exp(e) + a - 1) for a, e in zip(sizes, epsilon, strict=True)]
        ratios = [mu[i, j] / (r[i] * r[j]) for i, j in combinations(range(k), 2)]
        assert min(ratios) >= floor - 1e-9
        if (mechanism.hidden > 0).any():
            thin += 1
            assert mechanism.lower_bound <= oracles.guarded_optimum(sizes, epsilon) + 1e-6
            exact = oracles.guarded_optimum(sizes, epsilon, [(pair, floor) for pair in combinations(range(k), 2)])
            assert total >= exact - 1e-6
    assert thin >= 2
    assert refused <= 20


@pytest.mark.parametrize(
    ("sizes", "epsilon"),
    [((556, 3, 3), (29.01, 3.99, 14.19)), ((4, 491, 3, 6), (16.49, 15.96, 29.58, 11.09)), ((2, 3, 3), (25.0, 4.0, 14.0))],
)
def test_high_levels_are_not_exceeded_by_rounding(sizes, epsilon):
    """hidden_i is about e^-level here: it must not be the difference of 1 and a rounded number."""
    mechanism = Thinned.safe(sizes, epsilon, least_total)
    assert (mechanism.hidden > 0).any()
    assert (mechanism.epsilon <= np.array(epsilon) + 1e-9).all()
    np.testing.assert_allclose(mechanism.epsilon, epsilon, rtol=0, atol=1e-9)


def test_pair_safe_leaves_alone_what_is_safe_already():
    """At strong protection the closed form keeps pairs better than Kronecker (mu_ij = r > r^2)."""
    sizes, epsilon = (3, 3, 3), (3.0, 3.0, 3.0)
    mechanism = Thinned.safe(sizes, epsilon, least_total)
    assert (mechanism.hidden == 0).all()
    assert mechanism.epsilon_total == pytest.approx(ClosedForm.from_epsilon(sizes, epsilon).epsilon_total, abs=1e-9)
    assert mechanism.is_optimal


def test_what_cannot_be_bought_back_is_refused():
    """Binary at level 1: mu_ij is at most 1, and r_i r_j = tanh(1/2)^2, so no pair can be kept 4.683 times as well."""
    largest = 1 / np.tanh(0.5) ** 2
    with pytest.raises(InputError, match=r"some pairs would be less accurate"):
        Thinned.safe((2, 2, 2), (1.0, 1.0, 1.0), least_total, floor=1.002 * largest)
    assert Thinned.safe((2, 2, 2), (1.0, 1.0, 1.0), least_total, floor=0.4 * largest).min_pair_ratio() >= 0.4 * largest
