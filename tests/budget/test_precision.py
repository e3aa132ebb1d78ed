"""Any three give the fourth: against a slow version that inverts matrices over cells, and against simulated people."""

import math
import time

import numpy as np
import pytest
from scipy.stats import binom, norm

from rrcore.budget import Assumption, Plan, level_for_precision, people_for_precision, precision_of, questions_within_precision
from rrcore.budget.requirements import NEAR
from rrcore.errors import InputError
from rrcore.estimate import ShareVariance
from rrcore.limits import MAX_LEVEL, MAX_PEOPLE
from rrcore.mechanisms import build
from rrcore.table import Attribute, Schema
from tests.oracles import dense, dense_variance

Z = norm.ppf(0.975)
SIZES = (2, 3, 4)
LEVELS = (1.0, 2.0, 0.7)


def plan_of(sizes=SIZES, levels=LEVELS, *, mechanism="kronecker", respondents=2000):
    attributes = tuple(Attribute(f"q{i}", tuple(map(str, range(a)))) for i, a in enumerate(sizes))
    return Plan(Schema(attributes), levels, respondents, mechanism)


def slow_worst(channel, share, *, population):
    """Largest variance of any cell from one person: every cell with every other one, at the share given or on a grid of shares.

    Against these people it is linear in the shares, so that the ends do.
    """
    grid = (share,) if share is not None else np.linspace(0, 1, 201) if population else (0.0, 1.0)
    matrix, m = dense(channel), int(np.prod(channel.sizes))
    worst = 0.0
    for v in range(m):
        for w in set(range(m)) - {v}:
            for x in grid:
                pi = np.zeros(m)
                pi[v], pi[w] = x, 1 - x
                worst = max(worst, dense_variance(pi, matrix, 1, population=population)[v])
    return worst


@pytest.mark.parametrize("name", ["kronecker", "optimal", "pair-safe", "3-safe"])
@pytest.mark.parametrize(("share", "population"), [(0.1, True), (None, False)])
def test_the_variance_is_the_largest_there_is(name, share, population):
    mechanism = build(name, SIZES, LEVELS)
    for axes in ((0,), (1, 0)):
        channel = mechanism.marginal_channel(axes)
        found = ShareVariance.of(channel)
        assert found.variance(share, population=population) == pytest.approx(
            slow_worst(channel, share, population=population), rel=1e-9
        )


@pytest.mark.slow
def test_the_cautious_share_needs_most_people():
    """On a grid, so that the slow version misses the very worst share by at most 1 / 400."""
    channel = build("kronecker", SIZES, LEVELS).marginal_channel((0, 1))
    found = ShareVariance.of(channel)
    assert found.variance() == pytest.approx(slow_worst(channel, None, population=True), abs=1 / 400**2)
    assert all(found.variance(x) <= found.variance() for x in np.linspace(0, 1, 101))


def test_no_distribution_is_read_worse():
    rng = np.random.default_rng(5)
    channel = build("optimal", SIZES, LEVELS).marginal_channel((0, 1, 2))
    most, matrix = ShareVariance.of(channel).variance(), dense(channel)
    for concentration in (0.02, 0.2, 2.0):
        for pi in rng.dirichlet(np.full(24, concentration), size=10):
            assert dense_variance(pi, matrix, 1, population=True).max() <= most + 1e-9


def test_without_randomization_it_is_the_classical_number_of_people():
    """z^2 / (4 m^2) = 2,401 people for two points, the share being unknown; 1,537 where it is 20 %."""
    plan = plan_of((2,), (MAX_LEVEL,))
    assert people_for_precision(plan, [(0,)], 0.02).plan.respondents == 2401
    assert people_for_precision(plan, [(0,)], 0.02, assumption=Assumption(share=0.2)).plan.respondents == 1537


