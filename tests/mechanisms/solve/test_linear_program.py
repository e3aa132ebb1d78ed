"""Floors and caps (theory.md section 5), against a slow program written from the definitions in ``tests/oracles.py``."""

from itertools import combinations
from math import inf, prod

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.mechanisms import Kronecker, Optimal, Safeguards
from rrcore.mechanisms.safeguards import safeguarded
from rrcore.mechanisms.solve.linear_program import Floor
from tests import oracles


def interactions(k):
    """All sets of two or more of k attributes."""
    return [axes for size in range(2, k + 1) for axes in combinations(range(k), size)]


def random_instance(rng, k):
    return tuple(int(a) for a in rng.integers(2, 7, k)), rng.uniform(0.05, 2.2, k)


def r_of(sizes, epsilon):
    return [(np.exp(e) - 1) / (np.exp(e) + a - 1) for a, e in zip(sizes, epsilon, strict=True)]


def solve(sizes, epsilon, floors=(), caps=None):
    """The optimum for floors given as pairs (axes, gamma)."""
    return Optimal.from_epsilon(sizes, epsilon, floors=[Floor(axes, gamma) for axes, gamma in floors], caps=caps)


def check(mechanism, epsilon, floors=(), caps=None):
    """The finished mechanism, from nothing but its probabilities of sets of changes, keeps its levels, floors and caps."""
    found, total, epsilon_informed, mu = oracles.facts(mechanism.channel(range(mechanism.k)).probabilities, mechanism.sizes)
    r = r_of(mechanism.sizes, epsilon)
    np.testing.assert_allclose(found, epsilon, rtol=0, atol=1e-9)
    assert (found <= np.array(epsilon) + 1e-11).all()
    assert mechanism.epsilon_total == pytest.approx(total, abs=1e-10)
    for axes, gamma in floors:
        assert mu[tuple(sorted(axes))] >= gamma * prod(r[i] for i in axes) * (1 - 1e-8)
    if caps is not None:
        assert (epsilon_informed <= np.array(caps) + 1e-8).all()
    return mu


# the oracle itself

SECTION_11 = [
    ((2, 2, 2), (0.5,) * 3, 1.0716926, 1.1439429, 1.0716926),
    ((5, 5, 5, 5), (1.0,) * 4, 2.2374776, 2.5779761, 2.3455375),
    ((5, 5, 5, 5), (1.0, 2.0, 3.0, 4.0), 6.6633231, 7.3176086, 7.0569295),
]


@pytest.mark.parametrize(("sizes", "epsilon", "optimum", "pair_safe", "capped"), SECTION_11)
def test_the_slow_program_gives_the_numbers_of_section_11(sizes, epsilon, optimum, pair_safe, capped):
    pairs = [(pair, 1.0) for pair in combinations(range(len(sizes)), 2)]
    assert oracles.guarded_optimum(sizes, epsilon) == pytest.approx(optimum, abs=1e-6)
    assert oracles.guarded_optimum(sizes, epsilon, pairs) == pytest.approx(pair_safe, abs=1e-6)
    assert oracles.guarded_optimum(sizes, epsilon, caps=np.add(epsilon, 1)) == pytest.approx(capped, abs=1e-6)


# agreement with it


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 4])
def test_random_floors_and_caps_agree_with_the_slow_program(k):
    """Floors on any interactions, each with its own gamma, and caps on some attributes: same totals, same refusals."""
    rng = np.random.default_rng(50 + k)
    kept, refused, both = 0, 0, 0
    for _ in range(60 if k == 2 else 24):
        sizes, epsilon = random_instance(rng, k)
        chosen = [axes for axes in interactions(k) if rng.random() < 0.4]
        floors = [(axes, float(rng.uniform(0.3, 2.0))) for axes in chosen]
        caps = None
        if rng.random() < 0.6:
            slack = np.where(rng.random(k) < 0.6, rng.choice([0.01, 0.1, 0.5, 1.0], k), inf)
            caps = np.where(epsilon + slack < epsilon.sum(), epsilon + slack, inf)
        expected = oracles.guarded_optimum(sizes, epsilon, floors, caps)
        if expected is not None and expected > 8:
            continue  # beyond the precision of the slow program
        try:
            mechanism = solve(sizes, epsilon, floors, caps)
        except InputError:
            assert expected is None, (sizes, epsilon, floors, caps)
            refused += 1
            continue
        assert mechanism.epsilon_total == pytest.approx(expected, abs=1e-6), (sizes, epsilon, floors, caps)
        assert mechanism.gap <= 1e-6
        assert mechanism.lower_bound <= expected + 1e-6
        check(mechanism, epsilon, floors, caps)
        kept += 1
        both += bool(floors) and caps is not None and np.isfinite(caps).any()
    assert kept >= 10
    assert refused >= 2
    assert both >= 3


