"""Floors and caps (theory.md section 5), against a slow programme written from the definitions in ``tests/oracles.py``."""

import re
from itertools import combinations
from math import inf, prod

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.mechanisms import Kronecker, Optimal, Safeguards
from rrcore.mechanisms.safeguards import safeguarded
from rrcore.mechanisms.solve.programme import Floor, InfeasibleError, Programme
from tests import oracles


def interactions(k):
    """All sets of two or more of k attributes."""
    return [axes for size in range(2, k + 1) for axes in combinations(range(k), size)]


def random_instance(rng, k):
    return tuple(int(a) for a in rng.integers(2, 7, k)), rng.uniform(0.05, 2.2, k)


def r_of(sizes, levels):
    return [(np.exp(e) - 1) / (np.exp(e) + a - 1) for a, e in zip(sizes, levels, strict=True)]


def solve(sizes, levels, floors=(), caps=None):
    """The optimum for floors given as pairs (axes, gamma)."""
    return Optimal.from_levels(sizes, levels, floors=[Floor(axes, gamma) for axes, gamma in floors], caps=caps)


def check(mechanism, levels, floors=(), caps=None):
    """The finished mechanism, from nothing but its probabilities of lie sets, keeps its levels, floors and caps."""
    found, total, leakage, mu = oracles.facts(mechanism.marginal_channel(range(mechanism.k)).probabilities, mechanism.sizes)
    r = r_of(mechanism.sizes, levels)
    np.testing.assert_allclose(found, levels, rtol=0, atol=1e-9)
    assert (found <= np.array(levels) + 1e-11).all()
    assert mechanism.total_level == pytest.approx(total, abs=1e-10)
    for axes, gamma in floors:
        assert mu[tuple(sorted(axes))] >= gamma * prod(r[i] for i in axes) * (1 - 1e-8)
    if caps is not None:
        assert (leakage <= np.array(caps) + 1e-8).all()
    return mu


# the oracle itself

SECTION_11 = [
    ((2, 2, 2), (0.5,) * 3, 1.0716926, 1.1439429, 1.0716926),
    ((5, 5, 5, 5), (1.0,) * 4, 2.2374776, 2.5779761, 2.3455375),
    ((5, 5, 5, 5), (1.0, 2.0, 3.0, 4.0), 6.6633231, 7.3176086, 7.0569295),
]


@pytest.mark.parametrize(("sizes", "levels", "optimum", "pair_safe", "capped"), SECTION_11)
def test_the_slow_programme_gives_the_numbers_of_section_11(sizes, levels, optimum, pair_safe, capped):
    pairs = [(pair, 1.0) for pair in combinations(range(len(sizes)), 2)]
    assert oracles.guarded_optimum(sizes, levels) == pytest.approx(optimum, abs=1e-6)
    assert oracles.guarded_optimum(sizes, levels, pairs) == pytest.approx(pair_safe, abs=1e-6)
    assert oracles.guarded_optimum(sizes, levels, caps=np.add(levels, 1)) == pytest.approx(capped, abs=1e-6)


# agreement with it


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 4])
def test_random_floors_and_caps_agree_with_the_slow_programme(k):
    """Floors on any interactions, each with its own gamma, and caps on some attributes: same totals, same refusals."""
    rng = np.random.default_rng(50 + k)
    kept, refused, both = 0, 0, 0
    for _ in range(90 if k == 2 else 45):
        sizes, levels = random_instance(rng, k)
        chosen = [axes for axes in interactions(k) if rng.random() < 0.4]
        floors = [(axes, float(rng.uniform(0.3, 2.0))) for axes in chosen]
        caps = None
        if rng.random() < 0.6:
            slack = np.where(rng.random(k) < 0.6, rng.choice([0.01, 0.1, 0.5, 1.0], k), inf)
            caps = np.where(levels + slack < levels.sum(), levels + slack, inf)
        expected = oracles.guarded_optimum(sizes, levels, floors, caps)
        if expected is not None and expected > 8:
            continue  # beyond the precision of the slow programme
        try:
            mechanism = solve(sizes, levels, floors, caps)
        except InputError:
            assert expected is None, (sizes, levels, floors, caps)
            refused += 1
            continue
        assert mechanism.total_level == pytest.approx(expected, abs=1e-6), (sizes, levels, floors, caps)
        assert mechanism.gap <= 1e-6
        assert mechanism.lower_bound <= expected + 1e-6
        check(mechanism, levels, floors, caps)
        kept += 1
        both += bool(floors) and caps is not None and np.isfinite(caps).any()
    assert kept >= 20
    assert refused >= 5
    assert both >= 5


