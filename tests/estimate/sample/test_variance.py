"""Variances of weighted estimates against their definition and against simulation."""

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.channel import MatrixChannel
from rrcore.channel.channels import ProductChannel
from rrcore.estimate import Sample, conditional_shares, invert_counts
from rrcore.estimate.estimate import invert_tally
from rrcore.estimate.sample import tally
from tests.estimate.sample.drawing import FORCED, THREE, Population, estimate, functional_error, report, slow_variance

CHANCE = 1e-4  # how often a simulation is to fail although nothing is wrong
MILD = MatrixChannel(np.array([[0.98, 0.02], [0.02, 0.98]]))


def invented(rng, n=240, clusters=False, finite=False, strata=4):
    weights, own = rng.uniform(0.5, 6.0, n), rng.integers(0, strata, n)
    groups = rng.integers(0, 9, n) if clusters else None
    drawn = [len(np.unique(groups[own == h])) if clusters else int((own == h).sum()) for h in range(strata)]
    sizes = np.array(drawn) * np.array([1.0, 1.5, 3.0, 20.0])[:strata] if finite else None
    return Sample(weights, strata=own, clusters=groups, populations=sizes)


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("channel", [FORCED, THREE])
def test_variance_is_its_definition(clusters, finite, channel):
    rng = np.random.default_rng(3)
    sample = invented(rng, clusters=clusters, finite=finite)
    reported = rng.integers(0, len(channel.matrix), sample.n)
    found, expected = estimate(reported, sample, channel), slow_variance(reported, sample, channel)
    a = len(channel.matrix)
    for weights in (*np.eye(a), np.arange(a) ** 2.0):
        assert functional_error(weights, found, True) ** 2 == pytest.approx(weights @ expected @ weights, rel=1e-9)
    inverse = channel.invert(np.eye(a))
    np.testing.assert_allclose(inverse @ found.spread.covariance(channel) @ inverse.T, expected, rtol=1e-8, atol=1e-12)
    if not finite:  # else what is certain is projected first
        np.testing.assert_allclose(found.spread.cell_variances(channel), np.diag(expected), rtol=1e-9)


@pytest.mark.parametrize("clusters", [False, True])
def test_covariance_is_its_definition_where_one_of_the_reports_was_given_by_nobody(clusters):
    """From a finite population, a part of which is certain of the other reports alone."""
    rng = np.random.default_rng(4)
    sample = invented(rng, clusters=clusters, finite=True)
    reported = rng.integers(0, 2, sample.n)
    found, inverse = estimate(reported, sample, THREE), THREE.invert(np.eye(3))
    covariance = inverse @ found.spread.covariance(THREE) @ inverse.T
    np.testing.assert_allclose(covariance, slow_variance(reported, sample, THREE), rtol=1e-8, atol=1e-12)


def test_a_simple_random_sample_is_the_sample_with_equal_weights():
    rng = np.random.default_rng(5)
    channel = ProductChannel((2, 3), (FORCED, THREE), ((0,), (1,)))
    codes = np.stack([rng.integers(0, 2, 500), rng.integers(0, 3, 500)], axis=1)
    counts = np.zeros((2, 3), dtype=np.int64)
    np.add.at(counts, (codes[:, 0], codes[:, 1]), 1)
    plain = invert_counts(counts, channel)
    same = invert_tally(tally(codes, (2, 3), Sample(np.full(500, 7.5))), channel)
    np.testing.assert_allclose(same.shares, plain.shares, atol=1e-14)
    np.testing.assert_allclose(same.design_effects(), 1, rtol=1e-9)
    for population in (True, False):
        np.testing.assert_allclose(same.std_error(population=population), plain.std_error(population=population), rtol=2e-3)
        np.testing.assert_allclose(same.interval(population=population), plain.interval(population=population), atol=3e-4)
    found, wanted = (conditional_shares(each, [0]) for each in (same, plain))
    np.testing.assert_allclose(found.std_error, wanted.std_error, rtol=2e-3)
    assert same.people_for(0.02) == pytest.approx(plain.people_for(0.02), rel=5e-3)


def test_the_whole_population_has_the_error_of_its_randomization_only():
    rng = np.random.default_rng(6)
    sample = Sample(np.ones(400), populations=np.array([400.0]))
    found = estimate(rng.integers(0, 2, 400), sample)
    np.testing.assert_allclose(found.std_error(population=True), found.std_error(population=False), rtol=1e-9)
    assert functional_error(np.array([0.0, 1.0]), found, True) == pytest.approx(
        functional_error(np.array([0.0, 1.0]), found, False), rel=1e-12
    )


