"""Raking, post-stratification and weights for people who did not answer."""

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.channel import MatrixChannel
from rrcore.errors import InputError
from rrcore.estimate import Margin, Replicates, Sample, functional_error, jackknife, rake, reweigh_for_nonresponse
from tests.estimate.sample.drawing import FORCED, estimate, report, slow_variance
from tests.estimate.sample.test_variance import CHANCE, RUNS, check, simulate  # RUNS has a pytest.mark.long

MILD = MatrixChannel(np.array([[0.98, 0.02], [0.02, 0.98]]))


def margins(sex, age):
    return [
        Margin("sex", sex, ("f", "m"), np.array([510.0, 490.0])),
        Margin("age", age, ("young", "middle", "old"), np.array([300.0, 450.0, 250.0])),
    ]


def people(rng, n=300):
    return rng.integers(0, 2, n), rng.integers(0, 3, n)


def test_raked_weights_reach_every_margin_and_keep_what_the_margins_do_not_change():
    """Raking keeps the cross-product ratios of the table (Deming and Stephan 1940)."""
    rng = np.random.default_rng(1)
    sex, age = people(rng)
    start = Sample(rng.uniform(1, 4, 300))
    found = rake(start, margins(sex, age))
    before, after = np.zeros((2, 2, 3))
    np.add.at(before, (sex, age), start.weights)
    np.add.at(after, (sex, age), found.weights)
    np.testing.assert_allclose(after.sum(axis=1) / after.sum(), [0.51, 0.49], atol=1e-8)
    np.testing.assert_allclose(after.sum(axis=0) / after.sum(), [0.3, 0.45, 0.25], atol=1e-8)
    odds = [table[0, :2] / table[1, :2] / (table[0, 2] / table[1, 2]) for table in (before, after)]
    np.testing.assert_allclose(odds[1], odds[0], rtol=1e-6)
    assert found.weights.sum() == pytest.approx(start.weights.sum())


def test_one_margin_is_post_stratification():
    sex = np.array([0, 0, 0, 1])
    found = rake(Sample(np.array([1.0, 1.0, 2.0, 4.0])), [Margin("sex", sex, ("f", "m"), np.array([0.5, 0.5]))])
    np.testing.assert_allclose(found.shares, [0.125, 0.125, 0.25, 0.5], atol=1e-9)
    reported = np.array([1, 0, 1, 0])
    assert slow_variance(reported, found)[1, 1] < 0.9 * slow_variance(reported, Sample(found.weights))[1, 1]


