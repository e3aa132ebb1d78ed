"""P-values of counts: against sums over all counts, and no smaller than they should be far out in the tail."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import chisquare, multinomial

from rrcore.audit.fit import fits, often


@pytest.mark.parametrize(("hits", "n", "p"), [(7, 20, 0.5), (0, 50, 0.1), (49, 50, 0.9), (3, 10, 0.0), (10, 10, 1.0)])
def test_two_sided_binomial(hits, n, p):
    """Twice the smaller tail, summed term by term."""
    pmf = [comb(n, h) * p**h * (1 - p) ** (n - h) for h in range(n + 1)]
    assert float(often(hits, n, p)) == pytest.approx(min(1, 2 * min(sum(pmf[: hits + 1]), sum(pmf[hits:]))), rel=1e-9, abs=1e-15)


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


def every_count(n, cells):
    """All ways to put n into so many cells."""
    bars = np.array(list(combinations(range(n + cells - 1), cells - 1)))
    ends = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), n + cells - 1)])
    return np.diff(ends, axis=1) - 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "shares"), [(40, [0.6, 0.3, 0.1]), (40, [0.25, 0.25, 0.5]), (60, [0.8, 0.12, 0.08]), (20, [0.25] * 4)]
)
def test_p_values_hold_far_out_in_the_tail(n, shares):
    """Exactly, over all counts: a p-value of one in ten to one in ten million is too small by at most 1.7 times."""
    counts = every_count(n, len(shares))
    p, chance = np.array([fits(one, shares) for one in counts]), multinomial.pmf(counts, n, shares)
    for power in range(1, 8):
        assert chance[p <= 10.0**-power].sum() <= 1.7 * 10.0**-power
    assert chance[p <= 0.1].sum() > 0.04
