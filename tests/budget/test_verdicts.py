"""The two verdicts, the plan to start with, and the searches for epsilons."""

import math
import time
from statistics import NormalDist

import numpy as np
import pytest
from scipy.optimize import linprog, minimize_scalar

from rrcore.budget import (
    Plan,
    accuracy,
    build,
    default_epsilon,
    largest_epsilon_not_weak,
    protection,
    smallest_epsilon_usable,
    surety,
)
from rrcore.budget.verdicts import largest_error
from rrcore.errors import InputError
from rrcore.table import Attribute, Schema

ADULT = (9, 16, 7, 15, 6, 5, 2, 2)
ORDER = ("Strong", "Moderate", "Weak")


def slow_variance(channel, population):
    """The largest variance of one person's part in the share of the first cell, by a linear program for each share."""
    cells = math.prod(channel.sizes)
    randomized = channel.push(np.eye(cells).reshape(*channel.sizes, cells)).reshape(cells, cells).T  # P(report | answer)
    cell = np.eye(cells)[0]

    def largest(share):
        second = randomized @ np.linalg.solve(randomized, cell - share) ** 2 - (0 if population else (cell - share) ** 2)
        return -linprog(-second, A_eq=np.stack([np.ones(cells), cell]), b_eq=[1, share], bounds=(0, None)).fun

    grid = np.linspace(0, 1, 21)
    best = float(max(grid, key=largest))
    near = (max(0.0, best - 0.05), min(1.0, best + 0.05))
    found = minimize_scalar(lambda share: -largest(share), bounds=near, method="bounded", options={"xatol": 1e-6})
    return max(-found.fun, largest(best))


def plan(sizes, epsilon, mechanism="preserving", n=32_561):
    attributes = tuple(Attribute(f"q{i}", tuple(map(str, range(size)))) for i, size in enumerate(sizes))
    return Plan(Schema(attributes), epsilon, n, mechanism)


def test_cut_offs_of_protection():
    assert surety(math.log(3)) == pytest.approx(0.75)
    assert surety(math.log(19)) == pytest.approx(0.95)
    for bound, below, above in ((math.log(3), "Strong", "Moderate"), (math.log(19), "Moderate", "Weak")):
        assert (protection(bound), protection(bound + 1e-6)) == (below, above)


@pytest.mark.parametrize("mechanism", ["independent", "preserving", "optimal"])
def test_protection_never_improves_when_epsilon_rises(mechanism):
    verdicts = [protection(plan(ADULT, epsilon, mechanism).build().epsilon_total) for epsilon in (0.05, 0.3, 0.6, 0.9, 1.4, 2)]
    places = [ORDER.index(verdict) for verdict in verdicts]
    assert places == sorted(places)
    assert {places[0], places[-1]} == {0, 2}


@pytest.mark.parametrize(("mechanism", "population"), [("preserving", True), ("optimal", False)])
def test_margins_of_pairs_equal_the_slow_ones(mechanism, population):
    made = plan((4, 3, 5), [0.5, 2, 0.8], mechanism)
    built, z = made.build(), NormalDist().inv_cdf(0.975)
    found = accuracy(made, built, population=population)
    for i in range(3):
        for j in range(i, 3):
            axes = (i,) if i == j else (i, j)
            slow = math.sqrt(slow_variance(built.channel(axes), population) / made.n)
            assert found.margins[[i, j], [j, i]] == pytest.approx(z * slow, rel=1e-7)
            if population:
                assert largest_error(built.channel(axes), made.n) == pytest.approx(slow, rel=1e-7)
    assert found.cells[0, 2] == 1 / 20


def test_usable_pairs_are_counted_on_both_sides_of_the_average_cell():
    few = plan((3, 4), 1.0)
    margin = accuracy(few, few.build()).margins[0, 1]
    n = few.n * (12 * margin) ** 2
    for people, number, verdict in ((math.ceil(n), 1, "Good"), (math.floor(n), 0, "Poor")):
        found = accuracy(plan((3, 4), 1.0, n=people), few.build())
        assert (found.number, found.pairs, found.verdict) == (number, 1, verdict)


def test_limited_accuracy_of_adult_and_its_best_pair():
    made = plan(ADULT, 0.8)
    found = accuracy(made, made.build())
    assert (found.number, found.pairs, found.verdict, found.best) == (9, 28, "Limited", (6, 7))


def test_an_erased_pair_is_not_usable():
    made = plan((2, 2, 2), [5, 5, 0.001], "optimal", n=1_000)
    found = accuracy(made, build("joint", (2, 2, 2), [0.001] * 3))
    assert found.verdict == "Poor"
    assert not found.usable.any()


def test_accuracy_takes_milliseconds_for_eight_attributes_and_little_for_forty():
    for made, most in ((plan(ADULT, 0.8), 0.02), (plan((5,) * 40, 0.5), 0.5)):
        built = made.build()
        accuracy(made, built)
        start = time.process_time()
        accuracy(made, built)
        assert time.process_time() - start < most


@pytest.mark.parametrize("sizes", [(2,), (4, 2, 2, 2), ADULT, (5,) * 8, (2,) * 40])
def test_default_epsilon_is_the_largest_that_is_not_weak(sizes):
    epsilon = default_epsilon(sizes)

    def verdict(each):
        return protection(plan(sizes, each).build().epsilon_total)

    assert verdict(epsilon) != "Weak"
    assert epsilon == 1 or verdict(epsilon + 0.01) == "Weak"


def test_default_epsilon_of_known_tables():
    assert (default_epsilon((4, 2, 2, 2)), default_epsilon(ADULT)) == (1.0, 0.9)


@pytest.mark.parametrize("epsilon", [0.2, [3.0, 1, 1, 2]])
def test_largest_epsilon_that_is_not_weak(epsilon):
    start = plan((4, 3, 2, 2), epsilon)
    found = largest_epsilon_not_weak(start)
    assert (found.key, found.n) == (start.key, start.n)
    assert protection(found.build().epsilon_total) == "Moderate"
    assert protection(found.scaled(1.02).build().epsilon_total) == "Weak"
    assert np.ptp(np.divide(found.epsilon, start.epsilon)) < 0.05


@pytest.mark.parametrize("epsilon", [0.2, 3.0])
def test_smallest_epsilon_that_makes_a_pair_usable(epsilon):
    found = smallest_epsilon_usable(plan(ADULT, epsilon), (0, 5))
    assert accuracy(found, found.build()).usable[0, 5]
    lower = found.scaled(0.95)
    assert not accuracy(lower, lower.build()).usable[0, 5]


def test_searches_that_find_nothing_say_so():
    with pytest.raises(InputError, match="usable"):
        smallest_epsilon_usable(plan((9, 16), 1.0, n=50), (0, 1))
    with pytest.raises(InputError, match="moderate"):
        largest_epsilon_not_weak(plan((3,) * 40, [0.001, *[20.0] * 39], "independent"))
