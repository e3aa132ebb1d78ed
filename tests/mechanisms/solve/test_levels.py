"""The optimum over up to 20 attributes: against a plain program, exact sums, and its own certificate."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.channel.epsilon import retention_from_epsilon
from rrcore.mechanisms import Optimal
from rrcore.mechanisms.solve.countgrid import CountGrid, count_of_vectors
from rrcore.mechanisms.solve.dual import DualPoint, Tilted, log_dual_value, sharpened
from tests import oracles


def solve(sizes, epsilon, **options):
    """The sets of randomized attributes, and the bound."""
    found = Optimal.from_epsilon(tuple(sizes), epsilon, **options)
    assert found.subsets.probabilities.min() > 0
    return found.subsets, found.bound


def certified(sizes, epsilon, within=1e-8):
    """Levels met and never exceeded, and the total within reach of the bound."""
    found, bound = solve(sizes, epsilon)
    assert (found.epsilon <= epsilon + 1e-11).all()
    np.testing.assert_allclose(found.epsilon, epsilon, rtol=0, atol=1e-8)
    assert found.epsilon_total <= np.sum(epsilon) + 1e-9
    assert bound - 1e-10 <= found.epsilon_total <= bound + within
    return found, bound


def random_instance(seed, k, low, high):
    rng = np.random.default_rng(seed)
    return rng.integers(2, 6, k), rng.uniform(low, high, k)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [(1.0, 10.0), (0.1, 3.0)], ids=["weak", "strong"])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.long
def test_certified_at_13_to_16_attributes(seed, epsilon):
    certified(*random_instance(seed, 13 + (seed == 0) + 2 * (seed == 1), *epsilon))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "low", "high"), [(0, 1.0, 10.0), (1, 0.1, 3.0)])
@pytest.mark.long
def test_certified_at_20_attributes(seed, low, high):
    certified(*random_instance(seed, 20, low, high))


@pytest.mark.slow
@pytest.mark.parametrize(("k", "size", "level"), [(13, 3, 1.0), (20, 4, 1.0), (20, 2, 0.05), (20, 5, 6.0)])
def test_identical_attributes_have_an_optimum_that_can_be_added_up(k, size, level):
    """One row: phi = 1 exactly where fewer than k (1 - p) lie, so c k d = E_U[(k (1 - p) - lies)_+]."""
    found, _ = certified((size,) * k, np.full(k, level))
    lie = (size - 1) / (np.exp(level) + size - 1)
    m = np.arange(k + 1)
    c = binom.pmf(m, k, 1 - 1 / size) @ np.maximum(k * lie - m, 0) / (k * (1 - 1 / size - lie))
    assert found.epsilon_total == pytest.approx(np.log1p(1 / c), abs=1e-8)
    flat = found.probabilities.ravel()
    np.testing.assert_allclose(flat[1 << np.arange(k)], flat[1], rtol=1e-9)  # every single lie is as likely


@pytest.mark.parametrize("spread", [1e-3, 1e-9, 1e-13])
def test_attributes_that_are_nearly_identical_tie_by_the_thousand(spread):
    rng = np.random.default_rng(3)
    epsilon = 1 + spread * rng.random(14)
    found, bound = certified((4,) * 14, epsilon)
    low, high = (solve((4,) * 14, np.full(14, each))[1] for each in (epsilon.min(), epsilon.max()))
    assert low - 1e-9 <= bound <= found.epsilon_total <= high + 1e-8  # a total grows with every level


@pytest.mark.slow
def test_many_ties_that_are_not_symmetric():
    """Sizes 2 to 5 at levels 1 to 1.001: the sets with 8 lies of 17 attributes tie, 24,310 in all."""
    certified(*random_instance(4, 18, 1.0, 1.001))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 8])
def test_levels_up_to_30_are_met_and_the_gap_is_small(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(13, 17))
    certified(rng.integers(2, 30, k), rng.uniform(0.01, 30, k), within=1e-3)


@pytest.mark.slow
def test_order_of_the_attributes_does_not_matter():
    sizes, epsilon = random_instance(5, 13, 0.5, 4.0)
    first, bound = solve(sizes, epsilon)
    order = np.random.default_rng(6).permutation(13)
    again, other = solve(sizes[order], epsilon[order])
    assert other == bound
    np.testing.assert_allclose(again.probabilities, first.probabilities.transpose(order), rtol=1e-13)


def test_grid_of_counts_has_the_sums_of_all_lie_sets():
    """U, f, the pair gain and their sums against 2^k terms, two kinds of three and two and one attribute alone."""
    sizes, epsilon = (3, 2, 3, 4, 2, 3), np.array([1.0, 0.5, 1.0, 2.0, 0.5, 1.0])
    grid = CountGrid(sizes, epsilon)
    assert count_of_vectors(sizes, epsilon) == 3 * 4 * 2 == grid.log_uniform.size
    uniform, f, d = oracles.terms(sizes, epsilon)
    direction = np.array([0.3, -1.0, 0.7])
    each = direction[grid.kind]
    assert grid.margin @ direction == pytest.approx(each @ d, abs=1e-14)
    tilt = grid.tilt(direction)
    np.testing.assert_allclose(grid.expand(tilt.reshape(grid.shape)).ravel(), each @ f, rtol=0, atol=1e-14)
    weights = np.exp(grid.log_uniform) * tilt**2
    np.testing.assert_allclose(weights.sum(), uniform @ (each @ f) ** 2, rtol=1e-13)
    sums = np.array([f[grid.kind == t].sum(axis=0) for t in range(3)])
    np.testing.assert_allclose(grid.first(weights), sums @ (uniform * (each @ f) ** 2), rtol=1e-12)
    lying = np.array(oracles.lie_sets(6))
    kept = np.where(lying == 1, -1 / (np.array(sizes) - 1), 1.0) / retention_from_epsilon(epsilon, sizes)
    gain = sum(kept[:, i] * kept[:, j] for i in range(6) for j in range(i))
    np.testing.assert_allclose(grid.expand(grid.pair_gain.reshape(grid.shape)).ravel(), gain, rtol=0, atol=1e-11)
    assert log_dual_value(grid, direction * np.sign(each @ d)) == pytest.approx(
        -np.log(np.expm1(oracles.dual_value(sizes, epsilon, each * np.sign(each @ d)))), abs=1e-12
    )
    assert log_dual_value(grid, -direction * np.sign(each @ d)) == np.inf


@pytest.mark.parametrize("scale", [0.3, 4.0, 1e3, 1e12])
@pytest.mark.parametrize("epsilon", [(1.0, 0.5, 1.0, 2.0, 0.5, 1.0, 1.0), (9.0, 22.0, 9.0, 0.02, 22.0, 9.0, 17.0)])
def test_sums_that_run_along_sorted_halves_are_those_over_all_lie_sets(epsilon, scale):
    """(x.f)_+, the smoothed dual with its slopes and curvature, and the vectors near x.f = 0: by 2^k terms."""
    sizes = (3, 2, 3, 4, 2, 3, 5)
    grid = CountGrid(sizes, epsilon)
    direction = scale * np.array([0.31, -0.2, 0.7, 1.3])
    uniform, f, _ = oracles.terms(sizes, np.array(epsilon))
    sums = np.array([f[grid.kind == t].sum(axis=0) for t in range(4)])
    z = direction @ sums
    tilted = Tilted(grid, direction)
    assert np.exp(tilted.log_hinge) == pytest.approx(uniform @ np.maximum(z, 0), rel=1e-11)
    for least in (0.0, 0.4 * scale):
        found, log_unit = tilted.above(least)
        np.testing.assert_allclose(found * np.exp(log_unit), sums @ (uniform * (z > least)), rtol=1e-11, atol=1e-14)
    fading = np.exp(-np.abs(z)) / 2
    value = uniform @ (np.maximum(z, 0) + fading)
    at = DualPoint(grid, direction)
    assert at.log_value == pytest.approx(np.log(value), abs=1e-11)
    np.testing.assert_allclose(
        at.gradient, sums @ (uniform * np.where(z > 0, 1 - fading, fading)) / value, rtol=1e-10, atol=1e-13
    )
    expected = (sums * (uniform * fading)) @ sums.T / value
    size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    np.testing.assert_allclose(
        at.curvature / (size + 1e-300), expected / (size + 1e-300), rtol=0, atol=1e-3 if scale > 1e11 else 1e-9
    )
    here = np.abs(direction @ grid.columns(np.arange(grid.log_uniform.size)))
    assert tilted.furthest == pytest.approx(here.max(), rel=1e-14)
    for number in (1, 5, 20, grid.log_uniform.size + 1):
        near = tilted.nearest(number)
        np.testing.assert_allclose(np.sort(here[near]), np.sort(here)[:number], rtol=1e-9, atol=1e-12 * scale)
        assert np.unique(near).size == near.size
    middle = float(np.median(here))
    np.testing.assert_array_equal(np.sort(tilted.within(middle * 1.001)), np.flatnonzero(here <= middle * 1.001))
    assert tilted.count(middle * 1.001) == np.count_nonzero(here <= middle * 1.001)


def test_smoothed_dual_is_stationary_at_every_sharpness():
    """E_U[phi f] is proportional to d, by sums over all sets of changes."""
    sizes, epsilon = random_instance(7, 6, 0.5, 4.0)
    uniform, f, d = oracles.terms(sizes, epsilon)
    grid = CountGrid(sizes, epsilon)
    order = np.lexsort((epsilon, sizes))
    done = 0
    for sharp, at, settled in sharpened(grid):
        if not settled or sharp > 0.3:
            continue
        each = np.empty(6)
        each[order] = at.x
        z = each @ f
        phi = np.where(z > 0, 1 - np.exp(-np.abs(z)) / 2, np.exp(-np.abs(z)) / 2)
        ratio = f @ (uniform * phi) / d
        np.testing.assert_allclose(ratio, ratio.mean(), rtol=0.02)
        done += 1
    assert done >= 2


_UNLIKE = (5, 5, 3, 4, 6, 2, 2, 4, 7, 3, 6, 6, 3, 3, 8, 2, 4)
_CLOSE = (2.09, 2.12, 2.46, 2.14, 2.26, 2.05, 2.05, 2.37, 2.44, 2.23, 2.3, 2.33, 2.41, 2.31, 2.1, 2.2, 2.47)


@pytest.mark.slow
@pytest.mark.long
def test_the_optimum_does_not_depend_on_the_threads_that_numpy_has():
    """With one thread sums come out in another order: what that changes in the last digits must not decide whether there is a bound."""
    cases = [((3,) * 20, tuple(np.linspace(0.5, 1.5, 20).tolist())), (_UNLIKE, _CLOSE)]
    code = f"from rrcore.mechanisms import Optimal\nfor case in {cases}: m = Optimal.from_epsilon(*case); print(m.epsilon_total, m.gap)"
    other = "2" if os.environ["OMP_NUM_THREADS"] == "1" else "1"  # of this process, as tests/conftest.py has it
    names = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), other)
    ran = subprocess.run([sys.executable, "-c", code], env=os.environ | names, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    for case, reported in zip(cases, ran.stdout.splitlines(), strict=True):
        here, (total, gap) = Optimal.from_epsilon(*case), map(float, reported.split())
        assert max(gap, here.gap) <= 1e-8, case
        assert total == pytest.approx(here.epsilon_total, abs=1e-9), case
