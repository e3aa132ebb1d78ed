"""Groups with designs of their own, against matrices written out and against simulated surveys."""

import math

import numpy as np
import pytest

from rrcore.channel import LieSets, MatrixChannel, StackedChannel, product_channel
from rrcore.errors import InputError
from rrcore.estimate import cell_variance, invert_counts, simplex
from rrcore.estimate.score import share_laws
from rrcore.mechanisms import build
from tests import oracles

WARNER = LieSets.product((2,), np.array([0.2]))
FORCED = MatrixChannel(np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]))
COUPLED = build("pair-safe", (2, 3), [1.0, 1.5]).marginal_channel([0, 1])
WIDE = MatrixChannel(np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.6, 0.1, 0.2], [0.1, 0.1, 0.3, 0.5]]))
APART = product_channel([FORCED, WIDE], [(0,), (1,)])
SINGLE = StackedChannel((WARNER, FORCED), np.array([0.7, 0.3]))
PAIR = StackedChannel((COUPLED, APART), np.array([0.4, 0.6]))


def dense(channel):
    """P(reports | truth), reports of the first group first: row by cell."""
    matrices = []
    for part, share in zip(channel.parts, channel.shares, strict=True):
        if isinstance(part, LieSets):
            own = oracles.dense(part)
        elif isinstance(part, MatrixChannel):
            own = part.matrix
        else:
            own = np.kron(*(inner.matrix for inner in part.parts))
        matrices.append(share * own)
    return np.hstack(matrices)


def listed(channel, table):
    """The cells of a table of reports that can be, group by group, picked one by one."""
    found, start = [], [0] * channel.w
    for part in channel.parts:
        found += [table[tuple(np.add(start, cell))] for cell in oracles.cells(part.report_sizes)]
        start = np.add(start, part.report_sizes)
    return np.array(found)


@pytest.mark.parametrize("channel", [SINGLE, PAIR])
def test_every_operation_is_that_of_the_dense_matrix(channel):
    matrix = dense(channel)
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(len(matrix))).reshape(channel.sizes)
    reports = channel.push(shares)
    assert reports.shape == channel.report_sizes
    assert reports.sum() == pytest.approx(1)
    np.testing.assert_allclose(listed(channel, reports), shares.ravel() @ matrix, atol=1e-15)
    np.testing.assert_allclose(channel.invert(reports), shares, atol=1e-12)
    np.testing.assert_allclose(channel.inverse @ matrix.T, np.eye(len(matrix)), atol=1e-11)
    table = rng.random(channel.report_sizes)
    np.testing.assert_allclose(channel.pull(table).ravel(), matrix @ listed(channel, table), atol=1e-13)
    np.testing.assert_allclose(listed(channel, channel.invert_back(shares)), channel.inverse.T @ shares.ravel(), atol=1e-12)
    for power in (2, 3):
        np.testing.assert_allclose(
            channel.inverse_moment(table, power).ravel(), channel.inverse**power @ listed(channel, table), atol=1e-10
        )
        np.testing.assert_allclose(channel.own_moment(power).ravel(), (matrix * channel.inverse**power).sum(axis=1), atol=1e-10)
    several = rng.random((*channel.sizes, 3))
    np.testing.assert_allclose(channel.push(several)[..., 1], channel.push(several[..., 1]), atol=1e-15)
    np.testing.assert_allclose(channel.invert(channel.push(several)), several, atol=1e-10)


def combined(channel, released):
    """Each group's own generalised least squares, put together by the inverse of their covariances at equal shares: the textbook way."""
    cells = math.prod(channel.sizes)
    information, right, at = np.zeros((cells, cells)), np.zeros(cells), 0
    for matrix in np.split(dense(channel), channel.ends, axis=1):
        share = matrix.sum() / cells
        conditional, counted = matrix / share, released[at : at + matrix.shape[1]] / share
        at += matrix.shape[1]
        weights = conditional / conditional.mean(axis=0)
        own = np.linalg.inv(weights @ conditional.T) @ weights @ counted
        information += share * weights @ conditional.T
        right += share * weights @ conditional.T @ own
    return np.linalg.solve(information, right)


@pytest.mark.parametrize("channel", [SINGLE, PAIR])
def test_the_estimate_is_that_of_groups_combined_by_generalised_least_squares(channel):
    """Group sizes as given: then centring moves nothing."""
    rng = np.random.default_rng(4)
    cells = math.prod(channel.sizes)
    parts = np.split(dense(channel), channel.ends, axis=1)
    released = np.concatenate([part.sum() / cells * rng.dirichlet(np.ones(part.shape[1])) for part in parts])
    table = np.zeros(math.prod(channel.report_sizes))
    table[channel.places] = released
    for centre in (None, rng.dirichlet(np.ones(cells)).reshape(channel.sizes)):
        centred = StackedChannel(channel.parts, channel.shares, centre)
        found = centred.invert(table.reshape(channel.report_sizes))
        np.testing.assert_allclose(found.ravel(), combined(channel, released), atol=1e-10)


