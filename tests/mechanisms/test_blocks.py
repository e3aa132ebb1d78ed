"""Independent blocks, against the Kronecker product of the dense channels of their parts."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

from rrcore.mechanisms import Joint, Kronecker, Optimal
from rrcore.mechanisms.blocks import Blocks
from rrcore.mechanisms.closed_form import ClosedForm
from tests import oracles


def parts():
    return (
        Optimal.from_epsilon((2, 3), (1.0, 2.0)),
        Joint.from_epsilon((2,), [0.5]),
        ClosedForm.from_epsilon((3, 2), (1.5, 1.0)),
    )


def blocks():
    made = parts()
    return Blocks(sum((part.sizes for part in made), ()), made, ((0, 1), (2,), (3, 4)))


def dense_blocks(made):
    out = np.ones((1, 1))
    for part in made:
        out = np.kron(out, oracles.dense_mechanism(part))
    return out


def test_channel_total_levels_and_leakage_are_those_of_the_dense_product():
    mechanism = blocks()
    matrix = dense_blocks(parts())
    np.testing.assert_allclose(oracles.dense_mechanism(mechanism), matrix, rtol=1e-12, atol=0)
    assert mechanism.epsilon_total == pytest.approx(oracles.total_of(matrix), abs=1e-10)
    np.testing.assert_allclose(mechanism.epsilon_informed, oracles.leakage_of(matrix, mechanism.sizes), rtol=0, atol=1e-10)
    for i in range(mechanism.k):
        single = oracles.total_of(oracles.marginalise(matrix, mechanism.sizes, [i]))
        assert mechanism.epsilon[i] == pytest.approx(single, abs=1e-10)
    assert mechanism.epsilon_total == pytest.approx(sum(part.epsilon_total for part in parts()), abs=1e-12)
    assert (mechanism.lower_bound, mechanism.gap, mechanism.is_optimal) == (None, None, False)


def test_factors_are_eigenvalues_within_and_across_blocks():
    mechanism = blocks()
    expected = oracles.factors_of_dense(dense_blocks(parts()), mechanism.sizes)
    for members in oracles.lie_sets(mechanism.k)[1:]:
        axes = [i for i in range(mechanism.k) if members[i]]
        assert mechanism.factor(axes) == pytest.approx(expected[members], abs=1e-12)
        if len(axes) == 2:
            assert mechanism.pair_factors[axes[0], axes[1]] == pytest.approx(expected[members], abs=1e-12)
            assert mechanism.pair_factors[axes[1], axes[0]] == pytest.approx(expected[members], abs=1e-12)
    np.testing.assert_allclose(np.diag(mechanism.pair_factors), mechanism.retentions**2, rtol=0, atol=1e-14)


def test_marginals_in_any_order():
    mechanism, matrix = blocks(), dense_blocks(parts())
    for axes in (*permutations(range(mechanism.k), 2), (3, 0, 4), (4, 2, 1), (1, 0, 3)):
        channel = mechanism.channel(axes)
        assert channel.sizes == tuple(mechanism.sizes[i] for i in axes)
        np.testing.assert_allclose(oracles.dense(channel), oracles.marginalise(matrix, mechanism.sizes, axes), rtol=0, atol=1e-12)


def test_from_levels_takes_ten_attributes_a_block():
    rng = np.random.default_rng(152)
    sizes, epsilon = tuple(int(a) for a in rng.integers(2, 5, 23)), rng.uniform(0.3, 2, 23)
    reported = []
    mechanism = Blocks.from_epsilon(sizes, epsilon, report=lambda fraction, text: reported.append(fraction))
    assert [part.k for part in mechanism.parts] == [10, 10, 3]
    assert mechanism.sizes == sizes
    np.testing.assert_allclose(mechanism.epsilon, epsilon, rtol=0, atol=1e-9)
    assert (mechanism.epsilon <= epsilon).all()
    costs = [Optimal.from_epsilon(sizes[at : at + 10], epsilon[at : at + 10]).epsilon_total for at in (0, 10, 20)]
    assert mechanism.epsilon_total == pytest.approx(sum(costs), abs=1e-9)
    assert mechanism.epsilon_total < epsilon.sum()
    assert len(reported) == 3
    r = mechanism.retentions
    assert mechanism.pair_factors[9, 10] == pytest.approx(r[9] * r[10], abs=1e-12)
    assert mechanism.pair_factors[21, 22] == pytest.approx(mechanism.parts[2].pair_factors[1, 2], abs=1e-14)


def test_a_single_part_with_a_bound_is_that_part():
    part = Kronecker.from_epsilon((2, 3), [1.0, 0.5])
    mechanism = Blocks(part.sizes, (part,), ((0, 1),), bound=1.2)
    assert (mechanism.epsilon_total, mechanism.lower_bound) == (1.5, 1.2)
    assert mechanism.gap == pytest.approx(0.3)
    assert not mechanism.is_optimal
    np.testing.assert_allclose(oracles.dense_mechanism(mechanism), oracles.dense_mechanism(part), rtol=1e-14)


ORDER = (3, 0, 4, 1, 2)
"""Attribute i of the interleaved blocks is attribute ORDER[i] of the consecutive ones."""


def interleaved():
    plain = blocks()
    place = [ORDER.index(i) for i in range(5)]
    members = tuple(tuple(place[i] for i in block) for block in plain.members)
    return Blocks(tuple(plain.sizes[i] for i in ORDER), plain.parts, members)


def test_interleaved_blocks_are_the_consecutive_ones_in_another_order():
    mixed, plain = interleaved(), blocks()
    order = list(ORDER)
    np.testing.assert_allclose(mixed.epsilon, plain.epsilon[order], rtol=0, atol=1e-15)
    np.testing.assert_allclose(mixed.epsilon_informed, plain.epsilon_informed[order], rtol=0, atol=1e-15)
    np.testing.assert_allclose(mixed.pair_factors, plain.pair_factors[np.ix_(order, order)], rtol=0, atol=1e-15)
    assert mixed.epsilon_total == plain.epsilon_total
    for axes in permutations(range(5), 3):
        there = plain.channel([ORDER[i] for i in axes])
        np.testing.assert_allclose(mixed.channel(axes).probabilities, there.probabilities, rtol=0, atol=1e-15)


def test_interleaved_blocks_lie_together():
    """Chi-square over 32 sets of changes of 200,000 records, false alarm 1e-6; the blocks in another order are rejected."""
    mechanism, n = interleaved(), 200_000
    codes = np.column_stack([np.random.default_rng(150).integers(0, a, n) for a in mechanism.sizes]).astype(np.int32)
    drawn = np.bincount((mechanism.sample(codes, rng=np.random.default_rng(153)) != codes) @ [16, 8, 4, 2, 1], minlength=32)
    expected, wrong = (n * each.channel(range(5)).probabilities.ravel() for each in (mechanism, blocks()))
    assert expected.min() >= 5
    assert float(((drawn - expected) ** 2 / expected).sum()) < chi2.isf(1e-6, 31)
    assert float(((drawn - wrong) ** 2 / wrong).sum()) > chi2.isf(1e-6, 31)


def test_clusters_cost_the_sum_of_the_levels_by_rr_joint_within_each():
    """Multi-Dimensional RR, section 6.3.2: e^eps_C / (e^eps_C + cells - 1) on the diagonal, 1 / (e^eps_C + cells - 1) elsewhere."""
    sizes, epsilon = (3, 2, 2, 4), (1.0, 0.5, 0.7, 1.2)
    mechanism = Blocks.rr_clusters(sizes, epsilon, [(0, 2), (1,), (3,)])
    assert mechanism.epsilon_total == pytest.approx(3.4, abs=1e-12)
    matrix = oracles.dense(mechanism.channel([0, 2]))
    expected = np.full((6, 6), 1.0)
    np.fill_diagonal(expected, np.exp(1.7))
    np.testing.assert_allclose(matrix, expected / (np.exp(1.7) + 5), rtol=1e-12)
    np.testing.assert_allclose(mechanism.epsilon[[1, 3]], [0.5, 1.2], rtol=0, atol=1e-12)
    assert (mechanism.epsilon[[0, 2]] > [1.0, 0.7]).any()  # RR-Joint shares one retention: the promise is the cluster's
