"""The test of independence on clustered samples: its size, and that it is the chi-square where the sample is simple."""

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.channel import ProductChannel
from rrcore.dependence.independence import independence_of
from rrcore.estimate import Sample, tally
from rrcore.estimate.inversion import estimate_marginal, estimate_tally
from rrcore.mechanisms import build
from tests.estimate.sample.drawing import FORCED, THREE, report

CHANCE = 1e-4
SIDE = ProductChannel((2, 3), (FORCED, THREE), ((0,), (1,)))
COUPLED = build("pair-safe", (2, 3), (2.0, 2.0)).marginal_channel((0, 1))


def through(channel, answers, rng):
    """Codes of randomised answers, shape (n, 2), to true cells ``answers``."""
    cells = int(np.prod(channel.report_sizes))
    matrix = channel.push(np.eye(6).reshape(2, 3, 6)).reshape(cells, 6).T
    where = (rng.random(answers.shape)[:, None] > matrix.cumsum(axis=1)[answers][:, :-1]).sum(axis=1)
    return np.stack(np.unravel_index(where, channel.report_sizes), axis=1)


@pytest.mark.parametrize("channel", [SIDE, COUPLED], ids=["side by side", "coupled"])
def test_of_a_simple_sample_it_is_the_chi_square(channel):
    rng = np.random.default_rng(1)
    codes = through(channel, rng.integers(0, 6, 3000), rng)
    counts = np.zeros((2, 3), dtype=np.int64)
    np.add.at(counts, tuple(codes.T), 1)
    plain, same = (
        independence_of(estimate_marginal(counts, channel)),
        independence_of(estimate_tally(tally(codes, (2, 3), Sample(np.ones(3000))), channel)),
    )
    assert same.freedom == plain.freedom == 2
    assert same.statistic == pytest.approx(plain.statistic, rel=0.01)
    assert same.p_value == pytest.approx(plain.p_value, abs=0.01)
    assert same.v == pytest.approx(plain.v, abs=0.003)


@pytest.mark.parametrize("runs", [pytest.param(150, marks=pytest.mark.slow), pytest.param(2500, marks=pytest.mark.long)])
@pytest.mark.parametrize("channel", [SIDE, COUPLED], ids=["side by side", "coupled"])
def test_size_is_right_on_clusters(channel, runs):
    """Independent in the population; members of a cluster often give the same two answers, so that 60 clusters of 15 say little.

    Unequal weights, two strata. Without correction the test would be wrong far more often than 5 %.
    """
    rng = np.random.default_rng(2)
    product = np.multiply.outer([0.4, 0.6], [0.5, 0.3, 0.2]).ravel()
    clusters = np.repeat(np.arange(60), 15)
    sample = Sample(np.where(clusters % 2, 3.0, 1.0), strata=clusters // 30, clusters=clusters)
    wrong = naive = 0
    for _ in range(runs):
        own, shared = rng.choice(6, 900, p=product), rng.choice(6, 60, p=product)
        answers = np.where(rng.random(900) < 0.7, shared[clusters], own)
        codes = through(channel, answers, rng)
        found = independence_of(estimate_tally(tally(codes, (2, 3), sample), channel))
        wrong += found.p_value < 0.05
        counts = np.zeros((2, 3), dtype=np.int64)
        np.add.at(counts, tuple(codes.T), 1)
        naive += independence_of(estimate_marginal(counts, channel)).p_value < 0.05
    assert binom.ppf(CHANCE, runs, 0.04) <= wrong <= binom.ppf(1 - CHANCE, runs, 0.06)
    assert naive > 2 * wrong


def test_dependence_is_found_on_clusters():
    rng = np.random.default_rng(3)
    table = np.array([[0.3, 0.05, 0.05], [0.1, 0.2, 0.3]]).ravel()
    codes = through(SIDE, rng.choice(6, 1500, p=table), rng)
    sample = Sample(rng.uniform(1, 2, 1500), clusters=np.arange(1500) // 10)
    found = independence_of(estimate_tally(tally(codes, (2, 3), sample), SIDE))
    low, high = found.v_interval()
    expected = np.sqrt(
        ((table.reshape(2, 3) - np.outer([0.4, 0.6], [0.4, 0.25, 0.35])) ** 2 / np.outer([0.4, 0.6], [0.4, 0.25, 0.35])).sum()
    )
    assert found.p_value < 1e-6
    assert low < expected < high


def test_reports_are_drawn_by_the_channel():
    rng = np.random.default_rng(4)
    drawn = np.bincount(report(np.full(20_000, 2), THREE, rng), minlength=3) / 20_000
    np.testing.assert_allclose(drawn, THREE.matrix[2], atol=0.015)
