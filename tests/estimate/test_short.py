"""Shorter intervals: the robust point against linear programmes and published numbers, variances and coverage against simulated releases."""

import math
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import ndtr
from scipy.stats import t

import rrcore as rr
from benchmarks.bench_short import MADE, made
from rrcore.errors import InputError
from rrcore.estimate import PointEstimate, Sample, coverage
from rrcore.estimate.short import COVERAGE, KEPT, PEOPLE, PROMISED, ShrunkErrors, measured, robust_point, shrunk_errors
from rrcore.estimate.shrinkage import Shrinkage

TITANIC = rr.load_demo("titanic")


@cache
def built(mechanism, sizes, level):
    """The same one for all releases."""
    return rr.build(mechanism, sizes, [level] * len(sizes))


def released(table, level, seed, mechanism="pair-safe"):
    return rr.perturb(table, built(mechanism, table.schema.sizes, level), rng=np.random.default_rng(seed))


def read(axes=(0, 1), level=0.5, seed=0, table=TITANIC, **more):
    return released(table, level, seed, **more).estimate([table.schema.names[i] for i in axes], reader="shrinkage")


# the point


def missed(biases, point):
    return ndtr(-point - biases) + ndtr(biases - point)


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("square", [0.01, 0.3, 1.0, 4.0, 30.0])
def test_no_distribution_of_biases_is_missed_more_often_and_the_worst_as_often(square, confidence):
    """The worst of all distributions on a grid with this mean square, by a linear programme."""
    point = float(robust_point(np.array(square), confidence))
    biases = np.linspace(0, math.sqrt(square) + point + 8, 3_000)
    worst = linprog(-missed(biases, point), A_eq=[np.ones_like(biases), biases**2], b_eq=[1, square], bounds=(0, 1))
    assert -worst.fun == pytest.approx(1 - confidence, rel=0.01)


def test_it_is_the_normal_point_without_bias_and_chebyshevs_with_much():
    assert float(robust_point(np.array(0.0))) == pytest.approx(1.959964, abs=1e-6)
    assert float(robust_point(np.array(1e6))) == pytest.approx(1e3 / math.sqrt(0.05), rel=2e-3)
    points = robust_point(np.geomspace(1e-6, 1e6, 500))
    assert (np.diff(points) > 0).all()


def test_the_worst_distribution_has_the_published_kurtosis():
    """Tests of the authors' package ebci: without a bound on it 17.4 for b = 2 and 16.6 for b = .5, so that a bound of 20 changes nothing."""
    for root, kurtosis in ((2.0, 17.4), (0.5, 16.6)):
        point = float(robust_point(np.array(root**2)))
        biases = np.linspace(0.01, point + 8, 100_000)
        place = biases[((missed(biases, point) - missed(0.0, point)) / biases**2).argmax()]
        assert place**2 / root**2 == pytest.approx(kurtosis, abs=0.05)  # probability root^2 / place^2


# what is expected


@pytest.mark.parametrize("level", [0.4, 1.0])
@pytest.mark.parametrize("width", [2, 3])
def test_what_is_expected_is_what_comes(level, width):
    """Over the cells of all pairs and of all triples of 20 releases: single ones may depend far more strongly than others of their table."""
    found = expected = 0.0
    for seed in range(20):
        whole = Shrinkage(released(TITANIC, level, seed))
        for axes in combinations(range(4), width):
            errors = shrunk_errors(whole, axes)
            truth = TITANIC.shares([TITANIC.schema.names[i] for i in axes])
            found += float(((whole.shares(axes) - truth) ** 2).sum())
            expected += float((errors.noise + errors.left).sum())
    assert 0.6 < found / expected < 1.5


def test_attributes_in_any_order_have_the_same_errors():
    whole = Shrinkage(released(TITANIC, 1.0, 0))
    one, other = shrunk_errors(whole, (0, 1, 3)), shrunk_errors(whole, (3, 0, 1))
    for mine, its in ((one.noise, other.noise), (one.left, other.left)):
        assert np.allclose(mine.transpose(2, 0, 1), its)
    assert one.kept == other.kept


def test_answers_that_are_not_randomised_leave_nothing_to_be_off_by():
    table = TITANIC.select(["Sex", "Survived"])
    errors = shrunk_errors(Shrinkage(released(table, 20.0, 0, "kronecker")), (0, 1))
    assert errors.kept == pytest.approx(1)
    assert float(errors.noise.max() + errors.left.max()) < 1e-9


