"""P-values of counts: against sums over all counts, and no smaller than they should be far out in the tail."""

from math import comb

import numpy as np
import pytest
from scipy.stats import binom, binomtest, chisquare

from rrcore.audit.fit import fits, often


@pytest.mark.parametrize(("hits", "n", "p"), [(7, 20, 0.5), (0, 50, 0.1), (49, 50, 0.9), (3, 10, 0.0), (10, 10, 1.0)])
def test_two_sided_binomial(hits, n, p):
    """Twice the smaller tail, summed term by term."""
    pmf = [comb(n, h) * p**h * (1 - p) ** (n - h) for h in range(n + 1)]
    assert float(often(hits, n, p)) == pytest.approx(min(1, 2 * min(sum(pmf[: hits + 1]), sum(pmf[hits:]))), rel=1e-9, abs=1e-15)
    if 0 < p < 1:
        assert float(often(hits, n, p)) >= 0.99 * binomtest(hits, n, p).pvalue * (0.3)


def test_close_to_the_ordinary_chi_square_where_counts_are_large():
    rng = np.random.default_rng(0)
    p = np.array([0.1, 0.2, 0.3, 0.4])
    for _ in range(20):
        counts = rng.multinomial(100_000, p)
        assert fits(counts, p) == pytest.approx(chisquare(counts, 100_000 * p).pvalue, abs=0.01)


def test_what_cannot_be_and_what_nobody_counted():
    assert fits([10, 1], [1.0, 0.0]) == 0
    assert fits([0, 0], [0.5, 0.5]) == 1
    assert fits([5, 0], [1.0, 0.0]) == 1


def test_rare_cells_are_pooled():
    """Ten cells expected once each are one cell; two cells are left, and the test is the exact one."""
    counts, p = np.array([0] * 9 + [12, 988]), np.array([0.001] * 10 + [0.99])
    assert fits(counts, p) == pytest.approx(float(often(988, 1000, 0.99)))


@pytest.mark.slow
@pytest.mark.parametrize("shares", [[0.9, 0.05, 0.03, 0.02], [0.25] * 4, [0.6, *[0.02] * 20]])
@pytest.mark.parametrize("n", [60, 1000])
def test_p_values_are_small_no_more_often_than_they_say(shares, n):
    """4,000 draws, at 1 in 10, 100 and 1,000; a draw may be 15 % too optimistic, which bounds the excess (false alarm 1e-4)."""
    rng = np.random.default_rng(5)
    draws, times = np.unique(rng.multinomial(n, shares, size=4_000), axis=0, return_counts=True)
    p = np.array([fits(counts, shares) for counts in draws])
    for alpha in (0.1, 0.01, 0.001):
        assert times[p <= alpha].sum() <= binom.isf(1e-4, 4_000, 1.15 * alpha)
