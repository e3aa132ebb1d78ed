"""Shares within groups before anything is collected: against a linear programme over all true distributions."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

import rrcore as rr
from rrcore.budget import Assumption, people_for_precision
from rrcore.channel import LieSets, MatrixChannel, product_channel
from rrcore.errors import InputError
from rrcore.estimate import ShareVariance, WithinVariance, conditional_shares, invert_counts


def matrix(channel):
    """P(report | answer), one row for each true cell."""
    cells = math.prod(channel.sizes)
    return channel.push(np.eye(cells).reshape(*channel.sizes, cells)).reshape(cells, cells).T


def brute(channel, given, group, share, population):
    """The largest variance of one person's part, by trying all true distributions, and the group's first cell in question."""
    others = [i for i in range(channel.w) if i not in given]
    every = list(np.ndindex(*channel.sizes))
    inside = np.array([all(cell[i] == 0 for i in given) for cell in every])
    cell = np.array([inside[row] and all(each[i] == 0 for i in others) for row, each in enumerate(every)])
    weights = (cell - share * inside) / group
    randomised = matrix(channel)
    added = np.linalg.solve(randomised, weights)  # what a report adds, so that its mean is right for every true cell
    second = randomised @ added**2 - (0 if population else weights**2)
    rows = np.stack([np.ones(len(every)), inside, cell])
    found = linprog(-second, A_eq=rows, b_eq=[1, group, group * share], bounds=(0, None))
    return -found.fun


@pytest.mark.parametrize("population", [True, False])
@pytest.mark.parametrize(
    ("sizes", "given", "mechanism"),
    [((2, 2), (1,), "kronecker"), ((3, 2, 4), (0, 2), "pair-safe"), ((4, 3), (0,), "optimal"), ((2, 3, 2), (1,), "3-safe")],
)
def test_the_variance_is_the_largest_that_a_true_distribution_has(sizes, given, mechanism, population):
    built = rr.build(mechanism, sizes, [1.5, 2.0, 1.0][: len(sizes)])
    channel = built.marginal_channel(tuple(range(len(sizes))))
    for group in (None, 0.07, 1.0):
        found = WithinVariance.of(channel, given, group)
        for share in (0.0, 0.3, found.cautious(population=population), 1.0):
            oracle = brute(channel, given, found.group, share, population)
            assert found.variance(share, population=population) == pytest.approx(oracle, rel=1e-9, abs=1e-12)
        worst = max(brute(channel, given, found.group, share, population) for share in np.linspace(0, 1, 11))
        assert found.variance(population=population) >= worst * (1 - 1e-12)


def test_a_group_of_everybody_is_the_share_itself():
    """The channel of an attribute beside one that is reported truly: everybody is in its first category."""
    channel = rr.build("kronecker", (3, 2), [1.2, 30.0]).marginal_channel((0, 1))
    alone = ShareVariance.of(channel.marginal((0,)))
    found = WithinVariance.of(channel, [1], 1.0)
    for share in (None, 0.2):
        assert found.variance(share) == pytest.approx(alone.variance(share), rel=1e-9)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_of_groups_that_are_not_randomised_the_people_in_one_are_all_that_counts(share):
    """As ``rrcore designs --people`` says it: 300 of 1,000 people are as good as 300 people."""
    channel = LieSets.product((2, 3), np.array([0.25, 0.0]))
    alone = ShareVariance.of(channel.marginal((0,)))
    assert WithinVariance.of(channel, [1], 0.3).error(1000, share) == pytest.approx(alone.error(300, share), rel=1e-9)


def test_what_is_no_group_is_refused():
    channel = rr.build("kronecker", (2, 2), [1.0, 1.0]).marginal_channel((0, 1))
    with pytest.raises(InputError, match="above 0"):
        WithinVariance.of(channel, (1,), 0.0)


FORCED = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]]))
DESIGNS = {
    "independent": rr.build("kronecker", (2, 3), [1.5, 1.5]).marginal_channel((0, 1)),
    "coupled": rr.build("pair-safe", (2, 3, 2), [1.2, 1.2, 1.2]).marginal_channel((0, 1)),
    "a die, and a group that is not randomised": product_channel([FORCED, LieSets.product((3,), np.array([0.0]))], [[0], [1]]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_intervals_within_groups_hold(name):
    """1,000 surveys, six cells, three of which tell of the other three: 4.1 standard errors of what is measured; errors are linearised."""
    channel, n = DESIGNS[name], 3000
    truth = np.array([[0.21, 0.12, 0.3], [0.09, 0.18, 0.1]])
    within = truth / truth.sum(axis=0)
    counts = np.random.default_rng(8).multinomial(n, channel.push(truth).ravel(), 1000).reshape(1000, *truth.shape)
    held = np.zeros(truth.shape)
    for each in counts:
        low, high = conditional_shares(invert_counts(each, channel), [1]).interval()
        held += (low <= within) & (within <= high)
    assert (abs(held / 1000 - 0.95) <= 0.028).all(), held / 1000
    assert abs(held.mean() / 1000 - 0.95) <= 0.0165, held / 1000


def test_a_sample_size_within_each_sex_is_the_formula_s():
    """Two points within each sex at a level of 1.5, in closed form for independent lies about two yes/no questions."""
    schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")), rr.Attribute("sex", ("f", "m"))))
    plan = rr.Plan.for_levels(schema, {"smokes": 1.5, "sex": 1.5}, mechanism="kronecker", respondents=1000)
    found = people_for_precision(plan, [[0]], 0.02, within=[1])
    truth = math.exp(1.5) / (1 + math.exp(1.5))
    factor = 2 * truth - 1

    def moment(alike, x):
        """The mean over reports of (a - x b)^2 / g^2 of a true cell that is alike in (smokes, sex), or differs."""
        total = 0.0
        for says in (True, False):
            for stands in (True, False):
                chance = (truth if says == alike[0] else 1 - truth) * (truth if stands == alike[1] else 1 - truth)
                a, b = ((1 + (1 if own else -1) / factor) / 2 for own in (says, stands))
                total += chance * (b * (a - x)) ** 2
        return total / 0.25

    def variance(x):
        outside = max(moment((alike, False), x) for alike in (True, False))
        return 0.5 * (x * moment((True, True), x) + (1 - x) * moment((False, True), x)) + 0.5 * outside

    worst = max(variance(x) for x in np.linspace(0, 1, 2001))
    expected = Assumption().deviations ** 2 * worst / 0.02**2
    assert found.plan.respondents == pytest.approx(expected, rel=1e-6, abs=1)
    assert found.question == "smokes within each sex"
    fewer = people_for_precision(plan, [[0]], 0.02, within=[1], assumption=Assumption(share=0.1)).plan.respondents
    assert fewer <= found.plan.respondents
    rare = people_for_precision(plan, [[0]], 0.02, within=[1], assumption=Assumption(group=0.1)).plan.respondents
    assert rare > 5 * found.plan.respondents


def test_nobody_is_asked_and_grouped_by_the_same_attribute():
    plan = rr.Plan.for_levels(rr.load_demo("titanic"), 2.0)
    with pytest.raises(InputError, match="grouped by it"):
        people_for_precision(plan, [[0, 1]], 0.02, within=[1])