def test_floors_on_chosen_marginals_bind_there_and_nowhere_else():
    sizes, epsilon = (5, 5, 5, 5), (1.0, 2.0, 3.0, 4.0)
    r = r_of(sizes, epsilon)
    floors = [((1, 3), 1.0), ((0, 1), 0.8)]
    mechanism = solve(sizes, epsilon, floors)
    mu = check(mechanism, epsilon, floors)
    assert mechanism.epsilon_total == pytest.approx(oracles.guarded_optimum(sizes, epsilon, floors), abs=1e-6)
    assert 6.6633231 + 1e-3 < mechanism.epsilon_total < 7.3176086 - 1e-3  # section 11: no floor, and one on all pairs
    others = [mu[axes] / prod(r[i] for i in axes) for axes in interactions(4) if axes not in dict(floors)]
    assert min(others) < 0.5


@pytest.mark.parametrize("capped", range(4))
def test_a_cap_on_one_attribute_leaves_the_others_free(capped):
    sizes, epsilon = (5, 5, 5, 5), np.array([1.0, 2.0, 3.0, 4.0])
    caps = np.where(np.arange(4) == capped, epsilon + 1, inf)
    mechanism = solve(sizes, epsilon, caps=caps)
    check(mechanism, epsilon, caps=caps)
    assert mechanism.epsilon_informed[capped] == pytest.approx(epsilon[capped] + 1, abs=1e-6)
    assert (np.delete(mechanism.epsilon_informed - epsilon, capped) > 1.3).all()
    assert mechanism.epsilon_total == pytest.approx(oracles.guarded_optimum(sizes, epsilon, caps=caps), abs=1e-6)
    assert 6.6633231 + 1e-3 < mechanism.epsilon_total < 7.0569295 - 1e-3  # section 11: no cap, and one on every attribute


def test_caps_out_of_reach_change_nothing():
    sizes, epsilon = (3, 4, 2), (1.0, 0.5, 0.8)
    free = Optimal.from_epsilon(sizes, epsilon).epsilon_total
    for caps in ([inf] * 3, [free] * 3, [1e6] * 3):
        assert solve(sizes, epsilon, caps=caps).epsilon_total == pytest.approx(free, abs=1e-9)


@pytest.mark.parametrize("k", range(1, 7))
def test_slack_0_is_kronecker(k):
    """The only mechanism with L_i = eps_i (section 5): every interaction survives with the product of the r_i."""
    rng = np.random.default_rng(60 + k)
    for _ in range(5):
        sizes, epsilon = tuple(int(a) for a in rng.integers(2, 7, k)), rng.uniform(0.05, 3, k)
        mechanism = solve(sizes, epsilon, caps=epsilon)
        r = r_of(sizes, epsilon)
        assert mechanism.epsilon_total == pytest.approx(epsilon.sum(), abs=1e-6)
        assert mechanism.lower_bound == pytest.approx(epsilon.sum(), abs=2e-6)
        for axes, value in check(mechanism, epsilon, caps=epsilon).items():
            assert value == pytest.approx(prod(r[i] for i in axes), abs=1e-6)


def test_order_of_the_attributes_does_not_matter_with_floors_and_caps():
    sizes, epsilon = np.array([5, 2, 3, 4]), np.array([0.3, 2.5, 1.0, 0.8])
    floors, caps = [((0, 1), 1.0), ((1, 2, 3), 0.7)], epsilon + np.array([0.5, inf, 0.3, 1.0])
    first = solve(tuple(sizes), epsilon, floors, caps)
    for order in ([3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]):
        moved = [(tuple(order.index(i) for i in axes), gamma) for axes, gamma in floors]
        other = solve(tuple(sizes[order]), epsilon[order], moved, caps[order])
        assert other.epsilon_total == pytest.approx(first.epsilon_total, abs=1e-8)
        check(other, epsilon[order], moved, caps[order])


# certificates


def keeps(facts, r, floors, caps):
    _, _, epsilon_informed, mu = facts
    return all(mu[axes] >= gamma * prod(r[i] for i in axes) for axes, gamma in floors) and (epsilon_informed <= caps).all()


