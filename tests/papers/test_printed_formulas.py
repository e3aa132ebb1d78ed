"""What two papers print: matrices, truncation, thresholds and bounds, and every figure of the Castell paper's appendix B."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.channel import invert_each_axis
from rrcore.errors import InputError
from rrcore.limits import MAX_MATRIX_CELLS
from rrcore.mechanisms import Kronecker
from rrcore.papers.printed_formulas import (
    published_absolute_error,
    published_choice,
    published_independent_bound,
    published_independent_mse,
    published_joint_bound,
    published_naive_inversion,
    published_reduced_inversion,
    published_relative_error,
    published_thresholds,
    published_truncation,
)
from tests.estimate.coverage import random_table


@pytest.mark.parametrize("sizes", [(2,), (3, 4), (2, 3, 5), (4, 2, 3, 2)])
def test_castell_is_reduced_is_naive(sizes):
    rng = np.random.default_rng(sum(sizes))
    table, kept = random_table(sizes, rng), rng.uniform(0.05, 0.95, len(sizes))
    np.testing.assert_allclose(invert_each_axis(table, kept), published_naive_inversion(table, kept), rtol=0, atol=1e-10)
    np.testing.assert_allclose(invert_each_axis(table, kept), published_reduced_inversion(table, kept), rtol=0, atol=1e-10)


def test_matrices_refuse_large_tables():
    for invert_slowly in (published_naive_inversion, published_reduced_inversion):
        with pytest.raises(InputError, match=f"at most {MAX_MATRIX_CELLS:,} cells"):
            invert_slowly(np.zeros((MAX_MATRIX_CELLS + 1,)), np.array([0.5]))


def test_truncation_cell_by_cell():
    sizes = (2, 3, 2)
    mechanism = Kronecker.from_epsilon(sizes, (0.8, 1.0, 0.9))
    channel = mechanism.channel([0, 1, 2])
    released = np.random.default_rng(7).multinomial(40, np.full(12, 1 / 12)).reshape(sizes) / 40
    found = published_truncation(released, channel)
    whole = invert_each_axis(released, channel.retentions)
    assert (whole < 0).any()
    for cell in product(*(range(a) for a in sizes)):
        limits = [max(0.0, whole[cell])]
        for axes in combinations(range(3), 2):
            gone = ({0, 1, 2} - set(axes)).pop()
            below = invert_each_axis(released.sum(axis=gone), channel.retentions[list(axes)])
            limits.append(max(0.0, below[tuple(cell[i] for i in axes)]))
        assert found[cell] == pytest.approx(min(limits), abs=1e-14)


def test_published_thresholds_are_one_inequality_solved_twice():
    """Where n = n*, the level is eps*; w* of Table III (n = 32,561, d = 16) is the printed 1.374."""
    for d, w, eps in [(16, 2, 4.0), (5, 3, 6.0), (7, 4, 20.0)]:
        people, _, _ = published_thresholds(d, w, n=1000, eps=eps)
        assert published_thresholds(d, w, n=round(people), eps=eps)[1] == pytest.approx(eps, abs=1e-3)
        assert published_choice((d,) * w, (eps / w,) * w, int(people) + 1)
        assert not published_choice((d,) * w, (eps / w,) * w, int(people) - 1)
    assert published_thresholds(16, 2, n=32_561, eps=4.0)[2] == pytest.approx(1.374, abs=5e-4)
    assert published_thresholds(16, 3, n=100, eps=1.0)[1] == np.inf


def test_printed_bounds_by_hand():
    assert published_independent_mse(0.5, 10) == pytest.approx(0.025)
    assert published_independent_bound((2, 2)) == pytest.approx(0.25)
    assert published_independent_bound((3, 16)) == pytest.approx(1 / 16 - 1 / 256)
    by_hand = (1 + 15 / np.exp(2)) ** 2 * 256 / 32_561
    assert published_joint_bound((16, 7), (2.0, 2.0), 32_561) == pytest.approx(by_hand)


def test_frequency_errors_have_the_stated_confidence():
    """Eq. (5) of the Multi-Dimensional RR paper at 95%: over 2,000 multinomial samples no cell is off by more in 95% (less 3 s.e.)."""
    shares, n, rng = np.array([0.5, 0.3, 0.15, 0.05]), 400, np.random.default_rng(11)
    bound = np.sqrt(chi2.isf(0.05 / 4, 1) * shares * (1 - shares) / n)
    assert published_absolute_error(shares, n) == pytest.approx(bound.max())
    assert published_relative_error(shares, n) == pytest.approx((bound / shares).max())
    off = np.abs(rng.multinomial(n, shares, size=2000) / n - shares)
    held = (off <= bound).all(axis=1).mean()
    assert 0.95 - 3 * np.sqrt(0.05 * 0.95 / 2000) <= held < 0.995
    assert published_relative_error(np.array([0.5, 0.5, 0.0]), 10) == np.inf