def test_floors_on_triples_and_on_all_interactions():
    """a = (2,2,2): the plain optimum destroys what three attributes have in common; a floor on them alone keeps that."""
    sizes, levels = (3, 2, 4), (0.5, 0.6, 0.7)
    r = r_of(sizes, levels)
    triple = [((0, 1, 2), 1.0)]
    every = [(axes, 1.0) for axes in interactions(3)]
    free = check(Optimal.from_levels(sizes, levels), levels)
    assert free[0, 1, 2] < 0.9 * prod(r)
    for floors in (triple, every):
        mechanism = solve(sizes, levels, floors)
        check(mechanism, levels, floors)
        assert mechanism.total_level == pytest.approx(oracles.guarded_optimum(sizes, levels, floors), abs=1e-6)
    assert Optimal.from_levels(sizes, levels).total_level < solve(sizes, levels, triple).total_level - 1e-4
    assert solve(sizes, levels, triple).total_level < solve(sizes, levels, every).total_level - 1e-4


def test_floors_on_chosen_marginals_bind_there_and_nowhere_else():
    sizes, levels = (5, 5, 5, 5), (1.0, 2.0, 3.0, 4.0)
    r = r_of(sizes, levels)
    floors = [((1, 3), 1.0), ((0, 1), 0.8)]
    mechanism = solve(sizes, levels, floors)
    mu = check(mechanism, levels, floors)
    assert mechanism.total_level == pytest.approx(oracles.guarded_optimum(sizes, levels, floors), abs=1e-6)
    assert 6.6633231 + 1e-3 < mechanism.total_level < 7.3176086 - 1e-3  # section 11: no floor, and one on all pairs
    others = [mu[axes] / prod(r[i] for i in axes) for axes in interactions(4) if axes not in dict(floors)]
    assert min(others) < 0.5


@pytest.mark.parametrize("capped", range(4))
def test_a_cap_on_one_attribute_leaves_the_others_free(capped):
    sizes, levels = (5, 5, 5, 5), np.array([1.0, 2.0, 3.0, 4.0])
    caps = np.where(np.arange(4) == capped, levels + 1, inf)
    mechanism = solve(sizes, levels, caps=caps)
    check(mechanism, levels, caps=caps)
    assert mechanism.leakage[capped] == pytest.approx(levels[capped] + 1, abs=1e-6)
    assert (np.delete(mechanism.leakage - levels, capped) > 1.3).all()
    assert mechanism.total_level == pytest.approx(oracles.guarded_optimum(sizes, levels, caps=caps), abs=1e-6)
    assert 6.6633231 + 1e-3 < mechanism.total_level < 7.0569295 - 1e-3  # section 11: no cap, and one on every attribute


def test_caps_out_of_reach_change_nothing():
    sizes, levels = (3, 4, 2), (1.0, 0.5, 0.8)
    free = Optimal.from_levels(sizes, levels).total_level
    for caps in ([inf] * 3, [free] * 3, [1e6] * 3):
        assert solve(sizes, levels, caps=caps).total_level == pytest.approx(free, abs=1e-9)


@pytest.mark.parametrize("k", range(1, 7))
def test_slack_0_is_kronecker(k):
    """The only mechanism with L_i = eps_i (section 5): every interaction survives with the product of the r_i."""
    rng = np.random.default_rng(60 + k)
    for _ in range(5):
        sizes, levels = tuple(int(a) for a in rng.integers(2, 7, k)), rng.uniform(0.05, 3, k)
        mechanism = solve(sizes, levels, caps=levels)
        r = r_of(sizes, levels)
        assert mechanism.total_level == pytest.approx(levels.sum(), abs=1e-6)
        assert mechanism.lower_bound == pytest.approx(levels.sum(), abs=2e-6)
        for axes, value in check(mechanism, levels, caps=levels).items():
            assert value == pytest.approx(prod(r[i] for i in axes), abs=1e-6)


def test_total_falls_with_slack_and_rises_with_gamma():
    sizes, levels = (4, 2, 3, 5), np.array([0.8, 1.2, 0.4, 1.0])
    totals = [solve(sizes, levels, caps=levels + slack).total_level for slack in (0, 0.05, 0.2, 0.5, 1, 2)]
    assert (np.diff(totals) < -1e-6)[:3].all()
    assert (np.diff(totals) <= 1e-9).all()
    pairs = list(combinations(range(4), 2))
    totals = [solve(sizes, levels, [(pair, gamma) for pair in pairs]).total_level for gamma in (0.01, 0.5, 0.9, 1.0, 1.1, 1.2)]
    assert (np.diff(totals) >= -1e-9).all()
    assert totals[-1] > totals[0] + 0.1


