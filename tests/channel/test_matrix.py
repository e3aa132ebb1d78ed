"""Channels with more reports than categories, and with fewer, against least squares and enumeration written out."""

from functools import reduce

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

from rrcore.channel import MatrixChannel, SubsetChannel, product_channel
from rrcore.channel.channels import smallest_sets
from rrcore.errors import NotIdentifiableError
from rrcore.estimate import cell_variance, invert_counts, maximum_likelihood
from rrcore.table import Attribute, Schema
from tests.estimate.coverage import held, shares_of

KUK = MatrixChannel(binom.pmf(np.arange(26), 25, [[0.2], [0.6]]))  # red cards among 25, drawn from one of two decks
WIDE = MatrixChannel(np.array([[0.5, 0.2, 0.2, 0.1], [0.1, 0.6, 0.1, 0.2], [0.1, 0.1, 0.3, 0.5]]))
NARROW = MatrixChannel(np.array([[0.8, 0.2], [0.8, 0.2], [0.1, 0.9]]))


def generalised(matrix, weights):
    """argmin over pi of (lambda - P' pi)' W^-1 (lambda - P' pi), as the matrix that is applied to lambda."""
    inside = np.linalg.inv((matrix / weights) @ matrix.T)
    return inside @ (matrix / weights)


@pytest.mark.parametrize("channel", [KUK, WIDE])
def test_the_inverse_is_that_of_generalised_least_squares_at_equal_shares(channel):
    expected = channel.push(np.full(channel.sizes, 1 / channel.sizes[0]))
    np.testing.assert_allclose(channel.inverse, generalised(channel.matrix, expected), rtol=1e-9)
    np.testing.assert_allclose(channel.inverse.sum(axis=0), 1, atol=1e-12)  # so that sums are kept
    np.testing.assert_allclose(channel.inverse @ channel.matrix.T, np.eye(channel.sizes[0]), atol=1e-12)


def test_no_unbiased_linear_estimate_has_less_variance_at_equal_shares():
    """Searched numerically over all left inverses: G + Z with Z P' = 0."""
    expected = WIDE.push(np.full(3, 1 / 3))
    null = np.linalg.svd(WIDE.matrix)[2][3:]  # directions of reports that P maps to 0

    def variance(free):
        return ((WIDE.inverse + free.reshape(3, -1) @ null) ** 2 @ expected).sum()

    best = minimize(variance, np.ones(3))
    assert best.fun == pytest.approx(variance(np.zeros(3)), rel=1e-9)
    assert WIDE.uniform_variance == pytest.approx(best.fun / 3 - 1 / 3, rel=1e-9)


def test_near_the_efficiency_of_the_likelihood_away_from_equal_shares():
    """Against the Cramer-Rao bound of the share that Kuk's cards are drawn for."""
    for share in (0.05, 0.2, 0.5):
        reports = KUK.push(np.array([share, 1 - share]))
        bound = 1 / (((KUK.matrix[0] - KUK.matrix[1]) ** 2) / reports).sum()
        own = cell_variance(reports, np.array([share, 1 - share]), KUK, 1, population=True)[0]
        assert 1 - 1e-9 <= own / bound < 1.25


@pytest.mark.parametrize("layout", [((0,), (1,), (2,)), ((2,), (0,), (1,)), ((1,), (2,), (0,))])
def test_products_are_the_kronecker_product(layout):
    pair, parts = SubsetChannel.product((2,), np.array([0.2])), (KUK, WIDE, SubsetChannel.product((2,), np.array([0.2])))
    channel = product_channel(parts, layout)
    by_axis = [parts[[axes[0] for axes in layout].index(axis)] for axis in range(3)]
    assert channel.sizes == tuple(part.sizes[0] for part in by_axis)
    assert channel.report_sizes == tuple(part.report_sizes[0] for part in by_axis)
    dense = reduce(
        np.kron, [part.matrix if isinstance(part, MatrixChannel) else np.array([[0.8, 0.2], [0.2, 0.8]]) for part in by_axis]
    )
    inverse = reduce(
        np.kron, [part.inverse if isinstance(part, MatrixChannel) else np.array([[4, -1], [-1, 4]]) / 3 for part in by_axis]
    )
    assert pair.report_sizes == (2,)
    rng = np.random.default_rng(3)
    shares = rng.dirichlet(np.ones(12)).reshape(channel.sizes)
    reports = channel.push(shares)
    assert reports.shape == channel.report_sizes
    np.testing.assert_allclose(reports.ravel(), shares.ravel() @ dense, atol=1e-14)
    np.testing.assert_allclose(channel.invert(reports), shares, atol=1e-11)
    np.testing.assert_allclose(channel.pull(reports).ravel(), dense @ reports.ravel(), atol=1e-13)
    noisy = rng.multinomial(1000, reports.ravel()).reshape(reports.shape) / 1000
    np.testing.assert_allclose(channel.invert(noisy).ravel(), inverse @ noisy.ravel(), atol=1e-10)
    np.testing.assert_allclose(channel.invert_back(shares).ravel(), inverse.T @ shares.ravel(), atol=1e-10)
    np.testing.assert_allclose(channel.squared_inverse(noisy).ravel(), inverse**2 @ noisy.ravel(), rtol=1e-9)
    np.testing.assert_allclose(channel.own_squares.ravel(), (dense * inverse**2).sum(axis=1), rtol=1e-9)
    uniform = np.full(12, 1 / 12)
    assert channel.uniform_variance == pytest.approx((inverse**2 @ (uniform @ dense)).mean() - 1 / 12, rel=1e-9)
    single = channel.marginal([2, 0])
    assert single.report_sizes == (channel.report_sizes[2], channel.report_sizes[0])
    assert channel.lost() == ()


