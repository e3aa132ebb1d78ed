"""Counting lies by kind of attribute, against the loops over all sets of changes of tests/oracles.py."""

from math import comb

import numpy as np
import pytest

from rrcore.channel.channels import SubsetChannel
from rrcore.mechanisms.solve.workload import AttributeKinds
from tests import oracles

SIZES = (3, 2, 3, 5, 3)
WEIGHTS = {frozenset((0, 1)): 1.0, frozenset((2, 1)): 1.0, frozenset((4,)): 2.0}


def symmetric(kinds, seed):
    """A random distribution over counts of lies."""
    q = np.random.default_rng(seed).random(kinds.shape)
    return q / q.sum()


def test_attributes_are_of_one_kind_if_swapping_them_changes_nothing():
    """0 and 2 have the same size and are both asked for with 1; 4 has their size but another part."""
    kinds = AttributeKinds(SIZES, WEIGHTS)
    assert sorted(map(sorted, kinds.groups)) == [[0, 2], [1], [3], [4]]
    assert sorted(kinds.shape) == [2, 2, 2, 3]
    assert AttributeKinds((3,) * 4, {frozenset((0, 1)): 1.0}).groups == [[2, 3], [0, 1]]
    assert len(AttributeKinds((3,) * 4, {frozenset((0, 1)): 1.0, frozenset((2, 3)): 1.0}).groups) == 2
    assert len(AttributeKinds((3, 3), {frozenset((0,)): 1.0, frozenset((1,)): 0.5}).groups) == 2
    assert len(AttributeKinds((3, 4), {}).groups) == 2


def test_a_chain_of_pairs_is_not_symmetric_in_neighbours():
    """Pairs 01, 12, 23 in a row: nothing but the reversal as a whole leaves them as they are."""
    chain = {frozenset((i, i + 1)): 1.0 for i in range(3)}
    assert len(AttributeKinds((2,) * 4, chain).groups) == 4


def test_spread_keeps_the_factors_of_every_interaction():
    kinds = AttributeKinds(SIZES, WEIGHTS)
    q = symmetric(kinds, 1)
    table = kinds.spread(q)
    assert table.shape == (2,) * 5
    assert table.sum() == pytest.approx(1, abs=1e-14)
    slow = oracles.factors_by_enumeration(SubsetChannel(SIZES, table))
    for members in oracles.lie_sets(5):
        where = kinds.where(frozenset(np.flatnonzero(members)))
        assert kinds.factors(q)[where] == pytest.approx(slow[members], abs=1e-14)
        assert (kinds.row(where) * q).sum() == pytest.approx(slow[members], abs=1e-14)


def test_independent_lies_and_products_are_those_of_kronecker():
    kinds = AttributeKinds(SIZES, WEIGHTS)
    lies = np.array([0.3, 0.2, 0.3, 0.6, 0.45])
    channel = SubsetChannel.product(SIZES, lies)
    np.testing.assert_allclose(kinds.spread(kinds.independent(lies)), channel.probabilities, rtol=1e-13)
    factors, products = kinds.factors(kinds.independent(lies)), kinds.products(channel.retentions)
    np.testing.assert_allclose(factors, products, rtol=0, atol=1e-14)
    uniform = np.array([oracles.outputs_with(s, SIZES) for s in oracles.lie_sets(5)]) / np.prod(SIZES)
    np.testing.assert_allclose(kinds.spread(kinds.uniform).ravel(), uniform, rtol=1e-13)


def test_transposed_is_the_transpose():
    kinds = AttributeKinds((3,) * 6, {})
    rng = np.random.default_rng(2)
    coefficients, q = rng.normal(size=kinds.shape), symmetric(kinds, 3)
    expected = (coefficients * kinds.factors(q)).sum()
    assert (kinds.transposed(coefficients) * q).sum() == pytest.approx(expected, rel=1e-12)


def test_numbers_and_orders_count_every_interaction_once():
    kinds = AttributeKinds((3,) * 6, {})
    assert kinds.shape == (7,)
    np.testing.assert_array_equal(kinds.number, [comb(6, t) for t in range(7)])
    np.testing.assert_array_equal(kinds.order, range(7))
    assert AttributeKinds(SIZES, WEIGHTS).number.sum() == 2**5


def test_order_of_the_columns_does_not_matter():
    shuffled = (4, 1, 3, 0, 2)
    weights = {frozenset(shuffled.index(i) for i in axes): weight for axes, weight in WEIGHTS.items()}
    first, second = AttributeKinds(SIZES, WEIGHTS), AttributeKinds([SIZES[i] for i in shuffled], weights)
    assert [sorted(shuffled[i] for i in group) for group in second.groups] == [sorted(group) for group in first.groups]