def test_order_of_the_attributes_does_not_matter_with_floors_and_caps():
    sizes, levels = np.array([5, 2, 3, 4]), np.array([0.3, 2.5, 1.0, 0.8])
    floors, caps = [((0, 1), 1.0), ((1, 2, 3), 0.7)], levels + np.array([0.5, inf, 0.3, 1.0])
    first = solve(tuple(sizes), levels, floors, caps)
    for order in ([3, 2, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]):
        moved = [(tuple(order.index(i) for i in axes), gamma) for axes, gamma in floors]
        other = solve(tuple(sizes[order]), levels[order], moved, caps[order])
        assert other.total_level == pytest.approx(first.total_level, abs=1e-8)
        check(other, levels[order], moved, caps[order])


# certificates


def keeps(facts, r, floors, caps):
    _, _, leakage, mu = facts
    return all(mu[axes] >= gamma * prod(r[i] for i in axes) for axes, gamma in floors) and (leakage <= caps).all()


@pytest.mark.slow
def test_lower_bound_is_below_every_mechanism_that_keeps_the_rows():
    """Kronecker, and random mechanisms with the same levels mixed with it or with the optimum until floors and caps hold."""
    rng = np.random.default_rng(70)
    tried, close = 0, 0
    for _ in range(30):
        k = int(rng.integers(2, 5))
        sizes, levels = random_instance(rng, k)
        floors = [(axes, float(rng.uniform(0.3, 0.95))) for axes in interactions(k) if rng.random() < 0.5]
        caps = levels + rng.uniform(0.2, 1.0)
        mechanism = solve(sizes, levels, floors, caps)
        assert mechanism.lower_bound <= levels.sum() + 1e-9
        r = r_of(sizes, levels)
        own = mechanism.marginal_channel(range(k)).probabilities
        anchors = (Kronecker.from_levels(sizes, levels).marginal_channel(range(k)).probabilities, own)
        for anchor in anchors:
            q = oracles.any_channel(sizes, levels, rng)
            for weight in (1.0, 0.3, 0.1, 0.03, 0.01, 0.001):
                facts = oracles.facts(weight * q + (1 - weight) * anchor, sizes)
                np.testing.assert_allclose(facts[0], levels, rtol=0, atol=1e-9)
                if keeps(facts, r, floors, caps):
                    assert facts[1] >= mechanism.lower_bound - 1e-9
                    tried += 1
                    close += facts[1] < mechanism.lower_bound + 0.05
                    break
    assert tried >= 30
    assert close >= 5


@pytest.mark.slow
def test_bound_of_the_free_optimum_is_below_random_mechanisms():
    rng = np.random.default_rng(71)
    for _ in range(30):
        k = int(rng.integers(2, 6))
        sizes, levels = random_instance(rng, k)
        bound = Optimal.from_levels(sizes, levels).lower_bound
        assert oracles.facts(oracles.any_channel(sizes, levels, rng), sizes)[1] >= bound - 1e-9


# what is impossible

REFUSED = r"^An accuracy floor of (\S+) times Kronecker's cannot be kept at these levels(.*): the largest possible is (\S+)\. "


def named_gamma(sizes, levels, marginals, gamma, caps=None):
    """The largest gamma that the refusal of ``gamma`` names."""
    with pytest.raises(InputError) as refusal:
        solve(sizes, levels, [(axes, gamma) for axes in marginals], caps)
    found = re.match(REFUSED + r"Choose a floor below it, or raise the levels\.$", str(refusal.value))
    assert found, str(refusal.value)
    assert float(found[1]) == pytest.approx(gamma, rel=1e-5)
    assert found[2] == ("" if caps is None else " together with these leakage caps")
    return float(found[3])


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_the_largest_gamma_is_named_and_is_so_on_both_sides(k):
    """Possible as printed, impossible 0.2 % above; the supremum itself from a programme of its own."""
    rng = np.random.default_rng(80 + k)
    for turn in range(12):
        sizes, levels = random_instance(rng, k)
        marginals = list(combinations(range(k), 2)) if turn % 2 else [axes for axes in interactions(k) if rng.random() < 0.5]
        marginals = marginals or [tuple(range(k))]
        largest = oracles.largest_gamma(sizes, levels, marginals)
        named = named_gamma(sizes, levels, marginals, 1.5 * largest)
        assert named == pytest.approx(np.floor(largest * 1000) / 1000, abs=1.5e-3)
        assert named <= largest
        check(solve(sizes, levels, [(axes, named) for axes in marginals]), levels, [(axes, named) for axes in marginals])
        above = max(1.002 * named, named + 0.002)
        with pytest.raises(InputError, match=REFUSED):
            solve(sizes, levels, [(axes, above) for axes in marginals])


