"""A list of lie sets against the same distribution over all of them."""

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.channel.liesets import LieSets
from rrcore.mechanisms import build
from rrcore.mechanisms.listed import Listed
from rrcore.mechanisms.tabulated import Tabulated
from rrcore.table.contingency import cell_numbers

SIZES = (2, 3, 4)
LYING = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 1]], dtype=bool)
CHANCES = np.array([0.4, 0.1, 0.15, 0.05])
UNIFORM = 0.3


@pytest.fixture
def pair():
    q = UNIFORM * LieSets.product(SIZES, 1 - 1 / np.array(SIZES)).probabilities
    for row, chance in zip(LYING.astype(int), CHANCES, strict=True):
        q[tuple(row)] += chance
    table = Tabulated(SIZES, LieSets(SIZES, q))
    return Listed(SIZES, UNIFORM, LYING, CHANCES, table.leakage, table.total_level), table


def test_it_is_the_same_mechanism(pair):
    listed, table = pair
    np.testing.assert_allclose(listed.lies, table.lies, rtol=1e-14)
    np.testing.assert_allclose(listed.levels, table.levels, rtol=1e-12)
    np.testing.assert_allclose(listed.pair_factors(), table.pair_factors(), atol=1e-14)
    for axes in [(0,), (2, 0), (0, 1, 2), (1, 2)]:
        np.testing.assert_allclose(
            listed.marginal_channel(axes).probabilities, table.marginal_channel(axes).probabilities, atol=1e-15
        )


def test_simulated_lies_have_its_probabilities(pair):
    """Chi-square over all eight lie sets, 200,000 records; false alarm 1e-6."""
    listed, table = pair
    n = 200_000
    released = listed.perturb(np.zeros((n, 3), dtype=np.int32), rng=np.random.default_rng(0))
    counts = np.bincount(cell_numbers((released > 0).astype(np.int32), (2, 2, 2)), minlength=8)
    expected = n * table.lie_sets.probabilities.ravel()
    assert ((counts - expected) ** 2 / expected).sum() < chi2.isf(1e-6, 7)


def test_uniform_records_only():
    nothing = Listed((2, 2), 1.0, np.zeros((0, 2), dtype=bool), np.zeros(0), np.zeros(2), 0.0)
    np.testing.assert_allclose(nothing.retentions, 0, atol=1e-15)
    assert nothing.perturb(np.zeros((50, 2), dtype=np.int32), rng=np.random.default_rng(1)).max() == 1


def test_more_attributes_than_can_be_tabulated():
    """RR-Joint over forty attributes is a list of one lie set: every answer, pair and level is that of the mixture."""
    sizes = (4,) * 40
    joint = build("joint", sizes, (0.7,) * 40)
    listed = Listed(
        sizes, joint.uniform, np.zeros((1, 40), dtype=bool), np.array([1 - joint.uniform]), joint.leakage, joint.total_level
    )
    np.testing.assert_allclose(listed.levels, joint.levels, rtol=1e-10)
    np.testing.assert_allclose(listed.pair_factors(), joint.pair_factors(), atol=1e-13)
    np.testing.assert_allclose(
        listed.marginal_channel((39, 0, 7)).probabilities, joint.marginal_channel((39, 0, 7)).probabilities, atol=1e-14
    )