def surveys(channel, shares, n, times, rng):
    """Released shares of repeated surveys in which the groups have exactly their sizes."""
    columns = []
    for part, share in zip(channel.parts, channel.shares, strict=True):
        size = round(share * n)
        columns.append(rng.multinomial(size, part.push(shares).ravel(), size=times).T / n)
    out = np.zeros((math.prod(channel.report_sizes), times))
    out[channel.places] = np.concatenate(columns)
    return out.reshape(*channel.report_sizes, times)


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_the_variance_is_that_within_groups(share):
    """A precise group and a poor one: 20,000 surveys of 500; their variance is within 6 standard errors (2e-9) of the formula."""
    poor = LieSets.product((2,), np.array([0.42]))
    shares = np.array([share, 1 - share])
    channel = StackedChannel((MatrixChannel(np.array([[0.97, 0.03], [0.03, 0.97]])), poor), np.array([0.4, 0.6]), shares)
    estimates = channel.invert(surveys(channel, shares, 500, 20_000, np.random.default_rng(1)))[0]
    exact = cell_variance(channel.push(shares), shares, channel, 500, population=True)[0]
    assert estimates.var() == pytest.approx(exact, rel=6 * math.sqrt(2 / 20_000))
    uncentred = StackedChannel(channel.parts, channel.shares)
    assert cell_variance(channel.push(shares), shares, uncentred, 500, population=True)[0] > exact
    assert abs(estimates.mean() - share) < 6 * math.sqrt(exact / 20_000)


@pytest.mark.parametrize("channel", [SINGLE, PAIR])
def test_intervals_cover(channel):
    """3,000 surveys of 1,000: 95 % intervals of every share cover 93 to 97 % (false alarm below 1e-6 each)."""
    rng = np.random.default_rng(2)
    shares = rng.dirichlet(np.full(math.prod(channel.sizes), 3.0)).reshape(channel.sizes)
    centred = StackedChannel(channel.parts, channel.shares, shares)
    released = surveys(centred, shares, 1000, 3_000, rng)
    estimates = centred.invert(released)
    flat = estimates.reshape(-1, 3_000)
    projected = np.stack([simplex(column) for column in flat.T], axis=1).reshape(estimates.shape)
    low, high = share_laws(released, estimates, projected, centred, 1000, population=True).interval(1.959964)
    covered = ((low <= shares[..., None]) & (shares[..., None] <= high)).mean(axis=-1)
    assert (covered > 0.93).all()
    assert (covered < 0.97).all()


def test_groups_that_tell_nothing_alone_and_everything_together():
    """A sensitive and an unrelated yes/no question: either group reports one answer, the sensitive one with a probability of its own."""

    def group(p):
        yes = np.array([p * a + (1 - p) * u for a in (0, 1) for u in (0, 1)])
        return MatrixChannel(np.column_stack([1 - yes, yes]))

    one, both = group(0.7), StackedChannel((group(0.7), group(0.2)), np.array([0.5, 0.5]))
    assert one.estimable(0) == ((0, 1, 2, 3),)
    assert both.lost() == ((0,),)
    assert both.estimable(0) == ((0, 1), (0, 2), (1, 3), (2, 3))  # the two questions, each on its own
    shares = np.array([0.4, 0.35, 0.05, 0.2])
    assert both.invert(both.push(shares))[[2, 3]].sum() == pytest.approx(0.25)


def test_a_group_that_nobody_is_in_changes_nothing():
    released = FORCED.push(np.array([0.3, 0.7]))
    alone = StackedChannel((WARNER, FORCED), np.array([0.0, 1.0]))
    np.testing.assert_allclose(alone.invert(np.array([0.0, 0.0, *released])), [0.3, 0.7], atol=1e-12)
    assert alone.squared_inverse(np.array([0.0, 0.0, *released])) == pytest.approx(FORCED.squared_inverse(released))


def test_what_is_lost_is_the_smallest_set_of_attributes():
    flat = LieSets((2, 2), np.array([[0.5, 0.0], [0.0, 0.5]]))  # both lie or none does: singles lost, the interaction kept
    fine = LieSets.product((2, 2), np.array([0.2, 0.2]))
    assert StackedChannel((flat, flat), np.array([0.5, 0.5])).lost() == ((0,), (1,))
    assert StackedChannel((flat, fine), np.array([0.5, 0.5])).lost() == ()
    pairless = LieSets((2, 2), np.array([[0.25, 0.25], [0.25, 0.0]]) / 0.75)
    erased = LieSets((2, 2), np.array([[0.5, 0.25], [0.25, 0.0]]))
    assert StackedChannel((pairless, erased), np.array([0.5, 0.5])).lost() == ()
    assert StackedChannel((erased, erased), np.array([0.3, 0.7])).lost() == ((0, 1),)


def test_estimate_of_two_groups_offers_what_any_estimate_offers():
    shares = np.array([[0.2, 0.1, 0.1], [0.1, 0.2, 0.3]])
    counts = np.rint(1000 * surveys(PAIR, shares, 1000, 1, np.random.default_rng(5))[..., 0]).astype(np.int64)
    estimate = invert_counts(counts, PAIR)
    assert estimate.shares.sum() == pytest.approx(1)
    assert estimate.likeliest().shares.shape == estimate.blend().shares.shape == (2, 3)
    assert estimate.interval(simultaneous=True)[0].shape == (2, 3)
    assert estimate.weakest is not None
    assert PAIR.marginal([1]).report_sizes == (7,)
    np.testing.assert_allclose(PAIR.marginal([1, 0]).push(shares.T), PAIR.push(shares).T, atol=1e-15)


def test_too_many_combinations_are_refused_in_words():
    many = LieSets.product((20, 20, 6), np.array([0.1, 0.1, 0.1]))
    with pytest.raises(InputError, match="at most 2,000 combinations, and there are 2,400"):
        StackedChannel((many, many), np.array([0.5, 0.5])).lost()


@pytest.mark.parametrize(
    ("parts", "shares"),
    [((), []), ((WARNER,), [0.5]), ((WARNER, WIDE), [0.5, 0.5]), ((WARNER, FORCED), [1.5, -0.5]), ((WARNER, FORCED), [1.0])],
)
def test_what_is_no_stack(parts, shares):
    with pytest.raises(ValueError, match=r"parts|shares"):
        StackedChannel(parts, np.array(shares))
