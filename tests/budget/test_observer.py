"""What an observer learns, against Bayes' rule summed over every record of small domains."""

from math import exp, prod

import numpy as np
import pytest

import rrcore.budget.observer
from rrcore.budget import observe, observe_file, observer_prior
from rrcore.limits import MAX_PROGRAMME_ATTRIBUTES
from rrcore.mechanisms import Joint, Kronecker, Optimal
from rrcore.mechanisms.designed import Designed, closure
from tests import oracles
from tests.audit import zoo

SIZES, LEVELS = (3, 2, 4), (1.0, 0.4, 2.0)
MECHANISMS = {
    "kronecker": Kronecker.from_levels(SIZES, LEVELS),
    "optimal": Optimal.from_levels(SIZES, LEVELS),
    "joint": Joint.from_levels(SIZES, LEVELS),
    "designed": Designed.for_questions(SIZES, 3.0, closure([(0, 1), (1, 2)])),
    "pairs only": Designed.for_questions(SIZES, 1.0, [(0, 1), (0, 2), (1, 2)]),
    "one": Kronecker.from_levels((4,), [1.5]),
}
CASES = [pytest.param(m, i, id=f"{name}-{i}") for name, m in MECHANISMS.items() for i in range(m.k)]
every_case = pytest.mark.parametrize(("mechanism", "axis"), CASES)

TRIALS = 40_000


def priors(size):
    """Uniform, mildly and strongly uneven ones, and two at random."""
    rng = np.random.default_rng(size)
    skewed = np.r_[0.9, np.full(size - 1, 0.1 / (size - 1))]
    return [np.full(size, 1 / size), skewed, skewed[::-1], *rng.dirichlet(np.ones(size), 2)]


def likelihoods(mechanism, axis, others):
    """P(released record | true value at ``axis``, the other true answers), one row a value."""
    space = oracles.cells(mechanism.sizes)
    rows = [space.index((*others[:axis], value, *others[axis:])) for value in range(mechanism.sizes[axis])]
    return oracles.dense_mechanism(mechanism)[rows]


def alone(mechanism, axis):
    """P(released answer | true answer)."""
    return oracles.marginalise(oracles.dense_mechanism(mechanism), mechanism.sizes, [axis])


def success(prior, table):
    """How often the most probable value is the true one: Bayes' rule for every output."""
    return sum(max(prior[x] * table[x][y] for x in range(len(prior))) for y in range(table.shape[1]))


@pytest.mark.slow
@every_case
def test_best_guesses_are_those_of_bayes_rule(mechanism, axis):
    rest = [a for i, a in enumerate(mechanism.sizes) if i != axis]
    for prior in priors(mechanism.sizes[axis]):
        seen = observe(mechanism, axis, prior)
        assert seen.before == max(prior)
        assert seen.alone == pytest.approx(success(prior, alone(mechanism, axis)), abs=1e-12)
        assert not seen.bounded
        for others in (tuple(0 for _ in rest), tuple(a - 1 for a in rest)):  # what the others are makes no difference
            assert seen.full == pytest.approx(success(prior, likelihoods(mechanism, axis, others)), abs=1e-12)


@every_case
def test_odds_move_as_far_as_said_and_no_further(mechanism, axis):
    """Odds of one answer against another after, divided by before: at most e^level or e^leakage, and some output attains it."""
    prior = priors(mechanism.sizes[axis])[-1]
    seen = observe(mechanism, axis, prior)
    for table, level in (
        (alone(mechanism, axis), seen.level),
        (likelihoods(mechanism, axis, (0,) * (mechanism.k - 1)), seen.leakage),
    ):
        posterior = prior[:, None] * table / (prior @ table)
        moved = posterior[:, None] / posterior[None] / (prior[:, None] / prior[None])[:, :, None]
        assert moved.max() <= exp(level + 1e-9)
        assert moved.max() > exp(level - 1e-6)


@every_case
def test_seeing_more_never_makes_the_best_guess_worse(mechanism, axis):
    for prior in priors(mechanism.sizes[axis]):
        seen = observe(mechanism, axis, prior)
        assert seen.before <= seen.alone + 1e-12
        assert seen.alone <= seen.full + 1e-12
        assert seen.full <= 1 + 1e-12


@every_case
def test_the_bound_from_the_leakage_is_never_below_the_exact_success(mechanism, axis, monkeypatch):
    exact = [observe(mechanism, axis, prior) for prior in priors(mechanism.sizes[axis])]
    monkeypatch.setattr(rrcore.budget.observer, "MAX_PROGRAMME_ATTRIBUTES", 0)
    for before, prior in zip(exact, priors(mechanism.sizes[axis]), strict=True):
        bound = observe(mechanism, axis, prior)
        assert bound.bounded
        assert bound.full >= before.full - 1e-12
        odds = exp(before.leakage) * before.before / (1 - before.before)
        assert bound.full == pytest.approx(odds / (1 + odds), rel=1e-12)
        assert (bound.before, bound.alone, bound.leakage) == (before.before, before.alone, before.leakage)


def test_the_bound_is_attained_by_kronecker_with_a_uniform_prior():
    """Every output then leaves the same odds e^eps / (a - 1): p_i is the success and the bound alike."""
    for k in (MAX_PROGRAMME_ATTRIBUTES, MAX_PROGRAMME_ATTRIBUTES + 1):
        seen = observe(Kronecker.from_levels((4,) * k, [1.2] * k), 2, np.full(4, 0.25))
        assert seen.bounded == (k > MAX_PROGRAMME_ATTRIBUTES)
        assert seen.full == pytest.approx(exp(1.2) / (exp(1.2) + 3), rel=1e-12)


