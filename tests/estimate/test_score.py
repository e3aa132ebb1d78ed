"""Intervals where cells are rare: coverage cell by cell, what an unseen answer gets, joint intervals, and those of other point estimates."""

import numpy as np
import pytest
from scipy.stats import gamma, norm

from rrcore.channel import LieSets, MatrixChannel, side_by_side
from rrcore.estimate import estimate_marginal, joint_point, normal_point, share_laws, simplex_each
from rrcore.estimate.score import ShareLaws
from rrcore.mechanisms import build
from tests.estimate.coverage import Setting, coverage_by_cell, draw

RUNS = 2_000
LEEWAY = 0.01
"""What the measurement adds to the bounds: 2,000 releases tell a coverage of 93 or 97 % to 0.57 and 0.38 points (one standard deviation),
one of 90 % to 0.67. A cell covered by just 95 % is 6 standard deviations inside: 2e-9 for each of the 700 cells. Seeds are fixed."""

SETTINGS = [
    Setting("kronecker", (4,), 4.04, 200),
    Setting("kronecker", (3, 2), 2.0, 200),
    Setting("kronecker", (4, 3, 2), 1.0, 500),
    Setting("pair-safe", (4, 3, 2), 2.0, 200),
    Setting("kronecker", (3, 2, 3, 2), 3.0, 200),
    Setting("pair-safe", (3, 2, 3, 2), 2.0, 500),
    Setting("3-safe", (3, 2, 3, 2), 1.0, 5000),
    Setting("3-safe", (5, 4, 3, 3), 2.0, 200, zeros=False),
    Setting("pair-safe", (5, 4, 3, 3), 2.0, 5000, zeros=False),
    Setting("kronecker", (3, 2), 2.0, 200, population=False),
    Setting("pair-safe", (4, 3, 2), 2.0, 500, population=False),
    Setting("3-safe", (3, 2, 3, 2), 2.0, 200, population=False),
    Setting("kronecker", (4, 3, 2), 1.0, 5000, population=False),
]


def assert_covers(setting):
    covered, expected, _ = coverage_by_cell(setting, RUNS, np.random.default_rng(31))
    often = covered[expected >= 5]
    assert covered.min() >= 0.9 - LEEWAY
    if often.size:
        assert often.min() >= 0.93 - LEEWAY
        assert often.max() <= 0.97 + LEEWAY


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_cell_is_covered(setting):
    """93 to 97 % where 5 or more reports are expected, 90 % everywhere; what the measurement itself scatters by comes on top."""
    assert_covers(setting)


@pytest.mark.slow
@pytest.mark.xfail(
    strict=True, reason="98.9 % for one cell: with 200 people and near certain answers an estimate moves in steps of a deviation"
)
def test_every_cell_is_covered_against_these_people_at_weak_protection():
    assert_covers(Setting("kronecker", (4, 3, 2), 4.0, 200, population=False))


def some_channels():
    yield build("pair-safe", (3, 2, 2), (2.0, 1.0, 1.5)).marginal_channel((2, 0, 1))
    yield build("kronecker", (4,), (4.0,)).marginal_channel((0,))
    forced = MatrixChannel(np.array([[5 / 6, 1 / 6], [1 / 3, 2 / 3]]))
    yield side_by_side([forced, LieSets.product((3,), np.array([0.3]))], [[1], [0]])


def matrix_of(channel):
    cells = int(np.prod(channel.sizes))
    return channel.push(np.eye(cells).reshape(*channel.sizes, cells)).reshape(cells, cells)  # column: true cell


