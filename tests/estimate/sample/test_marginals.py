"""Joint distributions of coupled answers on samples that are not simple: coverage of every cell, all at once, and of shares in groups."""

from dataclasses import replace

import numpy as np
import pytest

import rrcore as rr
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.estimate import Sample, conditional_shares
from rrcore.estimate.estimate import invert_tally
from rrcore.estimate.sample import tally
from tests.estimate.sample.drawing import THREE, estimate, slow_variance

SIZES = (3, 2, 2)
TRUTH = np.random.default_rng(5).dirichlet(np.full(12, 1.5)).reshape(SIZES)


def draw(rng, channel, matrix, n=1500):
    """Clusters of 10 with unequal weights, whose people share a cell with probability 0.3; who has a large weight is a matter of the cell."""
    clusters = np.repeat(np.arange(n // 10), 10)
    heavy = np.where(
        np.arange(12) % 2, 0.3, 0.6
    )  # part of each cell's people that is asked with a third of the others' probability
    asked = TRUTH.ravel() * (1 - heavy + heavy / 3)
    people, shared = (rng.choice(12, size, p=asked / asked.sum()) for size in (n, n // 10))
    cells = np.where(rng.random(n) < 0.3, shared[clusters], people)
    weights = np.where(rng.random(n) < (heavy / 3 / (1 - heavy + heavy / 3))[cells], 3.0, 1.0)
    reported = (rng.random(n)[:, None] > matrix.cumsum(axis=1)[cells][:, :-1]).sum(axis=1)
    codes = np.stack(np.unravel_index(reported, SIZES), axis=1)
    return invert_tally(tally(codes, SIZES, Sample(weights, clusters=clusters)), channel)


@pytest.mark.parametrize("runs", [25, pytest.param(500, marks=pytest.mark.long)])
def test_joint_distributions_are_covered(runs):
    channel = build("preserving-2", SIZES, (2.0, 2.0, 1.5)).channel((0, 1, 2))
    matrix = channel.push(np.eye(12).reshape(*SIZES, 12)).reshape(12, 12).T
    rng, held, together, within, off = np.random.default_rng(6), np.zeros(SIZES), 0, [], np.zeros(SIZES)
    group = TRUTH / TRUTH.sum(axis=(1, 2), keepdims=True)
    for _ in range(runs):
        found = draw(rng, channel, matrix)
        low, high = found.interval(population=True)
        held += (low <= TRUTH) & (high >= TRUTH)
        low, high = found.interval(population=True, simultaneous=True)
        together += bool(((low <= TRUTH) & (high >= TRUTH)).all())
        part = conditional_shares(found, [0])
        low, high = part.conf_low.reshape(SIZES), part.conf_high.reshape(SIZES)
        within.append(np.where(np.isnan(low), np.nan, (low <= group) & (high >= group)))
        off += found.shares - TRUTH
        last = found
    error = 3.9 * last.std_error(population=True).max() / np.sqrt(runs)
    assert np.abs(off / runs).max() < 1.2 * error
    slack = 3.9 * np.sqrt(0.05 * 0.95 / runs / 4)  # the twelve cells of a run say about as much as four of their own would
    assert 0.93 - slack <= held.mean() / runs <= 0.97 + slack
    assert 0.93 - slack <= np.nanmean(within) <= 0.97 + slack
    assert together / runs >= 0.93 - 2 * slack


@pytest.mark.parametrize(("clusters", "factors"), [(3, 3), (10, 2), (30, 2)])
def test_few_clusters_and_many_cells_are_counted_the_same_way(clusters, factors):
    """As many as cells, more, and more than make a table of all cells and clusters no larger than the records."""
    rng = np.random.default_rng(7)
    sample = Sample(rng.uniform(1, 3, 60), clusters=np.repeat(np.arange(clusters), 60 // clusters))
    reported = rng.integers(0, 3, 60)
    found = estimate(reported, sample, THREE)
    assert found.spread.factors.shape == (3, factors)
    np.testing.assert_allclose(found.spread.cell_variances(THREE), np.diag(slow_variance(reported, sample, THREE)), rtol=1e-9)


def test_too_many_clusters_by_too_many_cells_are_refused():
    sizes = (30, 30, 30)
    codes = np.random.default_rng(8).integers(0, 30, (10_000, 3))
    with pytest.raises(InputError, match=r"27,000.* 5,000 clusters"):
        tally(codes, sizes, Sample(np.ones(10_000), clusters=np.arange(10_000) // 2))


def test_a_marginal_is_counted_once_by_one_sample_and_anew_by_another(monkeypatch):
    rng, counted = np.random.default_rng(9), []
    monkeypatch.setattr("rrcore.estimate.release.tally", lambda *given: counted.append(given[2]) or tally(*given))
    titanic = rr.load_demo("titanic")
    weights = rng.uniform(1, 3, titanic.n)
    release = replace(
        rr.simulate(titanic, build("preserving-2", titanic.schema.sizes, [2.0] * 4), rng=rng), sample=Sample(weights)
    )
    first = release.estimate(["Sex", "Survived"])
    again = release.estimate(["Sex", "Survived"])
    assert counted == [release.sample]
    np.testing.assert_array_equal(first.shares, again.shares)
    other = replace(release, sample=Sample(1 / weights))
    assert np.abs(other.estimate(["Sex", "Survived"]).shares - first.shares).max() > 1e-4
    release.estimate(["Survived", "Sex"])
    assert counted == [release.sample, other.sample, release.sample]


def test_a_release_with_other_records_counts_these():
    titanic = rr.load_demo("titanic")
    release = rr.simulate(titanic, build("preserving-2", titanic.schema.sizes, [2.0] * 4), rng=np.random.default_rng(10))
    assert release.counts(["Sex"]).sum() == titanic.n
    fewer = replace(release, data=rr.Dataset(titanic.schema, release.dataset.codes[:100]))
    assert fewer.counts(["Sex"]).sum() == 100
