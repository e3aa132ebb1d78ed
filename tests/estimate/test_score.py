"""Intervals where cells are rare: coverage cell by cell, what an unseen answer gets, joint intervals, and those of other point estimates."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import gamma, norm

from rrcore.channel import LieSets, MatrixChannel, product_channel
from rrcore.estimate import invert_counts, normal_point, simplex_of_each
from rrcore.estimate.score import ShareLaws, joint_point, share_laws
from rrcore.mechanisms import build
from tests.estimate.coverage import Setting, accepts, coverage_by_cell, draw

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
    yield product_channel([forced, LieSets.product((3,), np.array([0.3]))], [[1], [0]])


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
    found = (laws.deviation(shares) ** 2 * (n - population) + (shares**2 if population else shares)).ravel()
    np.testing.assert_allclose(
        found, inverse**2 @ (matrix @ truth), rtol=1e-9
    )  # there both ways of getting the second moment agree
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
        spread = laws.deviation(np.full(channel.sizes, x)).ravel() ** 2 * (n - population)
        skewness = laws.skewness(np.full(channel.sizes, x)).ravel() * spread**1.5 * np.sqrt(n)
        np.testing.assert_allclose(spread, second, rtol=0.3)  # the second moment that was seen counts, too
        doubting = replace(laws, trust=np.zeros_like(shares))
        spread = doubting.deviation(np.full(channel.sizes, x)).ravel() ** 2 * (n - population)
        np.testing.assert_allclose(spread, second, rtol=1e-9)
        third_of_law = (1 - x) * laws.others_cube + x * (laws.own_cube if population else laws.own_cube - 3 * laws.own_square + 2)
        if population:
            third_of_law = third_of_law - 3 * x * (second + x**2).reshape(channel.sizes) + 2 * x**3
            np.testing.assert_allclose(third_of_law.ravel(), third, rtol=1e-8, atol=1e-8)
        else:
            np.testing.assert_allclose(third_of_law.ravel(), third, rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(skewness, third, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("population", [False, True])
def test_intervals_are_what_the_test_does_not_reject(population):
    """Ends against the acceptance of 4,001 shares; rare cells and steps of one report included."""
    channel = build("kronecker", (4, 3), (3.0, 3.0)).marginal_channel((0, 1))
    counts = np.array([[60, 3, 0], [1, 9, 0], [2, 0, 14], [0, 1, 2]])
    estimate = invert_counts(counts, channel)
    laws = estimate.laws(population=population)
    z = normal_point(0.95)
    low, high = laws.interval(z)
    x = np.linspace(0, 1, 4001)
    accepted = np.array([accepts(laws, np.full(counts.shape, one), z) for one in x])
    for cell in np.ndindex(counts.shape):
        inside = x[accepted[(slice(None), *cell)]]
        assert inside.size
        assert max(low[cell], 0) == pytest.approx(inside.min(), abs=3e-4)
        assert min(high[cell], 1) == pytest.approx(inside.max(), abs=3e-4)


def laws_of_skewness(wanted, x, n=50):
    """Laws against a population of one cell each, whose estimates have these skewnesses if the share is x."""
    ones, none = np.ones_like(x), np.zeros_like(x)
    others = (wanted * np.sqrt(n) * (1 - x**2) ** 1.5 + 3 * x - 2 * x**3) / (1 - x)
    return ShareLaws(x, x, ones, none, ones, others, ones, none, n, True)


@pytest.mark.parametrize("z", [0.7, 1.959963984540054, 3.7])
def test_limits_of_a_skewed_law_are_gamma_quantiles(z):
    """Of 2,000 cells, both ways skewed, as scipy's distribution has them; the short side goes to z between half a rare count's and that."""
    x, rng = np.full(2000, 0.3), np.random.default_rng(6)
    wanted = rng.choice([-1, 1], 2000) * np.exp(rng.uniform(np.log(0.001), np.log(29.9), 2000))
    rare = 1 / np.sqrt(-np.log(norm.cdf(-z)))
    wanted[:2] = 0.75 * rare, -0.75 * rare
    laws = laws_of_skewness(wanted, x)
    size = np.abs(wanted)
    np.testing.assert_allclose(np.abs(laws.skewness(x)), size, rtol=1e-8)
    standard = gamma(4 / size**2, loc=-2 / size, scale=size / 2)
    short, long = -standard.ppf(norm.cdf(-z)), np.maximum(z, standard.isf(norm.cdf(-z)))
    below, above = laws.limits(x, z)
    np.testing.assert_allclose(np.where(wanted > 0, above, below), long, rtol=1e-5)
    found = np.where(wanted > 0, below, above)
    little = size <= rare / 2
    np.testing.assert_allclose(found[little], short[little], rtol=1e-5)
    np.testing.assert_allclose(found[size >= rare], z, rtol=1e-12)
    np.testing.assert_allclose(found[:2], (short[:2] + z) / 2, rtol=1e-5)


@pytest.mark.parametrize("z", [1.959963984540054, 2.575829303548901, 3.7])
def test_no_count_is_no_surprise_where_it_happens_more_often_than_a_normal_law_says(z):
    """A Poisson count of mean m has skewness m^(-1/2) and is 0, m^(1/2) deviations below its mean, with probability e^-m."""
    mean = np.linspace(0.05, 2 * -np.log(norm.cdf(-z)), 400)
    below, _ = laws_of_skewness(mean**-0.5, np.full(400, 0.3)).limits(np.full(400, 0.3), z)
    often = np.exp(-mean) > norm.cdf(-z)
    assert often.any()
    assert (below >= np.sqrt(mean) - 1e-9)[often].all()


@pytest.mark.parametrize("level", [0.5, 2.0, 6.0, 12.0])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_no_interval_is_empty_and_no_error_is_0(level, n):
    """All answers the same: what nobody gave has a positive error and an interval that holds 0."""
    channel = build("kronecker", (4, 2), (level, level)).marginal_channel((0, 1))
    counts = np.zeros((4, 2), dtype=np.int64)
    counts[1, 1] = n
    estimate = invert_counts(counts, channel)
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
        estimate = invert_counts(counts[..., run], channel)
        low, high = estimate.interval(population=population)
        for point in (estimate.simplex(), estimate.blend()):
            first, last = point.interval(population=population)
            possible = (high >= 0) & (low <= 1)
            assert (first <= np.maximum(low, 0) + 1e-12)[possible].all()
            assert (last >= np.minimum(high, 1) - 1e-12)[possible].all()
            assert ((first <= point.shares) & (point.shares <= last)).all()


def held(setting, runs, rng):
    """How often all joint intervals of 95 % hold at once, and all single ones; which part of the cells those of 99 and 99.9 % hold; and z."""
    channel = setting.channel()
    truth = setting.truth(rng)
    released = draw(channel, truth, setting.n, runs, population=setting.population, rng=rng) / setting.n
    shares = channel.invert(released)
    projected = simplex_of_each(shares)
    laws = share_laws(released, shares, projected, channel, setting.n, population=setting.population)
    z = joint_point(projected[..., 0], channel, 0.95, population=setting.population)
    at = np.broadcast_to(truth[..., None], shares.shape)
    inside = [accepts(laws, at, point).reshape(truth.size, -1) for point in (z, *map(normal_point, (0.95, 0.99, 0.999)))]
    return (*(each.all(axis=0).mean() for each in inside[:2]), *(each.mean() for each in inside[2:]), z)


@pytest.mark.slow
@pytest.mark.parametrize("population", [False, True])
@pytest.mark.parametrize(("mechanism", "level"), [("kronecker", 2.0), ("pair-safe", 1.0)])
def test_joint_intervals_hold_all_cells_at_once(mechanism, level, population):
    """95 % of 2,000 releases (standard deviation 0.5 points) have all 24 true shares inside; one by one far fewer have."""
    setting = Setting(mechanism, (4, 3, 2), level, 2000, zeros=False, population=population)
    together, alone, _, _, z = held(setting, RUNS, np.random.default_rng(8))
    assert 0.925 <= together <= 0.975
    assert alone < 0.75
    assert normal_point(0.95) < z <= normal_point(0.95 ** (1 / 24)) + 1e-12


def test_joint_intervals_of_many_cells_hold_where_estimates_are_a_little_skewed():
    """150 cells of skewness 0.2: all hold in 97 % of releases, so 400 have fewer than 93 % with probability 1e-4; seeds are fixed."""
    together, _, far, further, _ = held(Setting("pair-safe", (6, 5, 5), 2.0, 1000), 400, np.random.default_rng(9))
    assert together >= 0.93
    assert far >= 0.985
    assert further >= 0.997


def test_estimates_far_too_high_are_not_taken_for_precise_ones():
    """Of 225 cells in 300 releases, some 180 lie 3 deviations above the truth; the mean variance told of them scatters by 2 %."""
    setting, rng = Setting("pair-safe", (9, 5, 5), 2.0, 1000), np.random.default_rng(11)
    channel, truth = setting.channel(), setting.truth(rng)[..., None]
    shares = channel.invert(draw(channel, truth[..., 0], setting.n, 300, population=True, rng=rng) / setting.n)
    variance = (channel.inverse_moment(channel.push(truth[..., 0]), 2)[..., None] - truth**2) / setting.n
    laws = share_laws(channel.push(shares), shares, simplex_of_each(shares), channel, setting.n, population=True)
    told = laws.deviation(np.broadcast_to(truth, shares.shape)) ** 2 / variance
    high = shares - truth > 3 * np.sqrt(variance)
    assert high.sum() > 100
    assert told[high].mean() > 1.05
    assert told.mean() == pytest.approx(1.0, abs=0.05)
    assert told.min() > 0.1


@pytest.mark.long
@pytest.mark.parametrize("population", [False, True])
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("n", [1000, 10_000])
@pytest.mark.parametrize("mechanism", ["kronecker", "optimal", "pair-safe"])
@pytest.mark.parametrize("sizes", [(5, 4, 4), (9, 5, 5)], ids=lambda sizes: str(np.prod(sizes)))
def test_joint_and_far_intervals_hold_over_mechanisms_levels_and_tables(sizes, mechanism, n, zeros, population):
    """93 % but for what 800 releases scatter by: where 94.5 % hold, as in most settings with 10,000 people, 92 % are 3.1 standard deviations
    away, so that one of the 48 settings fails by chance with probability 0.04; means over cells are exact to 0.05 points. Seeds are fixed.

    The level is 1 or 2 by the parity of the others, so that every pair of the others meets both.
    """
    level = 1.0 + ((sizes[0] == 9) + (n == 1000) + zeros + population) % 2
    setting = Setting(mechanism, sizes, level, n, zeros, population)
    together, _, far, further, _ = held(setting, 800, np.random.default_rng(10))
    assert together >= 0.93 - LEEWAY
    assert far >= 0.985
    assert further >= 0.997


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