@pytest.mark.parametrize("name", ["kronecker", "3-safe"])
@pytest.mark.parametrize("assumption", [Assumption(), Assumption(0.3), Assumption(population=False), Assumption(confidence=0.8)])
def test_people_are_enough_and_one_fewer_are_not(name, assumption):
    found = people_for_precision(plan_of(mechanism=name), [(0,), (0, 1)], 0.15, assumption=assumption)
    n, variance = found.plan.respondents, ShareVariance.of(found.mechanism.marginal_channel(found.axes))
    worst = slow_worst(found.mechanism.marginal_channel(found.axes), found.share, population=assumption.population)
    z = norm.ppf((1 + assumption.confidence) / 2)
    counted = next(n for n in range(1, 10_000) if z * math.sqrt(worst / n) <= 0.15 * (1 + 1e-12))
    assert n == counted
    assert found.margin == pytest.approx(z * math.sqrt(worst / n))
    assert found.margin <= 0.15 < found.short == assumption.margin(variance, n - 1)


def test_the_level_of_one_yes_or_no_question_has_a_formula():
    """At a share of one half the variance is 1 / (4 r^2), and r = tanh(eps / 2)."""
    found = level_for_precision(plan_of((2,), (1.0,)), [(0,)], 0.04)
    eps = 2 * math.atanh(Z / (2 * 0.04 * math.sqrt(2000)))
    assert eps <= found.plan.levels[0] <= eps * NEAR
    assert found.margin <= 0.04 < found.short


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kronecker", "3-safe", "joint"])
@pytest.mark.parametrize("margin", [0.03, 0.5])
def test_levels_are_enough_and_lower_ones_are_not(name, margin):
    plan = plan_of(mechanism=name)
    found = level_for_precision(plan, [(0, 1)], margin)
    ratios = np.array(found.plan.levels) / np.array(plan.levels)
    np.testing.assert_allclose(ratios, ratios[0])
    assert found.margin == precision_of(found.plan, [(0, 1)]).margin <= margin < found.short
    lower = plan_of(levels=tuple(np.array(found.plan.levels) / NEAR), mechanism=name)
    assert precision_of(lower, [(0, 1)]).margin > margin


@pytest.mark.slow
def test_the_total_of_a_design_is_sought():
    plan = Plan.for_questions(plan_of((2, 2), (1, 1)).schema, 2.0, [["q0", "q1"]], respondents=3000)
    found = level_for_precision(plan, [(0, 1)], 0.04)
    assert found.mechanism.total_level == pytest.approx(found.plan.questions.total, abs=1e-6)
    assert found.margin <= 0.04 < found.short


def test_levels_that_no_one_reaches_are_refused_with_the_people_it_would_take():
    plan = plan_of(respondents=2000)
    with pytest.raises(
        InputError, match=r"even with no randomization 2,000 people give ± 2\.2 points\. Ask at least 2,401 people"
    ):
        level_for_precision(plan, [(0,)], 0.02)


def test_a_mechanism_that_never_tells_enough_is_named():
    """RR-Joint keeps the record as often as its least level says: the highest levels are 600 times apart."""
    plan = plan_of((2, 2), (0.005, 3.0), mechanism="joint", respondents=400)
    with pytest.raises(InputError, match=r"No level is enough for ± 6\.0 points on q0: even at 30\.00, the highest"):
        level_for_precision(plan, [(0,)], 0.06)


def test_what_is_erased_is_read_by_no_number_of_people():
    plan = plan_of((2, 2, 2), (0.5,) * 3, mechanism="optimal")
    assert precision_of(plan, [(0, 1)]).margin == math.inf
    with pytest.raises(InputError, match="No number of people is enough for q0 × q1: Optimum erases"):
        people_for_precision(plan, [(0, 1)], 0.02)
    assert "cannot be read" in precision_of(plan, [(0, 1)]).precision_sentence()


def test_more_people_than_there_are_is_a_sentence():
    with pytest.raises(InputError, match=f"more than {MAX_PEOPLE:,} people would be needed"):
        people_for_precision(plan_of((2, 2), (0.005, 0.005)), [(0, 1)], 0.001)


def test_questions_that_are_reached_are_those_read_within():
    plan = plan_of(mechanism="3-safe", respondents=20_000)
    sets = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    margins = {axes: precision_of(plan, [axes]).margin for axes in sets}
    found = questions_within_precision(plan, 0.02, widest=3)
    assert [each.axes for each in found] == sorted([a for a in sets if margins[a] <= 0.02], key=margins.__getitem__)
    assert 0 < len(found) < len(sets)