def test_a_part_of_a_sample_remembers_what_was_drawn_elsewhere():
    """A share within a part is a ratio; its slow variance is that of residuals which are 0 outside."""
    rng = np.random.default_rng(8)
    sample = Sample(rng.uniform(1, 3, 300), strata=np.repeat([0, 1], 150), clusters=np.arange(300) // 6)
    reported, inside = rng.integers(0, 2, 300), np.flatnonzero(rng.random(300) < 0.3)
    found = estimate(reported[inside], sample.take(inside))
    rows = FORCED.inverse.T[reported]
    mine = np.zeros(300)
    mine[inside] = sample.weights[inside] / sample.weights[inside].sum()
    residual = mine[:, None] * (rows - found.shares)
    expected = 0.0
    for h in (0, 1):
        own = np.array([residual[(sample.strata == h) & (sample.clusters == c), 1].sum() for c in range(25 * h, 25 * h + 25)])
        expected += 25 / 24 * ((own - own.mean()) ** 2).sum()
    assert functional_error(np.array([0.0, 1.0]), found, True) ** 2 == pytest.approx(expected, rel=1e-9)


def simulate(runs, seed, draw, truth, *, share=1, channel=FORCED):
    """Estimates, squared errors claimed, and how many 95% intervals hold the truth, of ``runs`` samples."""
    rng = np.random.default_rng(seed)
    shares, errors, held = np.empty(runs), np.empty(runs), 0
    for run in range(runs):
        reported, sample = draw(rng)
        found = estimate(reported, sample, channel)
        low, high = found.interval(population=True)
        shares[run] = found.shares[share]
        errors[run] = found.std_error(population=True)[share]
        held += low[share] <= truth <= high[share]
    return shares, errors, held


def check(shares, errors, held, truth):
    """Bias within its error, standard errors right on average, and coverage between 93 and 97%: false alarms below ``CHANCE`` each."""
    runs = len(shares)
    assert abs(shares.mean() - truth) < 3.9 * shares.std() / np.sqrt(runs)
    assert np.sqrt((errors**2).mean()) == pytest.approx(shares.std(), rel=0.02 + 3.9 / np.sqrt(2 * runs))
    assert binom.ppf(CHANCE, runs, 0.93) <= held <= binom.ppf(1 - CHANCE, runs, 0.97)


@pytest.mark.parametrize(
    ("fraction", "runs"), [(1.0, 60), *(pytest.param(each, 1000, marks=pytest.mark.long) for each in (0.1, 0.5, 1.0))]
)
def test_finite_populations_by_simulation(fraction, runs):
    """Of the randomization nothing is certain, however many are asked: a factor 1 - f alone would claim an error of 0 at f = 1."""
    rng = np.random.default_rng(11)
    answers = (rng.random(600) < 0.3).astype(np.int64)
    n = round(600 * fraction)

    def draw(rng):
        rows = rng.choice(600, n, replace=False)
        return report(answers[rows], FORCED, rng), Sample(np.ones(n), populations=np.array([600.0]))

    check(*simulate(runs, 12, draw, answers.mean()), answers.mean())


@pytest.mark.parametrize("runs", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_strata_with_unequal_weights_and_finite_populations_by_simulation(runs):
    people = Population.invent(np.random.default_rng(13))
    places = [np.flatnonzero(people.strata == h) for h in range(3)]
    take = (240, 120, 60)
    strata, sizes = np.repeat([0, 1, 2], take), np.array([float(len(place)) for place in places])

    def draw(rng):
        rows = np.concatenate([rng.choice(place, k, replace=False) for place, k in zip(places, take, strict=True)])
        weights = (sizes / take)[strata]
        return report(people.answers[rows], FORCED, rng), Sample(weights, strata=strata, populations=sizes)

    check(*simulate(runs, 14, draw, people.truth), people.truth)


@pytest.mark.parametrize(
    ("finite", "runs"), [(True, 60), *(pytest.param(each, 1000, marks=pytest.mark.long) for each in (False, True))]
)
def test_few_clusters_in_strata_by_simulation(finite, runs):
    """Eight, twelve and ten clusters: t quantiles with 27 degrees of freedom; whole clusters are asked."""
    people = Population.invent(np.random.default_rng(15))
    units = [np.unique(people.clusters[people.strata == h]) for h in range(3)]
    take, have = (8, 12, 10), np.array([40.0, 60.0, 50.0])
    members = people.answers.reshape(-1, 12)

    def draw(rng):
        chosen = np.concatenate([rng.choice(own, k, replace=not finite) for own, k in zip(units, take, strict=True)])
        answers = members[chosen].ravel()
        strata, clusters = np.repeat([0, 1, 2], np.multiply(take, 12)), np.repeat(np.arange(30), 12)
        weights = (have / take)[strata]
        return report(answers, FORCED, rng), Sample(
            weights, strata=strata, clusters=clusters, populations=have if finite else None
        )

    check(*simulate(runs, 16, draw, people.truth), people.truth)


def test_of_a_census_that_half_the_people_answered_half_is_certain():
    """By hand: (1 - p) S^2 / n for who answered, and the randomization of those, as of a sample of n people without replacement."""
    rng = np.random.default_rng(7)
    reported, heard = rng.integers(0, 2, 1000), np.arange(1000) % 2 == 0
    part = Sample(np.ones(1000), populations=np.array([1000.0])).answering(heard)
    r = (reported[heard] - 0.2) / 0.6
    expected = 0.5 * r.var(ddof=1) / 500 + 0.5 * (r * (r - 1)).mean() / 500
    found = functional_error(np.array([0.0, 1.0]), estimate(reported[heard], part), True) ** 2
    assert found == pytest.approx(expected, rel=2e-3)  # n - 1 of all in place of n - 1 of those who answered
    again = slow_variance(reported[heard], Sample(np.ones(500), populations=np.array([1000.0])))[1, 1]
    assert found == pytest.approx(again, rel=2e-3)


@pytest.mark.parametrize("clusters", [pytest.param(False, marks=pytest.mark.long), True])
def test_who_did_not_answer_in_a_finite_population_by_simulation(clusters):
    """Most of a small population is asked, 60% answer: before, those who did not counted as observed, and 4 of 10 intervals missed."""
    rng, runs = np.random.default_rng(8), 80
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
