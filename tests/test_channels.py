"""Channels of mixed designs against dense Kronecker products of matrices."""

from functools import reduce
from itertools import permutations

import numpy as np
import pytest

from rrcore.channels import MatrixChannel, ProductChannel, side_by_side
from rrcore.errors import NotIdentifiableError
from rrcore.estimate import (
    cell_variance,
    estimate_marginal,
    invert,
    lost_interactions,
    maximum_likelihood,
    read_back,
    squared_inverse,
)
from rrcore.liesets import LieSets
from rrcore.mechanisms import build
from tests import oracles

SKEW = MatrixChannel(np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]))
FORCED = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))
PAIR = build("pair-safe", (2, 3, 2), [1.0, 1.5, 2.0]).marginal_channel([0, 1])


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
    channel = side_by_side([PAIR, SKEW, FORCED], layout)
    assert isinstance(channel, ProductChannel)
    assert channel.sizes == tuple(sizes)
    return channel, dense((PAIR, SKEW, FORCED), layout, sizes)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_operation_is_that_of_the_dense_matrix(layout):
    channel, matrix = mixed(layout)
    table = np.random.default_rng(0).dirichlet(np.ones(len(matrix))).reshape(channel.sizes)
    flat, inverse = table.ravel(), np.linalg.inv(matrix.T)
    np.testing.assert_allclose(channel.channel(table).ravel(), flat @ matrix, atol=1e-13)
    np.testing.assert_allclose(invert(table, channel).ravel(), inverse @ flat, atol=1e-10)
    np.testing.assert_allclose(invert(channel.channel(table), channel), table, atol=1e-11)
    np.testing.assert_allclose(read_back(table, channel).ravel(), inverse.T @ flat, atol=1e-10)
    np.testing.assert_allclose(squared_inverse(table, channel).ravel(), inverse**2 @ flat, rtol=1e-9)


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


def test_em_climbs_to_the_inverse_where_that_is_inside():
    channel, matrix = mixed(LAYOUTS[0])
    shares = np.random.default_rng(2).dirichlet(np.full(len(matrix), 50.0)).reshape(channel.sizes)
    released = channel.channel(shares)
    found = maximum_likelihood(released, channel, tolerance=1e-12, most=20_000)
    np.testing.assert_allclose(found.shares, shares, atol=1e-6)
    assert (np.diff(found.log_likelihoods) > -1e-12).all()


def test_lie_sets_side_by_side_are_lie_sets_with_everything_known():
    single = LieSets.product((4,), np.array([0.3]))
    for places in permutations(range(3)):
        channel = side_by_side([PAIR, single], [places[:2], places[2:]])
        assert isinstance(channel, LieSets)
        sizes = [0] * 3
        for size, axis in zip((*PAIR.sizes, 4), places, strict=True):
            sizes[axis] = size
        np.testing.assert_allclose(oracles.dense(channel), dense((PAIR, single), (places[:2], places[2:]), sizes), atol=1e-14)
    product = side_by_side([single, LieSets.product((2,), np.array([0.1]))], [[1], [0]])
    np.testing.assert_allclose(product.retentions, [1 - 0.2, 1 - 0.3 * 4 / 3])


def test_a_matrix_that_erases_is_named():
    flat = MatrixChannel(np.full((2, 2), 0.5))
    channel = side_by_side([PAIR, flat], [[0, 2], [1]])
    assert lost_interactions(channel) == ((1,),)
    with pytest.raises(NotIdentifiableError, match="erases 'b'"):
        estimate_marginal(np.ones(channel.sizes, dtype=np.int64), channel, names=("a", "b", "c"))


def test_one_matrix_alone_is_itself():
    assert side_by_side([SKEW], [[0]]) is SKEW


@pytest.mark.parametrize("matrix", [np.ones((2, 3)) / 3, np.array([[0.5, 0.4], [0.5, 0.5]]), np.array([[1.5, -0.5], [0.0, 1.0]])])
def test_what_is_no_stochastic_matrix(matrix):
    with pytest.raises(ValueError, match=r"matrix|rows"):
        MatrixChannel(matrix)