@pytest.mark.parametrize("axis", range(3))
def test_under_kronecker_the_rest_of_the_record_tells_nothing(axis):
    for prior in priors(SIZES[axis]):
        seen = observe(MECHANISMS["kronecker"], axis, prior)
        assert seen.full == pytest.approx(seen.alone, abs=1e-12)
        assert seen.leakage == seen.level == LEVELS[axis]


def test_under_the_optimum_it_tells_more():
    """A level of .4 cannot outweigh prior odds of 7 to 3, the leakage of 1.9 can."""
    seen = observe(MECHANISMS["optimal"], 1, [0.7, 0.3])
    assert seen.alone == pytest.approx(0.7, abs=1e-12)
    assert seen.full > seen.alone + 0.01
    assert seen.leakage > seen.level + 0.1


def test_an_answer_false_more_often_than_at_random_tells_as_much_the_other_way():
    """ "Pairs only" of section 13 has such answers: negative levels, of which the observer sees the size."""
    mechanism = MECHANISMS["pairs only"]
    assert mechanism.levels[1] < -0.4
    seen = observe(mechanism, 1, [0.5, 0.5])
    assert seen.level == -mechanism.levels[1]
    assert seen.alone == pytest.approx(mechanism.lies[1], rel=1e-12)


def test_a_guess_that_no_answer_can_change():
    """Prior odds of 9 against a level of 1: the guess stays with the prior, so nothing is gained."""
    seen = observe(Kronecker.from_levels((2, 2), [1.0, 1.0]), 0, [0.9, 0.1])
    assert seen.alone == pytest.approx(0.9, abs=1e-15)
    above = observe(Kronecker.from_levels((2, 2), [2.3, 1.0]), 0, [0.9, 0.1])  # e^2.3 > 9
    assert above.alone == pytest.approx(exp(2.3) / (1 + exp(2.3)), rel=1e-12)
    assert above.alone > 0.9


@pytest.mark.parametrize("k", [2, MAX_PROGRAMME_ATTRIBUTES + 1])
def test_who_knows_already_learns_nothing(k):
    seen = observe(Joint.from_levels((3,) * k, [1.0] * k), 0, [0, 1, 0])
    assert (seen.before, seen.full) == (1, pytest.approx(1, abs=1e-12))
    assert seen.alone == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", ["optimal", "designed"])
def test_simulated_guessers_are_right_as_often(name):
    """False alarm of either count about 1 in a million: five standard errors."""
    mechanism, axis, prior = MECHANISMS[name], 2, np.array([0.4, 0.3, 0.2, 0.1])
    rng = np.random.default_rng(17)
    codes = np.column_stack([np.full(TRIALS, 2), np.full(TRIALS, 1), rng.choice(4, TRIALS, p=prior)]).astype(np.int32)
    released = mechanism.perturb(codes, rng=rng)
    by_answer = (prior[:, None] * alone(mechanism, axis)).argmax(axis=0)
    by_record = (prior[:, None] * likelihoods(mechanism, axis, (2, 1))).argmax(axis=0)
    seen = observe(mechanism, axis, prior)
    for guesses, chance in (
        (by_answer[released[:, axis]], seen.alone),
        (by_record[np.ravel_multi_index(tuple(released.T), SIZES)], seen.full),
    ):
        assert abs((guesses == codes[:, axis]).mean() - chance) < 5 * np.sqrt(chance * (1 - chance) / TRIALS)


@pytest.mark.slow
def test_large_domains_at_the_limit_of_exact_sums():
    """Twelve attributes of 1,000 categories, 10^36 records: no overflow, and Kronecker's full record still tells no more."""
    k = MAX_PROGRAMME_ATTRIBUTES
    seen = observe(Kronecker.from_levels((1000,) * k, [5.0] * k), 3, np.full(1000, 1e-3))
    assert prod((1000,) * k) == 10**36
    assert seen.full == pytest.approx(seen.alone, rel=1e-9)
    assert seen.alone == pytest.approx(exp(5) / (exp(5) + 999), rel=1e-9)


@pytest.mark.parametrize(
    ("size", "share", "expected"),
    [(4, 0.7, [0.7, 0.1, 0.1, 0.1]), (4, 0.1, [0.25] * 4), (2, 0.0, [0.5, 0.5]), (3, 0.9, [0.9, 0.05, 0.05])],
)
def test_a_belief_in_a_commonest_answer(size, share, expected):
    assert observer_prior(size, share).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("name", ["pram beside a coupling", "forced", "optimal", "few lie sets"])
def test_attributes_of_a_mechanism_file_against_the_whole_matrix(name):
    """All answers equally likely, Bayes' rule over every randomized record."""
    file = zoo.FILES[name]
    sizes, matrix = file.sizes, oracles.exact_matrix(file.groups).astype(float)
    for i, found in enumerate(observe_file(file)):
        by_answer = np.moveaxis(matrix.reshape(*sizes, -1), i, 0).reshape(sizes[i], -1, matrix.shape[1])
        assert found.full == pytest.approx((by_answer.max(axis=0).sum(axis=1) / sizes[i]).mean(), abs=1e-9)
        assert found.leakage == pytest.approx(oracles.leakage_of(matrix, sizes)[i], abs=1e-9)
        assert (found.before, found.bounded) == (pytest.approx(1 / sizes[i]), False)
