"""The chi-square example: the statistic against scipy, errors against multinomial draws, and the authors' printed numbers."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from rrcore.budget import epsilon_for_total
from rrcore.mechanisms import Kronecker
from rrcore.papers.checks import Run
from rrcore.papers.optimized import PUBLISHED_DIFFERENCES, chi_square, chi_square_errors, figures_1_and_2, published_peers


def draw_tables(k, people, rng):
    """2N alleles in four cells, each cell a binomial part of what is left."""
    tables = []
    for _ in range(k):
        a = rng.binomial(2 * people, 1 / 3)
        b = rng.binomial(2 * people - a, 1 / 3)
        c = rng.binomial(2 * people - a - b, 2 / 5)
        tables.append([a, b, c, 2 * people - a - b - c])
    return np.array(tables)


def pearson(table):
    return chi2_contingency(np.reshape(table, (2, 2)), correction=False).statistic


def test_statistic_is_pearsons():
    rng = np.random.default_rng(63)
    tables = rng.integers(1, 500, (50, 4))
    np.testing.assert_allclose(chi_square(tables), [pearson(table) for table in tables], rtol=1e-10)


@pytest.mark.parametrize("table", [(0, 0, 3, 4), (3, 4, 0, 0), (0, 5, 0, 6), (5, 0, 6, 0), (0, 0, 0, 9)])
def test_statistic_is_zero_for_an_empty_row_or_column(table):
    assert chi_square(np.array([table, (1, 2, 3, 5)]))[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [(0.4, 1.5), (2.5, 4.0)])
def test_errors_are_those_of_multinomial_draws(epsilon):
    """150 runs each way; the means stay within 4.5 standard errors (false alarm 7e-6 a comparison)."""
    people, runs, rng = 150, 150, np.random.default_rng(64)
    (found,) = chi_square_errors([Kronecker.from_epsilon((4, 4), epsilon)], rng=rng, people=people, runs=runs)
    slow = np.zeros(runs)
    for run in range(runs):
        for table, eps in zip(draw_tables(2, people, rng), epsilon, strict=True):
            p = np.exp(eps) / (np.exp(eps) + 3)
            matrix = np.full((4, 4), (1 - p) / 3) + ((4 * p - 1) / 3) * np.eye(4)
            released = sum(rng.multinomial(count, row) for count, row in zip(table, matrix, strict=True))
            slow[run] += abs(pearson(released) - pearson(table)) / 2
    assert abs(found.mean() - slow.mean()) < 4.5 * np.hypot(found.std(), slow.std()) / np.sqrt(runs)


def test_at_equal_totals_the_optimum_beats_kronecker():
    weights = np.array([2.0, 1.8, 1.5, 1.2, 1.0])
    made = [epsilon_for_total((4,) * 5, 10.0, weights, mechanism=key).mechanism for key in ("independent", "optimal")]
    kronecker, optimum = chi_square_errors(made, rng=np.random.default_rng(66), runs=20).mean(axis=1)
    assert optimum < 0.6 * kronecker


def test_published_peers_have_equal_totals_and_ratios():
    heuristic, kronecker = published_peers(30, rng=np.random.default_rng(67))
    assert heuristic.sizes == kronecker.sizes == (4,) * 30
    assert ((heuristic.requested >= 3) & (heuristic.requested < 5)).all()
    assert kronecker.epsilon_total == pytest.approx(heuristic.epsilon_total, abs=1e-9)
    np.testing.assert_allclose(kronecker.epsilon / kronecker.epsilon[0], heuristic.epsilon / heuristic.epsilon[0], rtol=1e-9)


@pytest.mark.long
def test_published_differences_are_those_of_the_last_snp():
    """10 to 100 SNPs, 10 runs each. Over the ten sizes the published means are 20.0 and 62.2; the printed code gives 22 and 64 here.

    As the text describes it, the heuristic's difference is near 12: not "almost less than half" of Kronecker's but a fifth.
    """
    printed, right = [], []
    for k in PUBLISHED_DIFFERENCES:
        for run in range(10):
            rng = np.random.default_rng([k, run])
            peers = published_peers(k, rng=rng)
            tables = draw_tables(k, 1000, rng)
            last = np.repeat(np.arange(4, dtype=np.int32), tables[-1])
            released = [peer.sample(np.tile(last[:, None], k), rng=rng) for peer in peers]
            counts = [np.array([np.bincount(column, minlength=4) for column in table.T]) for table in released]
            printed.append([np.abs(chi_square(table) - chi_square(tables)).mean() for table in counts])
            right.append(chi_square_errors(peers, rng=rng, runs=1)[:, 0])
    published = np.mean(list(PUBLISHED_DIFFERENCES.values()), axis=0)
    # 50 runs there, each with a standard deviation of 7
    np.testing.assert_allclose(np.mean(printed, axis=0), published, rtol=0, atol=4)
    assert np.mean(right, axis=0)[0] < 14
    assert np.mean(right, axis=0)[0] < 0.25 * np.mean(right, axis=0)[1]


@pytest.mark.slow
def test_few_repeats_suffice_for_figures():
    found = list(figures_1_and_2(Run(np.random.default_rng(0), 0.01)))
    assert len(found) > 20
    assert all(np.isfinite(one.measured) for one in found)