def test_errors_of_nothing_make_intervals_of_no_width():
    shares = np.array([[0.5, 0.0], [0.25, 0.25]])
    nothing = ShrunkErrors(np.zeros((2, 2)), np.zeros((2, 2)), 1.0)
    low, high = nothing.interval(shares, 100)
    assert ((low == shares) & (high == shares)).all()
    low, high = nothing.interval(shares, 100, population=True)
    assert (low < high)[shares > 0].all()
    assert ((low >= 0) & (high <= 1)).all()


# where they are offered


def test_they_are_shorter_and_hold_the_point():
    for axes in ((0, 1), (2, 0), (0, 1, 3), (3, 2, 1, 0)):
        point = read(axes, level=0.25)
        low, high = point.short_interval()
        first, last = point.interval()
        assert ((low >= 0) & (low <= point.shares) & (point.shares <= high) & (high <= 1)).all()
        assert (high - low).mean() < (last - first).mean()
        below, above = point.short_interval(population=True)
        assert (above - below).mean() > 0.99 * (high - low).mean()  # more variance leaves a smaller part for the worst of biases


@pytest.mark.parametrize(
    ("point", "why"),
    [
        (lambda: read((0,)), "two to four attributes read by shrinkage"),
        (lambda: read().estimate.blend(), "two to four attributes read by shrinkage"),
        (lambda: read(level=5.0), "read too well"),
        (lambda: read(table=TITANIC.resample(30, rng=np.random.default_rng(0))), "With 30 people no simulation found"),
    ],
)
def test_where_they_are_not_offered_it_is_said_why(point, why):
    with pytest.raises(InputError, match=why):
        point().short_interval()


def test_samples_with_a_design_were_not_measured():
    release = released(TITANIC, 0.5, 0)
    weights = np.random.default_rng(1).uniform(1, 3, TITANIC.n)
    weighted = rr.Release(release.dataset, release.mechanism, sample=Sample(weights=weights))
    with pytest.raises(InputError, match="simple random samples"):
        weighted.estimate(["Class", "Sex"], reader="shrinkage").short_interval()


def test_every_measured_setting_is_found_and_nothing_beyond():
    for width, people, part in product(COVERAGE, range(1, len(PEOPLE)), range(len(KEPT))):
        n, kept = PEOPLE[people], KEPT[part]
        assert measured(width, kept, n) == measured(width, kept - 0.01, PEOPLE[people - 1] + 1)
    assert {len(text.split()) for text in COVERAGE.values()} == {(len(PEOPLE) - 1) * len(KEPT)}
    beyond = ((2, 0.01, PEOPLE[-1] + 1), (2, KEPT[-1] + 0.01, 1_000), (1, 0.01, 1_000), (2, 0.01, PEOPLE[0]))
    assert [measured(*each) for each in beyond] == [None] * len(beyond)


@pytest.mark.parametrize(("key", "level"), [("titanic", 0.35), ("titanic", 0.7), *zip(MADE, [0.35, 0.7] * 3, strict=False)])
def test_95_of_100_cells_have_their_true_share(key, level):
    """16 releases at one of two levels: a false alarm of one in 10,000 (Student's t over releases). ``benchmarks/bench_short.py`` measures
    more."""
    people = TITANIC if key == "titanic" else made(key)
    means = []
    for seed in range(16):
        table, held = people.resample(1_000, rng=np.random.default_rng([seed, 4])), []
        release = released(table, level, seed)
        for axes in ((0, 1), (1, 2), (0, 2), (0, 1, 2)):
            names = [table.schema.names[i] for i in axes]
            point = release.estimate(names, reader="shrinkage")
            try:
                held.append(coverage(table.shares(names), *point.short_interval()))
            except InputError:  # not offered here
                continue
        means += [np.mean(held)] if held else []
    assert len(means) > 10
    point = t.isf(1e-4, len(means) - 1)
    assert np.mean(means) + point * np.std(means, ddof=1) / math.sqrt(len(means)) >= PROMISED


def test_a_point_that_is_not_shrinkage_knows_of_no_errors():
    point = read()
    with pytest.raises(InputError, match="read by shrinkage"):
        PointEstimate("other", point.shares, point.estimate).short_interval()