@pytest.mark.slow
def test_lower_bound_is_below_every_mechanism_that_keeps_the_rows():
    """Kronecker, and random mechanisms with the same levels mixed with it or with the optimum until floors and caps hold."""
    rng = np.random.default_rng(70)
    tried, close = 0, 0
    for _ in range(30):
        k = int(rng.integers(2, 5))
        sizes, epsilon = random_instance(rng, k)
        floors = [(axes, float(rng.uniform(0.3, 0.95))) for axes in interactions(k) if rng.random() < 0.5]
        caps = epsilon + rng.uniform(0.2, 1.0)
        mechanism = solve(sizes, epsilon, floors, caps)
        assert mechanism.lower_bound <= epsilon.sum() + 1e-9
        r = r_of(sizes, epsilon)
        own = mechanism.channel(range(k)).probabilities
        anchors = (Kronecker.from_epsilon(sizes, epsilon).channel(range(k)).probabilities, own)
        for anchor in anchors:
            q = oracles.any_channel(sizes, epsilon, rng)
            for weight in (1.0, 0.3, 0.1, 0.03, 0.01, 0.001):
                facts = oracles.facts(weight * q + (1 - weight) * anchor, sizes)
                np.testing.assert_allclose(facts[0], epsilon, rtol=0, atol=1e-9)
                if keeps(facts, r, floors, caps):
                    assert facts[1] >= mechanism.lower_bound - 1e-9
                    tried += 1
                    close += facts[1] < mechanism.lower_bound + 0.05
                    break
    assert tried >= 30
    assert close >= 5


# what is impossible


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 4])
def test_floors_are_refused_from_the_largest_gamma_on(k):
    """The supremum comes from a program of its own; caps count lies that are too likely, too."""
    rng = np.random.default_rng(80 + k)
    for turn in range(8):
        sizes, epsilon = random_instance(rng, k)
        marginals = list(combinations(range(k), 2)) if turn % 2 else [tuple(range(k))]
        caps = epsilon + rng.uniform(0.2, 0.5, k) if turn % 4 > 1 else None
        largest = oracles.largest_gamma(sizes, epsilon, marginals, caps)
        floors = [(axes, 0.99 * largest) for axes in marginals]
        check(solve(sizes, epsilon, floors, caps), epsilon, floors, caps)
        with pytest.raises(InputError, match=r"^An accuracy floor of"):
            solve(sizes, epsilon, [(axes, 1.003 * largest) for axes in marginals], caps)


def test_caps_above_the_sum_of_the_levels_bind_once_floors_cost_more_than_kronecker():
    """A floor of 2.38 costs 2.68 nats by itself, more than Kronecker's 2.49, so a cap of 2.51 on the first attribute matters."""
    sizes, epsilon = (2, 3, 3), np.array([2.007, 0.112, 0.369])
    floors, caps = [((0, 1), 2.38)], np.array([2.507, inf, inf])
    assert solve(sizes, epsilon, floors).epsilon_informed[0] > caps[0] > epsilon.sum()
    mechanism = solve(sizes, epsilon, floors, caps)
    check(mechanism, epsilon, floors, caps)
    assert mechanism.epsilon_total == pytest.approx(oracles.guarded_optimum(sizes, epsilon, floors, caps), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("gamma", "slack"), [(0.5, 0.0), (1.0, 0.0), (1.0, 1e-6), (1.0, 0.1)])
def test_what_kronecker_keeps_is_never_refused(gamma, slack):
    """Kronecker has L_i = eps_i and mu_T = prod r_i, so floors of at most 1 and slacks of at least 0 always leave a mechanism."""
    rng = np.random.default_rng(90)
    refused = []
    for _ in range(10):
        k = int(rng.integers(2, 6))
        sizes, epsilon = tuple(int(a) for a in rng.integers(2, 7, k)), rng.uniform(0.05, rng.choice([1, 4]), k)
        floors = [(pair, gamma) for pair in combinations(range(k), 2)]
        try:
            mechanism = safeguarded(sizes, epsilon, Safeguards(gamma, (), (slack,) * k))
        except InputError as error:
            refused.append((sizes, epsilon.round(3).tolist(), str(error)))
            continue
        check(mechanism, epsilon, floors, epsilon + slack)
        assert mechanism.epsilon_total <= epsilon.sum() + 1e-6
    assert not refused, f"{len(refused)} of 10 refused, for example {min(refused, key=lambda r: len(r[0]))}"


@pytest.mark.slow
@pytest.mark.parametrize("slack", [0.0, 0.1])
def test_what_kronecker_keeps_is_never_refused_at_higher_levels(slack):
    """The same without floors, at levels up to 10 nats: a total of 40 is no reason to refuse a cap."""
    rng = np.random.default_rng(91)
    refused = []
    for _ in range(8):
        k = int(rng.integers(2, 6))
        sizes, epsilon = tuple(int(a) for a in rng.integers(2, 9, k)), rng.uniform(0.05, 10, k)
        try:
            mechanism = safeguarded(sizes, epsilon, Safeguards(slacks=(slack,) * k))
        except InputError as error:
            refused.append((sizes, epsilon.round(3).tolist(), str(error)))
            continue
        check(mechanism, epsilon, [], epsilon + slack)
        assert mechanism.epsilon_total <= epsilon.sum() + 1e-6
    assert not refused, f"{len(refused)} of 8 refused, for example {min(refused, key=lambda r: len(r[0]))}"
