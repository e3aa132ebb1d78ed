"""Channels of mixed designs against dense Kronecker products of matrices."""

from functools import reduce
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.budget import build
from rrcore.channel import MatrixChannel, product_channel
from rrcore.channel.channels import ProductChannel, SubsetChannel
from rrcore.errors import NotIdentifiableError
from rrcore.estimate import cell_variance, invert_counts, maximum_likelihood
from rrcore.mechanisms.blocks import Blocks
from tests import oracles

SKEW = MatrixChannel(np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]))
FORCED = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))
PAIR = build("preserving-2", (2, 3, 2), [1.0, 1.5, 2.0]).channel([0, 1])


def dense(channel, axes, sizes):
    """P(released | true) over all cells of a marginal, the parts standing at ``axes``."""
    matrices = [part.matrix if isinstance(part, MatrixChannel) else oracles.dense(part) for part in channel]
    whole = reduce(np.kron, matrices)
    order = [axis for group in axes for axis in group]
    shape = [sizes[i] for i in order]
    tensor = whole.reshape(shape * 2)
    back = np.argsort(order)
    cells = int(np.prod(sizes))
    return tensor.transpose([*back, *(len(order) + back)]).reshape(cells, cells)


LAYOUTS = [((0, 2), (1,), (3,)), ((3, 1), (0,), (2,)), ((1, 0), (3,), (2,))]


def mixed(layout):
    sizes = [0] * 4
    for part, group in zip((PAIR, SKEW, FORCED), layout, strict=True):
        for size, axis in zip(part.sizes, group, strict=True):
            sizes[axis] = size
    channel = product_channel([PAIR, SKEW, FORCED], layout)
    assert isinstance(channel, ProductChannel)
    assert channel.sizes == tuple(sizes)
    return channel, dense((PAIR, SKEW, FORCED), layout, sizes)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_operation_is_that_of_the_dense_matrix(layout):
    channel, matrix = mixed(layout)
    table = np.random.default_rng(0).dirichlet(np.ones(len(matrix))).reshape(channel.sizes)
    flat, inverse = table.ravel(), np.linalg.inv(matrix.T)
    np.testing.assert_allclose(channel.push(table).ravel(), flat @ matrix, atol=1e-13)
    np.testing.assert_allclose(channel.invert(table).ravel(), inverse @ flat, atol=1e-10)
    np.testing.assert_allclose(channel.invert(channel.push(table)), table, atol=1e-11)
    np.testing.assert_allclose(channel.invert_back(table).ravel(), inverse.T @ flat, atol=1e-10)
    np.testing.assert_allclose(channel.squared_inverse(table).ravel(), inverse**2 @ flat, rtol=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("population", [False, True])
def test_variances_are_those_of_the_multinomial(layout, population):
    channel, matrix = mixed(layout)
    shares = np.random.default_rng(1).dirichlet(np.ones(len(matrix)))
    released = shares @ matrix
    inverse, n = np.linalg.inv(matrix.T), 500
    sampled = np.diag(inverse @ (np.diag(released) - np.outer(released, released)) @ inverse.T) / n
    own = shares * (1 - shares) / n
    expected = sampled if population else sampled - own
    found = cell_variance(released.reshape(channel.sizes), shares.reshape(channel.sizes), channel, n, population=population)
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-9)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.integers(2, 3), min_size=1, max_size=4), st.integers(0, 2**32 - 1), st.data())
def test_random_mixed_designs_in_any_order_of_axes(sizes, seed, data):
    """Groups of one or two attributes, matrices and sets of changes, at permuted places, against the dense product."""
    rng, rest = np.random.default_rng(seed), data.draw(st.permutations(range(len(sizes))))
    parts, layout = [], []
    while rest:
        pair = len(rest) > 1 and data.draw(st.booleans())
        group, rest = tuple(rest[: 1 + pair]), rest[1 + pair :]
        own = tuple(sizes[i] for i in group)
        if not pair and data.draw(st.booleans()):
            parts.append(MatrixChannel(0.5 * np.eye(own[0]) + 0.5 * rng.dirichlet(np.ones(own[0]), own[0])))
        else:
            q = 0.4 * rng.dirichlet(np.ones(1 << len(own))).reshape((2,) * len(own))
            q[(0,) * len(own)] += 0.6
            parts.append(SubsetChannel(own, q))
        layout.append(group)
    channel, matrix = product_channel(parts, layout), dense(parts, layout, sizes)
    assert isinstance(channel, SubsetChannel) == all(isinstance(part, SubsetChannel) for part in parts)
    assert channel.sizes == tuple(sizes)
    table = rng.dirichlet(np.ones(len(matrix))).reshape(sizes)
    np.testing.assert_allclose(channel.push(table).ravel(), table.ravel() @ matrix, atol=1e-13)
    np.testing.assert_allclose(channel.pull(table).ravel(), matrix @ table.ravel(), atol=1e-13)
    inverse = np.linalg.inv(matrix.T)
    scale = np.abs(inverse).max()
    np.testing.assert_allclose(channel.invert(table).ravel(), inverse @ table.ravel(), atol=1e-11 * scale)
    np.testing.assert_allclose(channel.invert_back(table).ravel(), inverse.T @ table.ravel(), atol=1e-11 * scale)
    np.testing.assert_allclose(channel.squared_inverse(table).ravel(), inverse**2 @ table.ravel(), atol=1e-10 * scale**2)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_em_takes_the_steps_of_the_dense_matrix(layout):
    """Released shares from the corner of the simplex, some of them 0: likelihoods and shares after 40 steps."""
    channel, matrix = mixed(layout)
    released = np.random.default_rng(4).multinomial(60, np.full(len(matrix), 1 / len(matrix))) / 60
    assert (released == 0).any()
    shares, likelihoods = np.full(len(matrix), 1 / len(matrix)), []
    for _ in range(41):
        expected = shares @ matrix
        likelihoods.append(float((released * np.log(expected)).sum()))
        last, shares = shares, shares * (matrix @ (released / expected))
    found = maximum_likelihood(released.reshape(channel.sizes), channel, tolerance=0.0, most=40)
    np.testing.assert_allclose(found.shares.ravel(), last, atol=1e-12)
    np.testing.assert_allclose(found.log_likelihoods, likelihoods, rtol=1e-12)


