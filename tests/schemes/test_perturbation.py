"""Simulated releases of a known table."""

from collections import Counter

import numpy as np
import pytest

from rrcore.errors import InputError, NotIdentifiableError
from rrcore.mechanisms import MECHANISMS, Optimal, build
from rrcore.schemes.perturbation import Repeats, perturb, repeat_perturbation
from rrcore.table.dataset import Dataset
from rrcore.table.demo import load_demo
from rrcore.table.schema import Attribute, Schema
from tests import oracles

SIZES, LEVELS = (3, 2, 4), (1.6, 1.5, 1.7)
NAMES = ("q2", "q0")


@pytest.fixture(scope="module")
def dataset():
    rng = np.random.default_rng(31)
    cells = rng.choice(24, 1500, p=rng.dirichlet(np.full(24, 3.0)))
    schema = Schema(tuple(Attribute(f"q{i}", tuple(f"c{v}" for v in range(a))) for i, a in enumerate(SIZES)))
    return Dataset(schema, np.column_stack(np.unravel_index(cells, SIZES)), "people")


@pytest.mark.parametrize("name", MECHANISMS)
def test_release_estimates_from_released_records_only(dataset, name):
    release = perturb(dataset, build(name, SIZES, LEVELS), rng=np.random.default_rng(32))
    assert release.dataset.schema == dataset.schema
    assert release.dataset.title == "people"
    assert (release.dataset.codes != dataset.codes).any()
    released = np.zeros((4, 3))
    for cell, count in Counter((int(row[2]), int(row[0])) for row in release.dataset.codes).items():
        released[cell] = count / 1500
    estimate = release.estimate(NAMES)
    matrix = oracles.marginalise(oracles.dense_mechanism(release.mechanism), SIZES, (2, 0))
    np.testing.assert_allclose(estimate.shares, oracles.dense_estimate(released, matrix), rtol=0, atol=1e-10)
    assert estimate.n == 1500


def test_same_seed_same_release(dataset):
    mechanism = build("optimal", SIZES, LEVELS)
    first, again, other = (perturb(dataset, mechanism, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.dataset.codes, again.dataset.codes)
    assert (first.dataset.codes != other.dataset.codes).any()


def test_what_is_erased_is_refused_by_name():
    schema = Schema(tuple(Attribute(name, ("no", "yes")) for name in ("age", "sex", "drug")))
    codes = np.random.default_rng(33).integers(0, 2, (100, 3))
    release = perturb(Dataset(schema, codes), Optimal.from_levels((2,) * 3, [0.5] * 3), rng=np.random.default_rng(0))
    with pytest.raises(NotIdentifiableError, match=r"erases how 'drug' and 'age' go together"):
        release.estimate(["drug", "age"])
    with pytest.raises(InputError, match=r"^There is no attribute 'name'"):
        release.estimate(["name"])
    assert release.estimate(["drug"]).shares.sum() == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("kronecker", None),
        ("optimal", 1500),
    ],
)
def test_repeats_show_an_unbiased_estimator_with_honest_error_bars(dataset, name, n):
    """500 releases of 1500 people. Bias: 12 z-tests beyond 5.5 standard errors (4e-8 each). Spread: a standard deviation over
    500 runs varies by 3.2 %, so 0.82..1.18 is 5.7 of them. Coverage of all cells together: 93..97 %. Seeds are fixed."""
    mechanism = build(name, SIZES, LEVELS)
    sampled = n is not None
    truth = dataset.counts(NAMES) / dataset.n
    runs = list(repeat_perturbation(dataset, mechanism, NAMES, 500, n=n, rng=np.random.default_rng(34)))
    repeats = Repeats.collect(truth, runs, population=sampled)
    matrix = oracles.marginalise(oracles.dense_mechanism(mechanism), SIZES, (2, 0))
    stated = np.sqrt(oracles.dense_variance(truth, matrix, 1500, population=sampled))
    assert (np.abs(repeats.bias) < 5.5 * stated / np.sqrt(500)).all()
    assert (repeats.spread > 0.82 * stated).all()
    assert (repeats.spread < 1.18 * stated).all()
    assert 0.93 <= repeats.coverage <= 0.97
    assert all(run.n == 1500 for run in runs)


def test_people_may_be_more_or_fewer_than_the_table(dataset):
    runs = repeat_perturbation(dataset, build("kronecker", SIZES, LEVELS), ["q1"], 3, n=77, rng=np.random.default_rng(35))
    assert [run.n for run in runs] == [77, 77, 77]
    with pytest.raises(InputError, match=r"^The number of people is 0: give at least 1\.$"):
        next(repeat_perturbation(dataset, build("kronecker", SIZES, LEVELS), ["q1"], 1, n=0, rng=np.random.default_rng(35)))


def test_repeats_by_hand(dataset):
    truth = np.array([0.4, 0.6])
    runs = Repeats(truth, np.array([[0.5, 0.5], [0.3, 0.7], [0.1, 0.9]]), np.array([1.0, 0.5, 0.0]))
    np.testing.assert_allclose(runs.bias, [-0.1, 0.1], rtol=0, atol=1e-15)
    np.testing.assert_allclose(runs.spread, [0.2, 0.2], rtol=0, atol=1e-15)
    assert runs.coverage == 0.5
    one = Repeats(truth, np.array([[0.5, 0.5]]), np.array([1.0]))
    np.testing.assert_array_equal(one.spread, [0, 0])


def test_a_mechanism_for_another_table_is_refused():
    table = load_demo("titanic")
    with pytest.raises(InputError, match=r"for attributes with 2, 2, 2, 4 categories and the table has 4, 2, 2, 2: build it"):
        perturb(table, build("kronecker", (2, 2, 2, 4), [1.0] * 4), rng=np.random.default_rng(0))