def test_the_largest_gamma_under_caps_that_only_truth_breaks():
    """Equal binary attributes: no lie is ever too likely there, so the caps need one direction only."""
    for slack, levels in ((0.5, (1.0, 1.0)), (1.0, (2.0, 2.0)), (0.3, (1.5, 1.5))):
        caps = [min(level + slack, sum(levels) - 1e-3) for level in levels]
        largest = oracles.largest_gamma((2, 2), levels, [(0, 1)], caps)
        named = named_gamma((2, 2), levels, [(0, 1)], 3 * largest, caps)
        assert largest - 1.5e-3 < named <= largest
        check(solve((2, 2), levels, [((0, 1), named)], caps), levels, [((0, 1), named)], caps)


@pytest.mark.parametrize(
    ("sizes", "levels", "caps"),
    [((3, 2), (3.0, 1.0), (inf, 1.5)), ((2, 2), (3.0, 1.0), (inf, 1.5)), ((3, 6), (4.766, 1.9789), (inf, 2.4789))],
)
def test_the_largest_gamma_counts_lies_that_are_too_likely_too(sizes, levels, caps):
    """L_i bounds both directions (section 5): what a lie gives away limits gamma here."""
    largest = oracles.largest_gamma(sizes, levels, [(0, 1)], caps)
    named = named_gamma(sizes, levels, [(0, 1)], 3 * largest, caps)
    assert largest - 1.5e-3 < named <= largest
    check(solve(sizes, levels, [((0, 1), named)], caps), levels, [((0, 1), named)], caps)


def test_caps_above_the_sum_of_the_levels_bind_once_floors_cost_more_than_kronecker():
    """A floor of 2.38 costs 2.68 nats by itself, more than Kronecker's 2.49, so a cap of 2.51 on the first attribute matters."""
    sizes, levels = (2, 3, 3), np.array([2.007, 0.112, 0.369])
    floors, caps = [((0, 1), 2.38)], np.array([2.507, inf, inf])
    assert solve(sizes, levels, floors).leakage[0] > caps[0] > levels.sum()
    mechanism = solve(sizes, levels, floors, caps)
    check(mechanism, levels, floors, caps)
    assert mechanism.total_level == pytest.approx(oracles.guarded_optimum(sizes, levels, floors, caps), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("gamma", "slack"), [(0.5, 0.0), (1.0, 0.0), (1.0, 1e-9), (1.0, 1e-6), (1.0, 1e-3), (1.0, 0.1)])
def test_what_kronecker_keeps_is_never_refused(gamma, slack):
    """Kronecker has L_i = eps_i and mu_T = prod r_i, so floors of at most 1 and slacks of at least 0 always leave a mechanism."""
    rng = np.random.default_rng(90)
    refused = []
    for _ in range(20):
        k = int(rng.integers(2, 6))
        sizes, levels = tuple(int(a) for a in rng.integers(2, 7, k)), rng.uniform(0.05, rng.choice([1, 4]), k)
        floors = [(pair, gamma) for pair in combinations(range(k), 2)]
        try:
            mechanism = safeguarded(sizes, levels, Safeguards(gamma, (), (slack,) * k))
        except InputError as error:
            refused.append((sizes, levels.round(3).tolist(), str(error)))
            continue
        check(mechanism, levels, floors, levels + slack)
        assert mechanism.total_level <= levels.sum() + 1e-6
    assert not refused, f"{len(refused)} of 20 refused, for example {min(refused, key=lambda r: len(r[0]))}"


@pytest.mark.slow
@pytest.mark.parametrize("slack", [0.0, 0.1])
def test_what_kronecker_keeps_is_never_refused_at_higher_levels(slack):
    """The same without floors, at levels up to 10 nats: a total of 40 is no reason to refuse a cap."""
    rng = np.random.default_rng(91)
    refused = []
    for _ in range(15):
        k = int(rng.integers(2, 6))
        sizes, levels = tuple(int(a) for a in rng.integers(2, 9, k)), rng.uniform(0.05, 10, k)
        try:
            mechanism = safeguarded(sizes, levels, Safeguards(slacks=(slack,) * k))
        except InputError as error:
            refused.append((sizes, levels.round(3).tolist(), str(error)))
            continue
        check(mechanism, levels, [], levels + slack)
        assert mechanism.total_level <= levels.sum() + 1e-6
    assert not refused, f"{len(refused)} of 15 refused, for example {min(refused, key=lambda r: len(r[0]))}"


def test_programme_alone_says_that_it_is_infeasible():
    with pytest.raises(InfeasibleError):
        Programme((2, 2), (1.0, 1.0), floors=[Floor((0, 1), 10.0)]).solve()
    assert Programme((2, 2), (1.0, 1.0), floors=[Floor((0, 1), 10.0)]).largest_share() * 10 == pytest.approx(
        1 / np.tanh(0.5) ** 2, rel=1e-9
    )  # both lie or neither: mu_12 = 1, against r^2, r = tanh(eps / 2)


# bad input