@pytest.mark.parametrize("channel", list(some_channels()), ids=["pair-safe", "one question", "designs"])
@pytest.mark.parametrize("population", [False, True])
def test_the_law_of_a_share_is_the_one_of_the_dense_channel(channel, population):
    """Deviation and skewness for a hypothesised share, by listing what every record of every person adds; shares inside the simplex."""
    rng, n, cells = np.random.default_rng(3), 400, int(np.prod(channel.sizes))
    truth = rng.dirichlet(np.full(cells, 5.0))
    matrix = matrix_of(channel)
    inverse, released = np.linalg.inv(matrix), (matrix @ truth).reshape(channel.sizes)
    shares = channel.invert(released)
    laws = share_laws(released, shares, shares, channel, n, population=population)
    trusting = [(laws.base + laws.slope * shares).ravel(), (inverse**2 @ (matrix @ truth))]
    np.testing.assert_allclose(*trusting, rtol=1e-9)  # at the estimate itself both ways of getting the second moment agree
    for x in (0.0, 0.3):
        wanted = []
        for cell in range(cells):
            others = np.delete(truth, cell) / np.delete(truth, cell).sum() * (1 - x)
            pi = np.insert(others, cell, x)
            added = inverse[cell]
            if population:
                law = matrix @ pi
                centred = added - law @ added
                wanted.append((law @ centred**2, law @ centred**3))
            else:
                second = sum(p * column @ (added - column @ added) ** 2 for p, column in zip(pi, matrix.T, strict=True))
                third = sum(p * column @ (added - column @ added) ** 3 for p, column in zip(pi, matrix.T, strict=True))
                wanted.append((second, third))
        second, third = np.array(wanted).T
        own = laws.base + laws.slope * x - (x**2 if population else x)
        skewness = laws.skewness(np.full(channel.sizes, x)).ravel() * own.ravel() ** 1.5 * np.sqrt(n)
        np.testing.assert_allclose(own.ravel(), second, rtol=0.25)  # base and slope also use how both moments go together
        projected_only = share_laws(released, shares, shares, channel, 1, population=population)
        assert np.isfinite(projected_only.base).all()
        third_of_law = (1 - x) * laws.others + x * (laws.own if population else laws.own - 3 * laws.own_square + 2)
        if population:
            third_of_law = third_of_law - 3 * x * (second + x**2).reshape(channel.sizes) + 2 * x**3
            np.testing.assert_allclose(third_of_law.ravel(), third, rtol=1e-8, atol=1e-8)
        else:
            np.testing.assert_allclose(third_of_law.ravel(), third, rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(skewness, third, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("population", [False, True])
def test_intervals_are_what_the_test_does_not_reject(population):
    """Ends by quadratic or halving against the acceptance of 4,001 shares; rare cells and steps of one report included."""
    channel = build("kronecker", (4, 3), (3.0, 3.0)).marginal_channel((0, 1))
    counts = np.array([[60, 3, 0], [1, 9, 0], [2, 0, 14], [0, 1, 2]])
    estimate = estimate_marginal(counts, channel)
    laws = estimate.laws(population=population)
    z = normal_point(0.95)
    low, high = laws.interval(z)
    x = np.linspace(0, 1, 4001)
    accepted = np.array([laws.accepts(np.full(counts.shape, one), z) for one in x])
    for cell in np.ndindex(counts.shape):
        inside = x[accepted[(slice(None), *cell)]]
        assert inside.size
        assert max(low[cell], 0) == pytest.approx(inside.min(), abs=3e-4)
        assert min(high[cell], 1) == pytest.approx(inside.max(), abs=3e-4)


@pytest.mark.parametrize("z", [0.7, 1.959963984540054, 4.5])
def test_limits_of_a_skewed_law_are_gamma_quantiles(z):
    """Of 2,000 cells, both ways skewed, as scipy's distribution has them; normal ones where those reach further."""
    x, rng = np.full(2000, 0.3), np.random.default_rng(6)
    wanted = rng.choice([-1, 1], 2000) * np.exp(rng.uniform(np.log(0.51), np.log(29.9), 2000))
    base, n = 1.0, 50
    variance = base - x**2
    others = (wanted * np.sqrt(n) * variance**1.5 + 3 * x * base - 2 * x**3) / (1 - x)
    none = np.zeros(2000)
    laws = ShareLaws(x, none + base, none, others, none, none, n, True)
    skewness = laws.skewness(x)
    np.testing.assert_allclose(skewness, wanted, rtol=1e-9)
    standard = gamma(4 / skewness**2, loc=-2 / np.abs(skewness), scale=np.abs(skewness) / 2)
    low, high = -standard.ppf(norm.cdf(-z)), standard.isf(norm.cdf(-z))
    below, above = laws.limits(x, z)
    np.testing.assert_allclose(below, np.maximum(z, np.where(skewness > 0, low, high)), rtol=1e-5)
    np.testing.assert_allclose(above, np.maximum(z, np.where(skewness > 0, high, low)), rtol=1e-5)


@pytest.mark.parametrize("level", [0.5, 2.0, 6.0, 12.0])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_no_interval_is_empty_and_no_error_is_0(level, n):
    """All answers the same: what nobody gave has a positive error and an interval that holds 0."""
    channel = build("kronecker", (4, 2), (level, level)).marginal_channel((0, 1))
    counts = np.zeros((4, 2), dtype=np.int64)
    counts[1, 1] = n
    estimate = estimate_marginal(counts, channel)
    for population in (False, True):
        low, high = estimate.interval(population=population)
        assert (estimate.standard_error(population=population) > 0).all()
        assert (low < high).all()
        if level >= 6:  # below, so many equal answers are hardly possible, and no share explains them
            assert ((low <= 0) & (high >= 0))[counts == 0].all()
        for point in (estimate.simplex(), estimate.blend()):
            low, high = point.interval(population=population)
            assert ((low >= 0) & (low <= point.shares) & (point.shares <= high) & (high <= 1)).all()
            assert (high > low).all()


@pytest.mark.slow
@pytest.mark.parametrize("population", [False, True])
def test_intervals_of_other_point_estimates_cover_what_the_unbiased_one_covers(population):
    """Every possible share in the interval of the unbiased estimate is in theirs: they cover at least as often."""
    channel, rng = build("pair-safe", (3, 2, 2), (1.0,) * 3).marginal_channel(range(3)), np.random.default_rng(5)
    truth = np.array([0.4, 0.0, 0.1, 0.02, 0.0, 0.2, 0.03, 0.0, 0.15, 0.05, 0.05, 0.0]).reshape(3, 2, 2)
    counts = draw(channel, truth, 500, 12, population=True, rng=rng)
    for run in range(12):
        estimate = estimate_marginal(counts[..., run], channel)
        low, high = estimate.interval(population=population)
        for point in (estimate.simplex(), estimate.blend()):
            first, last = point.interval(population=population)
            possible = (high >= 0) & (low <= 1)
            assert (first <= np.maximum(low, 0) + 1e-12)[possible].all()
            assert (last >= np.minimum(high, 1) - 1e-12)[possible].all()
            assert ((first <= point.shares) & (point.shares <= last)).all()


@pytest.mark.slow
@pytest.mark.parametrize("population", [False, True])
@pytest.mark.parametrize(("mechanism", "level"), [("kronecker", 2.0), ("pair-safe", 1.0)])
def test_joint_intervals_hold_all_cells_at_once(mechanism, level, population):
    """95 % of 2,000 releases (standard deviation 0.5 points) have all 24 true shares inside; one by one far fewer have."""
    setting = Setting(mechanism, (4, 3, 2), level, 2000, zeros=False, population=population)
    rng, channel = np.random.default_rng(8), setting.channel()
    truth = setting.truth(rng)
    released = draw(channel, truth, setting.n, RUNS, population=population, rng=rng) / setting.n
    shares = channel.invert(released)
    projected = simplex_each(shares)
    laws = share_laws(released, shares, projected, channel, setting.n, population=population)
    z = joint_point(projected[..., 0], channel, 0.95, population=population)
    at = np.broadcast_to(truth[..., None], shares.shape)
    held, alone = (laws.accepts(at, point).reshape(24, -1).all(axis=0).mean() for point in (z, normal_point(0.95)))
    assert 0.925 <= held <= 0.975
    assert alone < 0.75
    assert normal_point(0.95) < z <= normal_point(0.95 ** (1 / 24)) + 1e-12


@pytest.mark.parametrize("power", [2, 3, 4])
@pytest.mark.parametrize("channel", list(some_channels()), ids=["pair-safe", "one question", "designs"])
def test_moments_of_the_inverse_are_those_of_the_dense_one(channel, power):
    matrix = matrix_of(channel)
    inverse = np.linalg.inv(matrix)
    released = np.random.default_rng(1).dirichlet(np.ones(len(matrix)))
    found = channel.inverse_moment(released.reshape(channel.sizes), power)
    np.testing.assert_allclose(found.ravel(), inverse**power @ released, rtol=1e-8)
    np.testing.assert_allclose(channel.own_moment(power).ravel(), (inverse**power * matrix.T).sum(axis=1), rtol=1e-8)
    for axes in ([0], [channel.w - 1]):
        one, table = channel.marginal(axes), np.random.default_rng(4).dirichlet(np.ones(len(matrix))).reshape(channel.sizes)
        others = tuple(i for i in range(channel.w) if i not in axes)
        np.testing.assert_allclose(one.push(table.sum(axis=others)), channel.push(table).sum(axis=others), atol=1e-12)