def test_variance_after_raking_is_that_of_residuals_and_agrees_with_reraked_replicates():
    rng = np.random.default_rng(2)
    sex, age = people(rng, 600)
    reported = (rng.random(600) < 0.2 + 0.2 * sex + 0.15 * age).astype(int)
    plain = Sample(rng.uniform(1, 3, 600), clusters=np.arange(600) // 6)
    line, again = rake(plain, margins(sex, age)), rake(jackknife(plain), margins(sex, age))
    one, two = estimate(reported, line), estimate(reported, again)
    yes = np.array([0.0, 1.0])
    assert functional_error(yes, one, True) ** 2 == pytest.approx(slow_variance(reported, line)[1, 1], rel=1e-9)
    assert functional_error(yes, two, True) == pytest.approx(functional_error(yes, one, True), rel=0.05)
    assert functional_error(yes, one, True) < 0.97 * functional_error(yes, estimate(reported, plain), True)


@RUNS
def test_post_stratified_estimates_by_simulation(runs):
    rng = np.random.default_rng(3)
    group = rng.integers(0, 3, 5000)
    answers = (rng.random(5000) < np.array([0.05, 0.3, 0.8])[group]).astype(int)
    totals = np.bincount(group).astype(float)

    def draw(rng):
        rows = rng.integers(0, 5000, 400)
        margin = Margin("group", group[rows], ("a", "b", "c"), totals)
        return report(answers[rows], FORCED, rng), rake(Sample(np.ones(400)), [margin])

    check(*simulate(runs, 4, draw, answers.mean()), answers.mean())


@RUNS
def test_people_who_do_not_answer_by_simulation(runs):
    """Who answers depends on the class, and the class on the true answer: without raised weights the estimate is off by 7 points."""
    rng = np.random.default_rng(5)
    group = rng.integers(0, 2, 4000)
    answers = (rng.random(4000) < np.array([0.2, 0.6])[group]).astype(int)
    off = np.empty(runs)

    def draw(rng):
        rows = rng.integers(0, 4000, 700)
        heard = rng.random(700) < np.array([0.9, 0.4])[group[rows]]
        sample = reweigh_for_nonresponse(Sample(np.ones(700)), heard, group[rows]).take(heard)
        return report(answers[rows][heard], FORCED, rng), sample

    shares, errors, held = simulate(runs, 6, draw, answers.mean())
    off = shares - answers.mean()
    assert abs(off.mean()) < 3.9 * off.std() / np.sqrt(runs)
    assert np.sqrt((errors**2).mean()) > shares.std() * (1 - 3.9 / np.sqrt(2 * runs))  # a little too large is allowed
    assert held >= binom.ppf(CHANCE, runs, 0.93)


@pytest.mark.parametrize("classes", [False, True])
def test_of_a_census_that_half_the_people_answered_half_is_certain(classes):
    """By hand: (1 - p) S^2 / n for who answered, and the randomisation of those, as of a sample of n people without replacement."""
    rng = np.random.default_rng(7)
    reported, heard = rng.integers(0, 2, 1000), np.arange(1000) % 2 == 0
    everybody = Sample(np.ones(1000), populations=np.array([1000.0]))
    part = (
        reweigh_for_nonresponse(everybody, heard, np.zeros(1000, dtype=int)).take(heard)
        if classes
        else everybody.answering(heard)
    )
    r = (reported[heard] - 0.2) / 0.6
    expected = 0.5 * r.var(ddof=1) / 500 + 0.5 * (r * (r - 1)).mean() / 500
    found = functional_error(np.array([0.0, 1.0]), estimate(reported[heard], part), True) ** 2
    assert found == pytest.approx(expected, rel=2e-3)  # n - 1 of all in place of n - 1 of those who answered
    again = slow_variance(reported[heard], Sample(np.ones(500), populations=np.array([1000.0])))[1, 1]
    assert found == pytest.approx(again, rel=2e-3)


@pytest.mark.parametrize("times", [False, True])
def test_classes_that_answer_unlike_are_certain_by_their_squared_weights(times):
    """Sum of w^2 ((1 - p) S^2 + V) over who answered, p by class, S^2 of the released answers less V: 90 % and 10 % answer."""
    classes, answers = np.repeat([0, 1], 1000), np.tile([0, 1], 1000)
    heard = np.where(classes == 0, np.arange(2000) % 20 < 18, np.arange(2000) % 20 < 2)
    everybody = Sample(np.ones(2000), populations=np.array([2000.0]))
    part = reweigh_for_nonresponse(everybody, heard, classes).take(heard)
    if times:
        rows = np.unique(np.column_stack([classes, answers, heard]), axis=0)
        many = np.array([((classes == c) & (answers == a) & (heard == h)).sum() for c, a, h in rows])
        grouped = Sample(many * 1.0, populations=np.array([2000.0]), times=many, squares=many * 1.0)
        kept = rows[:, 2] == 1
        part, answers, heard = reweigh_for_nonresponse(grouped, kept, rows[:, 0]).take(kept), rows[:, 1], kept
    share = np.where(np.arange(1000) < 900, 1 / 900, 1 / 100) / 2  # of the 1,000 who answered, 900 and 100 stand for a half each
    p = np.where(np.arange(1000) < 900, 0.9, 0.1)
    r = (np.array([0.0, 1.0]) - 0.2) / 0.6
    total, own = r.var(), (r * (r - 1)).mean()
    expected = (share**2 * ((1 - p) * (total - own) + own)).sum()
    found = functional_error(np.array([0.0, 1.0]), estimate(answers[heard], part), True) ** 2
    assert found == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("clusters", [False, True])
def test_who_did_not_answer_in_a_finite_population_by_simulation(clusters):
    """Most of a small population is asked, 60 % answer: before, those who did not counted as observed, and 4 of 10 intervals missed."""
    rng, runs = np.random.default_rng(8), 150
    unit = np.arange(800) // 10
    answers = (rng.random(800) < np.clip(0.3 + rng.normal(0, 0.1, 80)[unit], 0, 1)).astype(int)

    def draw(rng):
        asked = np.isin(unit, rng.choice(80, 72, replace=False)) if clusters else rng.permutation(800) < 720
        own = Sample(
            np.ones(720), clusters=unit[asked] if clusters else None, populations=np.array([80.0 if clusters else 800.0])
        )
        heard = rng.random(720) < 0.6
        return report(answers[asked][heard], MILD, rng), own.answering(heard)

    shares, errors, held = simulate(runs, 9, draw, answers.mean(), channel=MILD)
    assert np.sqrt((errors**2).mean()) > shares.std() * (1 - 3.9 / np.sqrt(2 * runs))  # of clusters a little too large
    assert np.sqrt((errors**2).mean()) < 1.25 * shares.std()
    assert held >= binom.ppf(CHANCE, runs, 0.93)


def test_replicates_are_changed_alike():
    sex = np.array([0, 0, 1, 1])
    sample = Sample(np.ones(4), replicates=Replicates.of("JK1", np.array([[0, 2.0], [2, 0], [1, 1], [1, 1]])))
    found = rake(sample, [Margin("sex", sex, ("f", "m"), np.array([3.0, 1.0]))])
    np.testing.assert_allclose(found.replicates.weights, [[0, 3], [3, 0], [0.5, 0.5], [0.5, 0.5]], atol=1e-7)
    answered = reweigh_for_nonresponse(sample, np.array([True, True, True, False]), np.array([0, 0, 1, 1]))
    np.testing.assert_allclose(answered.replicates.weights, [[0, 2], [2, 0], [2, 2], [0, 0]])


def test_what_cannot_be_raked_is_said():
    sex, age = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    sample = Sample(np.ones(4))
    with pytest.raises(InputError, match="The category 'other' of 'sex' has people in the population and nobody in the sample"):
        rake(sample, [Margin("sex", sex, ("f", "m", "other"), np.array([0.49, 0.49, 0.02]))])
    with pytest.raises(InputError, match="The category 'm' of 'sex' has nobody in the population"):
        rake(sample, [Margin("sex", sex, ("f", "m"), np.array([1.0, 0.0]))])
    codes = np.array([0, 0, 1])
    contrary = [Margin(name, codes, ("x", "y"), np.array([0.5 + way, 0.5 - way])) for name, way in (("a", 0.4), ("b", -0.4))]
    with pytest.raises(
        InputError, match=r"The weights do not settle: after \d+ rounds a margin is still off by .* %\. Merge small"
    ):
        rake(Sample(np.ones(3)), contrary)
    with pytest.raises(InputError, match="1 records have no value of 'age', or one that its margin does not have"):
        Margin("age", np.array([0, -1]), ("x", "y"), np.ones(2))
    with pytest.raises(InputError, match="needs one number of 0 or more for each of its 2 categories"):
        Margin("age", age, ("x", "y"), np.array([1.0, -1.0]))
    with pytest.raises(InputError, match="No margin is given"):
        rake(sample, [])
    with pytest.raises(InputError, match="has 4 records and the sample 3"):
        rake(Sample(np.ones(3)), [Margin("sex", sex, ("f", "m"), np.ones(2))])
    with pytest.raises(InputError, match="Nobody of class 2 answered"):
        reweigh_for_nonresponse(sample, np.array([True, True, False, False]), np.array([0, 0, 1, 1]))
    with pytest.raises(InputError, match="1 records have no class"):
        reweigh_for_nonresponse(sample, np.ones(4, dtype=bool), np.array([0, 0, 1, -1]))


@pytest.mark.parametrize(
    ("answered", "classes"), [([True, True, False], [0, 0, 1, 1]), ([True] * 4, [0, 0, 1]), ([1e9, 0.0, 1.0, 1.0], [0, 0, 1, 1])]
)
def test_who_answered_is_said_of_every_record(answered, classes):
    with pytest.raises(
        InputError, match=r"^There are 4 records, . classes and . marks of who answered: give a class and yes or no"
    ):
        reweigh_for_nonresponse(Sample(np.ones(4)), np.array(answered), np.array(classes))
