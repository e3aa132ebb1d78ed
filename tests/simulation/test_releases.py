"""Simulated releases of a known table, in memory and in pieces."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rrcore.budget import MECHANISMS, build
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.mechanisms import Optimal
from rrcore.simulation.releases import Repeats, repeat_perturbation, simulate, simulate_counts
from rrcore.table.dataset import Dataset
from rrcore.table.demo import load_demo
from rrcore.table.opening import open_stream
from rrcore.table.scanning import Coded, coder
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
    release = simulate(dataset, build(name, SIZES, LEVELS), rng=np.random.default_rng(32))
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
    first, again, other = (simulate(dataset, mechanism, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.dataset.codes, again.dataset.codes)
    assert (first.dataset.codes != other.dataset.codes).any()


@pytest.mark.parametrize("name", ["independent", "closed-form"])
def test_noise_is_independent_of_data_from_the_same_seed(name):
    """20,000 answers drawn from the seed of their simulation. A z-test at 5.5, which fails by chance once in 26 million."""
    codes = (np.random.default_rng(47).random((20_000, 1)) < 0.3).astype(np.int32)
    table, mechanism = Dataset(Schema((Attribute("drug", ("no", "yes")),)), codes), build(name, (2,), [1.0])
    estimate = simulate(table, mechanism, rng=47).estimate(["drug"])
    assert (np.abs(estimate.shares - table.shares(["drug"])) < 5.5 * estimate.std_error()).all()
    for given in (np.random.default_rng(3), np.random.SeedSequence(3)):
        released = mechanism.sample(codes, rng=np.random.default_rng(3))
        np.testing.assert_array_equal(simulate(table, mechanism, rng=given).dataset.codes, released)


def test_what_is_erased_is_refused_by_name():
    schema = Schema(tuple(Attribute(name, ("no", "yes")) for name in ("age", "sex", "drug")))
    codes = np.random.default_rng(33).integers(0, 2, (100, 3))
    release = simulate(Dataset(schema, codes), Optimal.from_epsilon((2,) * 3, [0.5] * 3), rng=np.random.default_rng(0))
    with pytest.raises(NotIdentifiableError, match="association of 'drug' and 'age'"):
        release.estimate(["drug", "age"])
    with pytest.raises(InputError, match=r"^There is no attribute 'name'"):
        release.estimate(["name"])
    assert release.estimate(["drug"]).shares.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "n", "runs"),
    [
        ("optimal", 1500, 60),
        *(pytest.param(*each, 500, marks=pytest.mark.long) for each in (("independent", None), ("optimal", 1500))),
    ],
)
def test_repeats_are_unbiased_with_honest_error_bars(dataset, name, n, runs):
    """Releases of 1500 people. Bias: 12 z-tests beyond 5.5 standard errors (4e-8 each). Spread: a standard deviation over 500 runs
    varies by 3.2%, so 0.82..1.18 is 5.7 of them. Coverage of all cells together: 93..97%. Seeds are fixed."""
    mechanism, slack = build(name, SIZES, LEVELS), np.sqrt(500 / runs)
    truth = dataset.counts(NAMES) / dataset.n
    repeats = Repeats.collect(list(repeat_perturbation(dataset, mechanism, NAMES, runs, n=n, rng=np.random.default_rng(34))))
    matrix = oracles.marginalise(oracles.dense_mechanism(mechanism), SIZES, (2, 0))
    stated = np.sqrt(oracles.dense_variance(truth, matrix, 1500, population=n is not None))
    assert (np.abs(repeats.mean - truth) < 5.5 * stated / np.sqrt(runs)).all()
    np.testing.assert_allclose(repeats.shares.std(axis=0, ddof=1) / stated, 1, atol=0.18 * slack)
    assert abs(repeats.coverage - 0.95) <= 0.02 * slack


def test_people_may_be_more_or_fewer_than_the_table(dataset):
    runs = repeat_perturbation(dataset, build("independent", SIZES, LEVELS), ["q1"], 3, n=77, rng=np.random.default_rng(35))
    assert len(list(runs)) == 3
    with pytest.raises(InputError, match="The number of people is 0"):
        next(repeat_perturbation(dataset, build("independent", SIZES, LEVELS), ["q1"], 1, n=0, rng=np.random.default_rng(35)))


def test_repeats_by_hand(dataset):
    runs = Repeats(np.array([[0.5, 0.5], [0.3, 0.7], [0.1, 0.9]]), np.array([1.0, 0.5, 0.0]))
    np.testing.assert_allclose(runs.mean, [0.3, 0.7])
    np.testing.assert_allclose(runs.middle, [[0.11, 0.51], [0.49, 0.89]])
    assert runs.coverage == 0.5


def test_a_mechanism_for_another_table_is_refused():
    table = load_demo("titanic")
    with pytest.raises(InputError, match=r"4, 2, 2, 2 categories, .* 2, 2, 2, 4"):
        simulate(table, build("independent", (2, 2, 2, 4), [1.0] * 4), rng=np.random.default_rng(0))


@pytest.fixture(scope="module")
def people(dataset, tmp_path_factory):
    """Four files, each a piece, with a record that lacks an answer."""
    folder = tmp_path_factory.mktemp("people")
    for number in range(4):
        text = Dataset(dataset.schema, dataset.codes[number::4]).to_csv()
        (folder / f"{number}.csv").write_text(text + ("c0,,c1\n" if number == 2 else ""), encoding="utf-8")
    return Coded(open_stream(folder), coder(dataset.schema))


def test_a_simulation_is_the_same_for_any_number_of_workers(dataset, people):
    """Every count within five standard errors of what is expected: false alarms once in 100,000 runs, and the seed is fixed."""
    mechanism, wanted, results = build("preserving-3", SIZES, LEVELS), [NAMES, ("q1",)], []
    for workers in (0, 1, 3):
        written = []
        with ThreadPoolExecutor(workers or 1) as executor:
            found = simulate_counts(
                people,
                mechanism,
                wanted,
                rng=np.random.default_rng(3),
                write=written.append,
                executor=executor if workers else None,
            )
        results.append(np.concatenate(written))
        np.testing.assert_array_equal(results[-1], results[0])
        for names in wanted:
            np.testing.assert_array_equal(found.truth.of(names), dataset.counts(names))
            np.testing.assert_array_equal(found.released.of(names), Dataset(dataset.schema, results[-1]).counts(names))
            shares = mechanism.channel(dataset.schema.axes(names)).push(dataset.shares(names))
            away = found.released.of(names) - dataset.n * shares
            assert (np.abs(away) < 5 * np.sqrt(dataset.n * shares * (1 - shares))).all()
    rng = np.random.default_rng(3)
    first, second = (simulate_counts(people, mechanism, wanted, rng=rng).released.of(["q1"]) for _ in range(2))
    assert (first != second).any()


def test_a_table_in_which_nobody_answered_everything_is_refused(dataset, tmp_path):
    (tmp_path / "people.csv").write_text("q0,q1,q2\n,c0,c0\nc1,,c1\n")
    table = Coded(open_stream(tmp_path, header=True), coder(dataset.schema))
    with pytest.raises(InputError, match="No record has an answer to every question"):
        simulate_counts(table, build("preserving-3", SIZES, LEVELS), rng=np.random.default_rng(0))
