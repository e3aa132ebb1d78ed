"""Appendix B of the Castell paper: every figure of its worked example."""

import numpy as np
import pytest

from rrcore.channel import castell
from rrcore.estimate import independent_product, largest_absolute_error, mean_squared_error, naive, reduced, truncate
from rrcore.mechanisms import Kronecker

TRUTH = np.array([[0.4, 0.0], [0.2, 0.4]])
RELEASED = np.array([[0.3, 0.1], [0.3, 0.3]])
CHANNEL = Kronecker.from_levels((2, 2), [np.log(3)] * 2).marginal_channel([0, 1])


def check(found, expected, squared, largest):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert mean_squared_error(TRUTH, found) == pytest.approx(squared, abs=1e-12)
    assert largest_absolute_error(TRUTH, found) == pytest.approx(largest, abs=1e-12)


def test_rr_independent():
    """Printed: MSE 0.041 (exactly 0.0411), largest error 0.29."""
    singles = [castell(RELEASED.sum(axis=1), CHANNEL.retentions[:1]), castell(RELEASED.sum(axis=0), CHANNEL.retentions[1:])]
    check(independent_product(singles, [(0,), (1,)]), [[0.21, 0.09], [0.49, 0.21]], 0.0411, 0.29)


@pytest.mark.parametrize("invert", [castell, reduced, naive])
def test_rr_ind_joint(invert):
    check(invert(RELEASED, CHANNEL.retentions), [[0.45, -0.15], [0.25, 0.45]], 0.0075, 0.15)


def test_truncated():
    """The paper prints an MSE of 0.15, its own shares give 0.0056 (theory.md section 10)."""
    check(truncate(RELEASED, CHANNEL), [[0.3, 0.0], [0.25, 0.3]], 0.005625, 0.1)
