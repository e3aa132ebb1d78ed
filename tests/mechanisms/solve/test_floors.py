"""Floors over count vectors: every mu_T and every row against loops over sets of changes, and the spare mechanism by its own numbers."""

from itertools import combinations
from math import prod

import numpy as np
import pytest

from rrcore.channel.channels import SubsetChannel
from rrcore.channel.epsilon import retention_from_epsilon
from rrcore.errors import InputError
from rrcore.mechanisms.solve.countgrid import CountGrid, log_multiplicities
from rrcore.mechanisms.solve.floors import FlooredRows, Interactions
from tests import oracles

SIZES, LEVELS = (
    (3, 2, 3, 4, 2, 3),
    np.array([1.0, 0.5, 1.0, 2.0, 0.5, 1.0]),
)  # two kinds of three and two, and one attribute alone


def spread(grid, values):
    """Values over count vectors as probabilities over sets of changes, those with the same counts equally likely."""
    q = np.exp(np.log(values.reshape(grid.shape)) - log_multiplicities(grid.numbers))
    q = grid.expand(q)
    return SubsetChannel(SIZES, q / q.sum())


@pytest.fixture
def grid():
    return CountGrid(SIZES, LEVELS)


@pytest.mark.parametrize("width", [2, 3, 6])
def test_the_transform_gives_every_factor(grid, width):
    floors = Interactions(grid, width, 1.0)
    q = np.random.default_rng(1).random(grid.log_uniform.size) + 0.1
    slow = oracles.facts(spread(grid, q).probabilities, SIZES)[3]
    fast = floors.factors((q / q.sum()).reshape(grid.log_uniform.shape))
    r = retention_from_epsilon(LEVELS, SIZES)
    seen = set()
    for axes in (axes for w in range(width + 1) for axes in combinations(range(6), w)):
        counts = tuple(np.bincount(grid.kind[list(axes)], minlength=grid.numbers.size)) if axes else (0,) * grid.numbers.size
        (place,) = np.flatnonzero((floors.counts(range(fast.size)) == counts).all(axis=1))
        assert fast[place] == pytest.approx(slow[axes], abs=1e-14)
        assert floors.kronecker[place] == pytest.approx(prod(r[list(axes)]), rel=1e-13)
        assert floors.gamma[place] == (len(axes) >= 2)
        seen.add(place)
    assert len(seen) == (floors.order <= width).sum()


def test_rows_are_what_loops_over_lie_sets_give(grid, monkeypatch):
    """V_T - gamma less the V_i - 1 of its members, V_T = v_T / prod r_i: sums and products, written out and from means of products."""
    floors = Interactions(grid, 3, 0.9)
    rows, rng = FlooredRows(floors), np.random.default_rng(2)
    r, counts = retention_from_epsilon(LEVELS, SIZES), np.vstack([np.eye(3, dtype=np.int64), floors.counts(floors.wanted)])
    columns = np.full((len(counts), grid.log_uniform.size), np.nan)
    for axes in (axes for size in (1, 2, 3) for axes in combinations(range(6), size)):
        (n,) = np.flatnonzero((counts == np.bincount(grid.kind[list(axes)], minlength=3)).all(axis=1))
        assert rows.margin[n] == pytest.approx(1 if len(axes) == 1 else 0.9 - len(axes))
        means, number = np.zeros(grid.shape), np.zeros(grid.shape)
        for lies in oracles.lie_sets(6):  # the mean over the sets of changes of one count vector
            place = tuple(np.bincount(grid.kind, weights=lies, minlength=3).astype(int))
            means[place] += prod(-1 / (a - 1) if lie else 1.0 for a, lie in ((SIZES[i], lies[i]) for i in axes))
            number[place] += 1
        columns[n] = (means / number).ravel() / prod(r[list(axes)]) - (1 if len(axes) == 1 else 0.9)
    columns[3:] -= counts[3:] @ columns[:3]
    x, w = rng.random(len(columns)), rng.random(grid.log_uniform.shape)
    np.testing.assert_allclose(rows.tilt(x).ravel(), x @ columns, rtol=0, atol=1e-11)
    np.testing.assert_allclose(rows.values(w), columns @ w.ravel(), rtol=1e-12, atol=1e-12)
    monkeypatch.setattr("rrcore.mechanisms.solve.floors._WRITTEN_OUT", 0)
    for each in (rows, FlooredRows(floors)):
        np.testing.assert_allclose(each.second(w), (columns * w.ravel()) @ columns.T, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize(("k", "width"), [(13, 8), (20, 4)])
def test_floors_beyond_memory_or_time_are_refused(k, width):
    with pytest.raises(InputError, match=f"up to {width} attributes"):
        Interactions(CountGrid(range(2, k + 2), np.ones(k)), width, 1.0)


def test_any_multipliers_give_a_bound_below_the_optimum():
    rng = np.random.default_rng(4)
    for _ in range(5):
        sizes, epsilon = tuple(int(a) for a in rng.integers(2, 6, 3)), rng.uniform(0.3, 2, 3)
        grid = CountGrid(sizes, epsilon)
        floors = Interactions(grid, 3, 1.0)
        least = oracles.guarded_optimum(sizes, epsilon, [(axes, 1.0) for w in (2, 3) for axes in combinations(range(3), w)])
        rows = FlooredRows(floors)
        x = np.r_[rng.random(grid.numbers.size) * 4, rng.random(floors.wanted.size)]
        assert np.logaddexp(0, -rows.log_bound(x)) <= least + 1e-6


@pytest.mark.parametrize("theta", [0.2, 1.0])
def test_the_spare_mechanism_has_the_levels_and_room_above_every_floor(grid, theta):
    floors = Interactions(grid, 6, 1.0)
    q = np.exp(grid.log_uniform + floors.log_spare(theta).reshape(grid.log_uniform.shape))
    assert q.sum() == pytest.approx(1, abs=1e-13)
    np.testing.assert_allclose(spread(grid, q).epsilon, LEVELS, rtol=0, atol=1e-12)
    factors = floors.factors(q)
    np.testing.assert_allclose(factors, floors.spare_factors(theta), rtol=0, atol=1e-14)
    assert (factors > floors.kronecker * (1 + 1e-6))[floors.wanted].all()


def test_holding_mends_levels_and_floors(grid):
    """A mechanism with levels a little too high and floors a little broken: mended at a cost of the same size."""
    floors = Interactions(grid, 6, 1.0)
    r = np.random.default_rng(5).random(grid.log_uniform.size)
    kronecker = SubsetChannel.product(SIZES, [oracles.lie_rates(SIZES, LEVELS * (1 + 1e-6))[i] for i in range(6)])
    counts = np.zeros(grid.shape)
    for lies in oracles.lie_sets(6):
        counts[tuple(np.bincount(grid.kind, weights=lies, minlength=3).astype(int))] += kronecker.probabilities[lies]
    logs = np.log(counts) - grid.log_uniform.reshape(grid.shape) + 1e-6 * r.reshape(grid.shape)
    found = floors.lifted(grid.with_levels(logs))
    q = np.exp(grid.log_uniform + found.reshape(grid.log_uniform.shape))
    epsilon = spread(grid, q).epsilon
    assert (epsilon <= LEVELS).all()
    np.testing.assert_allclose(epsilon, LEVELS, rtol=0, atol=1e-10)
    assert (floors.factors(q) / q.sum() >= floors.kronecker * (1 - 1e-9))[floors.wanted].all()
    assert np.ptp(found) == pytest.approx(np.ptp(logs), abs=1e-3)