def test_blocks_are_the_product_of_their_parts():
    """A marginal through blocks at scattered places, in the order asked for, against the dense product of both."""
    parts = (build("preserving-2", (2, 3), [1.0, 1.5]), build("joint", (2, 4), [0.8, 1.2]))
    blocks = Blocks((2, 2, 4, 3), parts, ((1, 3), (0, 2)))
    for axes in [(0, 1, 2, 3), (3, 0, 1), (2, 3), (1,)]:
        asked = [[p for p, i in enumerate(axes) if i in block] for block in blocks.members]
        inner = [
            part.channel([block.index(axes[p]) for p in own])
            for part, block, own in zip(parts, blocks.members, asked, strict=True)
            if own
        ]
        expected = dense(inner, [own for own in asked if own], [blocks.sizes[i] for i in axes])
        np.testing.assert_allclose(oracles.dense(blocks.channel(axes)), expected, atol=1e-14)


def test_lie_sets_side_by_side_are_lie_sets_with_everything_known():
    single = SubsetChannel.product((4,), np.array([0.3]))
    for places in permutations(range(3)):
        channel = product_channel([PAIR, single], [places[:2], places[2:]])
        assert isinstance(channel, SubsetChannel)
        sizes = [0] * 3
        for size, axis in zip((*PAIR.sizes, 4), places, strict=True):
            sizes[axis] = size
        np.testing.assert_allclose(oracles.dense(channel), dense((PAIR, single), (places[:2], places[2:]), sizes), atol=1e-14)
    product = product_channel([single, SubsetChannel.product((2,), np.array([0.1]))], [[1], [0]])
    np.testing.assert_allclose(product.retentions, [1 - 0.2, 1 - 0.3 * 4 / 3])


def test_a_matrix_that_erases_is_named():
    flat = MatrixChannel(np.full((2, 2), 0.5))
    channel = product_channel([PAIR, flat], [[0, 2], [1]])
    assert channel.lost() == ((1,),)
    with pytest.raises(NotIdentifiableError, match="about 'attribute 2'"):
        invert_counts(np.ones(channel.sizes, dtype=np.int64), channel)


def test_one_matrix_alone_is_itself():
    assert product_channel([SKEW], [[0]]) is SKEW