@pytest.mark.slow
def test_any_three_give_the_fourth_back():
    plan = plan_of(mechanism="3-safe", respondents=5000)
    at = precision_of(plan, [(0, 1)])
    assert people_for_precision(plan, [(0, 1)], at.margin * (1 + 1e-12)).plan.respondents == 5000
    assert level_for_precision(plan, [(0, 1)], at.margin * (1 + 1e-9)).plan.levels == pytest.approx(plan.levels, rel=NEAR - 1)
    assert (0, 1) in [each.axes for each in questions_within_precision(plan, at.margin)]


@pytest.mark.parametrize(("share", "population"), [(None, True), (0.05, True), (0.5, False)])
def test_simulated_people_are_within_the_margin_as_often_as_said(share, population):
    """At the worst distribution 95 % of 2,000 studies are within; false alarm: once in a million, had the normal law no error.

    Half a point is allowed for that law. Several hundred people keep the skewness of an estimate below 0.1.
    """
    assumption = Assumption(share, population)
    found = people_for_precision(plan_of(levels=(1.5, 2.0, 1.0)), [(0, 1)], 0.05, assumption=assumption)
    n, x, channel = found.plan.respondents, found.share, found.mechanism.marginal_channel((0, 1))
    assert n > 500
    matrix = dense(channel)
    variances = []
    for w in range(1, 6):
        pi = np.zeros(6)
        pi[0], pi[w] = x, 1 - x
        variances.append(dense_variance(pi, matrix, 1, population=population)[0])
    pi = np.zeros(6)
    pi[0], pi[1 + int(np.argmax(variances))] = x, 1 - x
    rng, runs = np.random.default_rng(14), 2000
    if population:
        true, counts = pi, rng.multinomial(n, pi @ matrix, size=runs)
    else:
        people = np.round(n * pi).astype(int)
        true, counts = people / n, sum(rng.multinomial(m, row, size=runs) for m, row in zip(people, matrix, strict=True))
    estimates = counts / n @ np.linalg.inv(matrix)
    within = int((np.abs(estimates[:, 0] - true[0]) <= found.margin).sum())
    assert binom.ppf(5e-7, runs, 0.945) <= within <= binom.ppf(1 - 5e-7, runs, 0.955)


@pytest.mark.parametrize(
    ("margin", "questions", "sentence"),
    [
        (0, [(0,)], "The precision is 0 points: give a number above 0 and below 100"),
        (1.5, [(0,)], "The precision is 150 points"),
        (1e-322, [(0,)], "The precision is 9.88131e-321 points: give at least 1e-10"),
        (0.02, [], "Nothing is to be read"),
        (0.02, [()], "Nothing is to be read"),
    ],
)
def test_bad_wishes_are_one_sentence(margin, questions, sentence):
    for seek in (people_for_precision, level_for_precision):
        with pytest.raises(InputError, match=sentence):
            seek(plan_of(), questions, margin)


@pytest.mark.parametrize("margin", [1e-11, 1e-9, 1e-6])
def test_more_people_than_there_are_are_not_counted_one_by_one(margin):
    start = time.process_time()
    with pytest.raises(InputError, match=r"more than 10,000,000,000 people would be needed"):
        people_for_precision(plan_of(), [(0,)], margin)
    with pytest.raises(InputError, match=r"^No level is enough: even with no randomization"):
        level_for_precision(plan_of(), [(0,)], margin)
    assert time.process_time() - start < 5


def test_a_share_outside_of_0_to_1_is_one_sentence():
    with pytest.raises(InputError, match=r"The expected share is 1\.5: give a number from 0 to 1"):
        precision_of(plan_of(), [(0,)], assumption=Assumption(1.5))


def test_equally_common_answers_are_the_expected_error():
    plan = plan_of(mechanism="3-safe")
    found = precision_of(plan, [(0, 1)])
    pi = np.full(6, 1 / 6)
    variance = dense_variance(pi, dense(found.mechanism.marginal_channel((0, 1))), 2000, population=True)
    assert found.even == pytest.approx(Z * math.sqrt(variance.mean()))
    assert found.even <= found.margin