def test_the_likelihood_climbs_to_what_a_search_finds():
    counts = np.random.default_rng(5).multinomial(500, WIDE.push(np.array([0.6, 0.3, 0.1])))
    found = maximum_likelihood(counts / 500, WIDE, tolerance=1e-12, most=20_000)

    def loss(free):
        shares = np.exp([*free, 0.0]) / np.exp([*free, 0.0]).sum()
        return -(counts / 500) @ np.log(shares @ WIDE.matrix)

    best = minimize(loss, np.zeros(2), tol=1e-12)
    shares = np.exp([*best.x, 0.0]) / np.exp([*best.x, 0.0]).sum()
    np.testing.assert_allclose(found.shares, shares, atol=2e-5)
    assert (np.diff(found.log_likelihoods) >= -1e-15).all()


def test_an_estimate_has_the_shape_of_the_categories_and_everything_of_it_works():
    channel = product_channel([KUK, WIDE], [(0,), (1,)])
    shares = np.array([[0.2, 0.1, 0.1], [0.1, 0.2, 0.3]])
    counts = np.random.default_rng(1).multinomial(4000, channel.push(shares).ravel()).reshape(26, 4)
    estimate = invert_counts(counts, channel)
    assert estimate.released.shape == (26, 4)
    assert estimate.shares.shape == estimate.interval()[0].shape == (2, 3)
    assert estimate.reports.sizes == (26, 4)
    assert estimate.randomized is None
    assert estimate.blend().shares.shape == (2, 3)
    assert estimate.interval(simultaneous=True)[1].shape == (2, 3)
    assert estimate.people_for(0.01) > 4000
    assert estimate.weakest is not None
    assert not estimate.weakest.worse


def test_more_reports_than_anyone_gives_change_nothing():
    padded = MatrixChannel(np.column_stack([WIDE.matrix[:, :2], np.zeros(3), WIDE.matrix[:, 2:]]))
    np.testing.assert_allclose(np.delete(padded.inverse, 2, axis=1), WIDE.inverse, atol=1e-12)
    assert padded.weakest == pytest.approx(WIDE.weakest)


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (NARROW.matrix, ((0, 1), (2,))),
        ([[0.8, 0.2], [0.4, 0.6], [0.1, 0.9]], ((0, 1, 2),)),
        ([[0.5, 0.5]] * 3, ((0, 1, 2),)),
        ([[0.7, 0.3, 0.0], [0.1, 0.9, 0.0], [0.4, 0.6, 0.0], [0.0, 0.0, 1.0]], ((0, 1, 2), (3,))),
        ([[0.9, 0.1, 0], [0.2, 0.8, 0], [0.9, 0.1, 0], [0.2, 0.8, 0], [0, 0.5, 0.5]], ((0, 2), (1, 3), (4,))),
        ([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], ((0,), (1,), (2,), (3,))),
        ([[0.5, 0, 0.5, 0], [0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0], [0, 0.5, 0, 0.5]], ((0, 1), (0, 2), (1, 3), (2, 3))),
    ],
)
def test_what_can_be_estimated_is_what_two_tables_with_the_same_reports_agree_on(matrix, expected):
    matrix = np.array(matrix, dtype=np.float64)
    assert smallest_sets(matrix) == expected
    rng = np.random.default_rng(2)
    channel = MatrixChannel(matrix)
    for chosen in expected:  # the inverse is unbiased for those, whatever the shares
        shares = rng.dirichlet(np.ones(len(matrix)))
        assert channel.invert(channel.push(shares))[list(chosen)].sum() == pytest.approx(shares[list(chosen)].sum(), abs=1e-9)


def test_many_categories_reported_alike_are_found_without_trying_all_sets():
    rows = np.random.default_rng(0).dirichlet(np.ones(8), 8)
    matrix = rows[np.repeat(np.arange(8), 3)]
    assert smallest_sets(matrix) == tuple((3 * i, 3 * i + 1, 3 * i + 2) for i in range(8))


@pytest.mark.parametrize(
    ("channel", "words"),
    [
        (NARROW, "only the share of 'never' and 'seldom' together and that of 'often' can be estimated. Merge such categories"),
        (
            MatrixChannel(np.array([[0.8, 0.2], [0.4, 0.6], [0.1, 0.9]])),
            "2 reports of 'drug' do not distinguish its 3 categories, so the share of none of them can be estimated",
        ),
        (MatrixChannel(np.full((3, 3), 1 / 3)), "no information about 'drug'"),
    ],
)
def test_what_cannot_be_estimated_is_said_in_words(channel, words):
    both = product_channel([channel, SubsetChannel.product((2,), np.array([0.2]))], [(1,), (0,)])
    schema = Schema((Attribute("sex", ("f", "m")), Attribute("drug", ("never", "seldom", "often"))))
    assert both.lost() == ((1,),)
    with pytest.raises(NotIdentifiableError, match=words.replace(".", r"\.")) as caught:
        invert_counts(np.ones(both.report_sizes, dtype=np.int64), both, schema=schema)
    assert caught.value.lost == ((1,),)


@pytest.mark.long
def test_intervals_of_kuk_cards_cover():
    """4,000 releases of 400 people each: 95% intervals of the share cover in 93 to 97% (false alarm below 1e-8, binomial)."""
    rng = np.random.default_rng(11)
    for share in (0.1, 0.4):
        shares = np.array([share, 1 - share])
        counts = rng.multinomial(400, KUK.push(shares), size=4_000)
        estimates = KUK.invert(counts.T / 400)
        covered = held([shares_of(KUK, each, True, cell=0) for each in counts], share).mean()
        assert 0.93 < covered < 0.975
        assert abs(estimates[0].mean() - share) < 5 * estimates[0].std() / np.sqrt(4_000)  # false alarm 6e-7
