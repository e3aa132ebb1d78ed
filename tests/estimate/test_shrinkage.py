"""Reading the whole table at once: against a slow version in loops, against simulated noise, and whatever else was asked."""

import math
from functools import reduce
from itertools import combinations, permutations, product

import numpy as np
import pytest

import rrcore as rr
from rrcore.budget import build
from rrcore.channel import MatrixChannel, product_channel
from rrcore.errors import NotIdentifiableError
from rrcore.estimate import Release, Rows, Sample, independent_shares
from rrcore.estimate.estimators import nearest
from rrcore.estimate.shrinkage import Shrinkage, listed_sets
from rrcore.estimate.shrinkage_prior import STRENGTHS, contrasts, usual_law
from rrcore.table.scanning import count
from tests.oracles import cells
from tools.usual_dependence import strengths

TITANIC = rr.load_demo("titanic")


def released(mechanism="preserving-2", level=1.0, seed=0, table=TITANIC):
    made = build(mechanism, table.schema.sizes, [level] * table.k)
    return rr.simulate(table, made, rng=np.random.default_rng(seed))


def half_l1(one, other):
    return np.abs(one - other).sum() / 2


# against a slow version


def slow_top(table):
    """Piece W of a table by inclusion and exclusion over the sets of axes that are replaced by their mean."""
    out = np.zeros_like(table)
    for width in range(table.ndim + 1):
        for axes in combinations(range(table.ndim), width):
            out += (-1) ** width * table.mean(axis=axes, keepdims=True)
    return out


def slow_centre(singles, below):
    """The table of largest entropy with the margins ``below``, by 500 sweeps over its cells."""
    table = independent_shares(singles, [(i,) for i in range(len(singles))])
    for _ in range(500 if below else 0):
        for axes, target in below.items():
            others = tuple(i for i in range(table.ndim) if i not in axes)
            own = table.sum(axis=others, keepdims=True)
            table = table * np.expand_dims(target, others) / np.where(own > 0, own, 1)
    return table


def slow_reader(release):
    """theory.md section 25 for pairs and triples, in loops: axes -> shares."""
    k, names = len(release.schema.names), release.schema.names
    tables = {(i,): release.estimate([names[i]]).projected for i in range(k)}
    for width in (2, 3):
        seen = {}
        for axes in combinations(range(k), width):
            channel, shares = release.channel([names[i] for i in axes]), release.released([names[i] for i in axes])
            singles = [tables[i,] for i in axes]
            below = {} if width == 2 else {b: tables[tuple(axes[i] for i in b)] for b in combinations(range(width), 2)}
            centre = slow_centre(singles, below)
            piece = slow_top(channel.invert(shares) - centre)
            tops = {cell: slow_top(channel.invert(unit(cell, shares.shape))) for cell in cells(shares.shape)}
            length = math.prod(1 - 1 / a for a in channel.sizes)
            trace = sum(shares[u] * (tops[u] ** 2).sum() for u in tops)
            square = sum(shares[u] * shares[v] * (tops[u] * tops[v]).sum() ** 2 for u in tops for v in tops)
            room = math.prod(1 - (single**2).sum() for single in singles)
            noise, nu = (trace - length) / release.n, trace**2 / square
            waves = slow_waves(singles)
            lengths = {power: sum(variance**power for variance, _ in waves) for power in (1, 2)}
            signals = {power: [room * variance**power / lengths[power] for variance, _ in waves] for power in (1, 2)}
            own = [sum(centre[v] * wave[v] ** 2 for v in cells(centre.shape)) for _, wave in waves]
            noises = [
                sum(shares[u] * (tops[u] * wave).sum() ** 2 for u in tops) - o for (_, wave), o in zip(waves, own, strict=True)
            ]
            noises = [noise * each / sum(noises) for each in noises]
            as_if = min(1, nu * sum(each**2 for each in noises) / noise**2)
            lines = list(zip(noises, ((piece * wave).sum() for _, wave in waves), strict=True))
            likely = np.array(
                [
                    [
                        math.exp(
                            as_if * sum(log_normal(y, theta * g + s, s) for (s, y), g in zip(lines, signals[power], strict=True))
                        )
                        for theta in STRENGTHS
                    ]
                    for power in (1, 2)
                ]
            )
            seen[axes] = centre, [wave for _, wave in waves], signals, lines, likely
        law = usual = np.stack([usual_law(width) / 2] * 2)
        for _ in range(400):
            law = 5 * usual + sum(likely * law / (likely * law).sum() for *_, likely in seen.values())
            law = law / law.sum()
        for axes, (centre, waves, signals, lines, likely) in seen.items():
            posterior, table = likely * law / (likely * law).sum(), centre.copy()
            for j, (wave, (s, y)) in enumerate(zip(waves, lines, strict=True)):
                table += (
                    y
                    * wave
                    * sum(
                        chance * theta * signals[power][j] / (theta * signals[power][j] + s)
                        for power, row in zip((1, 2), posterior, strict=True)
                        for theta, chance in zip(STRENGTHS, row, strict=True)
                    )
                )
            if (table < 0).any():
                table = slow_nearest(table)
            tables[axes] = table
    return tables


def slow_nearest(table):
    """The nearest non-negative table with the same marginals, by Dykstra's alternating projections (Boyle and Dykstra 1986)."""
    found, negative = table, np.zeros_like(table)
    for _ in range(5_000):
        clipped = np.maximum(found + negative, 0)
        negative += found - clipped
        found = table + slow_top(clipped - table)
    return np.maximum(found, 0)


def slow_waves(singles):
    """Every product of directions in which shares vary, with the product of their variances for one person."""
    own = []
    for shares in singles:
        varying = np.diag(shares) - np.outer(shares, shares)
        centred = varying - varying.mean(axis=0) - varying.mean(axis=1)[:, None] + varying.mean()
        level = np.full(centred.shape, 1.0)  # the one direction that does not sum to 0, put first
        variances, vectors = np.linalg.eigh(centred - level)
        own.append(list(zip(variances[1:], vectors.T[1:], strict=True)))
    return [
        (math.prod(variance for variance, _ in chosen), reduce(np.multiply.outer, [v for _, v in chosen]))
        for chosen in product(*own)
    ]


def log_normal(y, variance, scale):
    """ln of a normal density, less what is the same for all variances: relative to that of ``scale``."""
    return -(math.log(variance / scale) + y**2 / variance - y**2 / scale) / 2


def unit(cell, shape):
    table = np.zeros(shape)
    table[cell] = 1
    return table


@pytest.mark.parametrize(("mechanism", "level", "seed"), [("independent", 1.0, 0), ("optimal", 0.7, 1), ("preserving-2", 2.0, 2)])
def test_it_is_what_the_theory_says(mechanism, level, seed):
    release = released(mechanism, level, seed)
    for axes, wanted in slow_reader(release).items():  # directions with nearly the same noise are taken together
        np.testing.assert_allclose(release.shrinkage.shares(axes), wanted, atol=2e-6)


# the noise is known


KUK = MatrixChannel(np.array([[0.64, 0.32, 0.04], [0.09, 0.42, 0.49]]))
WARNER = MatrixChannel(np.array([[0.8, 0.2], [0.2, 0.8]]))
CHANNELS = {
    "Kronecker": build("independent", (3, 2, 4), [1.0, 2.0, 1.5]).channel((0, 1, 2)),
    "preserving-2": build("preserving-2", (3, 2, 4), [1.0, 2.0, 1.5]).channel((0, 1, 2)),
    "one more report": product_channel([KUK, build("optimal", (3, 2), [1.0, 1.0]).channel((0, 1))], [(1,), (0, 2)]),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_the_noise_of_the_top_interaction(name):
    """Mean and variance of the squared length over 2,000 releases of 500 people: the mean is within four of its own errors, which happens by
    chance in 6 of 100,000; nu, from the variance, within a fifth."""
    channel, rng, people, runs = CHANNELS[name], np.random.default_rng(7), 500, 2_000
    truth = rng.dirichlet(np.ones(math.prod(channel.sizes))).reshape(channel.sizes)
    counts = rng.multinomial(people, truth.ravel())
    rows = [channel.push(unit(cell, channel.sizes)).ravel() for cell in cells(channel.sizes)]
    found = np.zeros((runs, math.prod(channel.report_sizes)))
    for number, row in zip(counts, rows, strict=True):
        found = found + rng.multinomial(number, row, size=runs)
    shares = found.reshape(runs, *channel.report_sizes) / people
    true_top = slow_top((counts / people).reshape(channel.sizes))
    squares = np.array([((slow_top(channel.invert(one)) - true_top) ** 2).sum() for one in shares])
    energy, directions = channel.top_noise(channel.push((counts / people).reshape(channel.sizes)))
    assert abs(squares.mean() - energy / people) < 4 * squares.std() / math.sqrt(runs)
    assert 2 * squares.mean() ** 2 / squares.var() == pytest.approx(directions, rel=0.2)


@pytest.mark.parametrize("name", CHANNELS)
def test_the_noise_in_closed_form_is_that_of_the_matrix(name):
    channel, reports = CHANNELS[name], math.prod(CHANNELS[name].report_sizes)
    released = np.random.default_rng(1).dirichlet(np.ones(reports)).reshape(channel.report_sizes)
    tops = np.stack([slow_top(channel.invert(unit(cell, channel.report_sizes))).ravel() for cell in cells(channel.report_sizes)])
    products = tops @ tops.T
    trace, weights = np.diag(products) @ released.ravel(), released.ravel()
    room = math.prod(1 - 1 / size for size in channel.sizes)
    np.testing.assert_allclose(
        channel.top_noise(released), (trace - room, trace**2 / (weights @ products**2 @ weights)), rtol=1e-9
    )
    np.testing.assert_allclose(channel.top(released), slow_top(channel.invert(released)), atol=1e-12)
    along = [contrasts(np.random.default_rng(size).dirichlet(np.ones(size)))[1] for size in channel.sizes]
    waves = np.stack([reduce(np.multiply.outer, chosen).ravel() for chosen in product(*along)])
    np.testing.assert_allclose(channel.top_moment(released, along).ravel(), (waves @ tops.T) ** 2 @ released.ravel(), rtol=1e-9)


# tables that agree, whatever else is asked


@pytest.mark.parametrize(("shape", "most"), [((3, 4), 1e-6), ((2, 3, 3), 1e-4)])
def test_the_nearest_table_with_the_same_marginals(shape, most):
    rng = np.random.default_rng(len(shape))
    table = rng.dirichlet(np.ones(math.prod(shape))).reshape(shape)
    table = table + slow_top(rng.normal(0, 2 / table.size, shape))
    assert (table < 0).any()
    found = nearest(table)
    np.testing.assert_allclose(found, slow_nearest(table), atol=most)
    for axis in range(len(shape)):
        np.testing.assert_allclose(found.sum(axis=axis), table.sum(axis=axis), atol=most)


def test_tables_agree():
    whole = released(level=0.5).shrinkage
    for i, j in permutations(range(4), 2):
        np.testing.assert_allclose(whole.shares((i, j)).sum(axis=1), whole.shares((i,)), atol=1e-9)
        np.testing.assert_array_equal(whole.shares((i, j)), whole.shares((j, i)).T)
    for axes in combinations(range(4), 3):
        for out in range(3):
            below = tuple(i for place, i in enumerate(axes) if place != out)
            np.testing.assert_allclose(whole.shares(axes).sum(axis=out), whole.shares(below), atol=2e-3)


def shrunk(release, names):
    return release.shrinkage.shares(release.schema.axes(names))


def test_what_is_shown_does_not_depend_on_what_else_was_asked():
    first, second = released(), released()
    alone = shrunk(first, ["Age", "Survived", "Class"])
    for width in (4, 2, 3):
        for names in combinations(TITANIC.schema.names, width):
            shrunk(second, names)
    np.testing.assert_array_equal(shrunk(second, ["Age", "Survived", "Class"]), alone)


def test_it_stands_beside_the_unbiased_estimate():
    release, names = released(), ["Class", "Sex"]
    found, unbiased = release.estimate(names).closest(), release.estimate(names)
    assert (found.name, found.estimate.shares.tolist()) == ("shrinkage", unbiased.shares.tolist())
    low, high = found.interval()
    assert ((low <= found.shares) & (found.shares <= high)).all()


def test_a_single_attribute_is_read_as_before():
    release = released()
    np.testing.assert_array_equal(shrunk(release, ["Class"]), release.estimate(["Class"]).projected)


def test_without_noise_the_truth_is_read():
    release = released("independent", 16.0)
    for width in (1, 2, 3, 4):
        for names in combinations(TITANIC.schema.names, width):
            found = shrunk(release, names)
            assert half_l1(found, TITANIC.shares(names)) < 0.002


def test_what_is_erased_is_the_table_of_largest_entropy():
    """One of two answers is always a lie, so that the pair's interaction is lost; its single shares are read."""
    schema = rr.Schema((rr.Attribute("a", ("0", "1")), rr.Attribute("b", ("0", "1"))))
    weights = rr.promise.weights.LieWeights((2, 2), 0, (("00", 1), ("01", 1), ("10", 1), ("11", 5)))
    file = rr.MechanismFile(schema, (((0, 1), weights),))
    channel = file.channel((0, 1))
    assert channel.lost() == ()
    erased = rr.MechanismFile(schema, (((0, 1), rr.promise.weights.LieWeights((2, 2), 0, (("00", 1), ("01", 2), ("11", 1)))),))
    assert erased.channel((0, 1)).lost() == ((0, 1),)
    release = Release(rr.Dataset(schema, np.random.default_rng(0).integers(0, 2, (500, 2))), erased)
    singles = [release.estimate([name]).projected for name in "ab"]
    np.testing.assert_allclose(release.shrinkage.shares((0, 1)), np.outer(*singles), atol=1e-12)
    with pytest.raises(NotIdentifiableError):
        release.estimate(["a", "b"]).closest()


def test_weights_make_people_fewer():
    plain = released()
    even = Release(plain.dataset, plain.mechanism, sample=Sample(np.ones(plain.n)))
    uneven = Release(plain.dataset, plain.mechanism, sample=Sample(np.random.default_rng(0).gamma(0.3, size=plain.n)))
    np.testing.assert_allclose(even.shrinkage.shares((0, 1, 3)), plain.shrinkage.shares((0, 1, 3)), atol=1e-9)
    names = ["Class", "Sex"]
    assert uneven.effective(names) < 0.5 * plain.effective(names)


def with_a_share_that_is_lost():
    """Two attributes that differ, and a third one of three categories and two reports."""
    schema = rr.Schema((*(rr.Attribute(name, ("0", "1")) for name in "ab"), rr.Attribute("c", ("0", "1", "2"))))
    reports = rr.Schema((*schema.attributes[:2], rr.Attribute("c", ("x", "y"))))
    plain = rr.promise.weights.LieWeights((2,), 0, (("0", 3), ("1", 1)))
    two = rr.promise.weights.MatrixWeights(((4, 1), (1, 4), (1, 4)))
    file = rr.MechanismFile(schema, (((0,), plain), ((1,), plain), ((2,), two)), reports=reports)
    rng = np.random.default_rng(4)
    first = rng.integers(0, 2, (900, 1))
    codes = np.hstack([first, np.where(rng.random((900, 1)) < 0.6, first, 1 - first), rng.integers(0, 2, (900, 1))])
    return reports, file, codes


def test_what_is_lost_of_one_attribute_is_no_hindrance_to_weights():
    reports, file, codes = with_a_share_that_is_lost()
    plain = Release(rr.Dataset(reports, codes), file)
    even = Release(plain.dataset, file, sample=Sample(np.ones(900)))
    np.testing.assert_allclose(even.shrinkage.shares((0, 1)), plain.shrinkage.shares((0, 1)), atol=1e-9)
    weights = np.random.default_rng(0).gamma(0.5, size=900)
    uneven = Release(plain.dataset, file, sample=Sample(weights))
    assert uneven.effective(["a", "c"]) == pytest.approx(weights.sum() ** 2 / (weights**2).sum())  # Kish 1965
    assert uneven.estimate(["a", "b"]).closest().shares.sum() == pytest.approx(1)


def test_attributes_that_nobody_with_a_weight_answered_together_teach_nothing():
    """Who has all answers has no weight, and of the others some answered c and some the rest: a and b are read as if c had not been asked."""
    reports, file, codes = with_a_share_that_is_lost()
    codes[5:600, 2] = -1
    codes[600:, :2] = -1
    weights = np.where(np.arange(900) < 5, 0.0, 1.0)
    release = Release((Rows(reports, codes, sample=Sample(weights)),), file)
    assert (release.effective(["a", "c"]), release.effective(["a", "b"])) == (0, pytest.approx(595))
    two = rr.MechanismFile(rr.Schema(reports.attributes[:2]), file.groups[:2])
    alone = Release(rr.Dataset(two.schema, codes[5:600, :2]), two)
    np.testing.assert_allclose(release.shrinkage.shares((0, 1)), alone.shrinkage.shares((0, 1)), atol=1e-9)
    assert release.shrinkage.shares((0, 2)).sum() == pytest.approx(1)
    nobody = Release((Rows(reports, codes, sample=Sample(np.append(weights[:600], np.zeros(300)))),), file)
    np.testing.assert_allclose(nobody.shrinkage.shares((2,)), [1 / 3] * 3)


# what its law is learned from


@pytest.mark.parametrize(
    ("k", "width", "number"), [(8, 2, 28), (8, 3, 56), (20, 2, 190), (60, 2, 200), (12, 3, 200), (100, 4, 200)]
)
def test_listed_sets(k, width, number):
    found = listed_sets((2,) * k, width)
    assert len(set(found)) == len(found) == number
    assert found == sorted(found)
    assert all(len(set(axes)) == width and axes[0] >= 0 and axes[-1] < k for axes in found)
    every = list(combinations(range(k), width)) if k < 20 else []
    if every:
        assert found == [every[i * len(every) // number] for i in range(number)]


def test_the_usual_law_has_the_strengths_of_shipped_tables():
    """Nine of ten pairs and triples of three tables are between the 2.5 and 97.5% points of the law without its part on 0."""
    inside = []
    for key in ("titanic", "haireye", "berkeley"):
        for width, found in strengths(rr.load_demo(key)).items():
            law = usual_law(width)
            assert law.sum() == pytest.approx(1)
            low, high = np.interp([0.025, 0.975], law[1:].cumsum() / law[1:].sum(), STRENGTHS[1:])
            inside += [low < theta < high for theta in found if width < 4]
    assert np.mean(inside) >= 0.9


@pytest.mark.long
@pytest.mark.parametrize(("width", "times"), [(3, 1.1), (4, 1.1)])
def test_wide_tables_come_closer_than_by_the_blend(width, times):
    census = rr.load_demo("census")
    census = census.select(census.schema.names[:6])
    release, blend, found = released("independent", 1.0, table=census), 0.0, 0.0
    for names in combinations(census.schema.names, width):
        truth = census.shares(names)
        blend += half_l1(release.estimate(names).blend().shares, truth)
        found += half_l1(shrunk(release, names), truth)
    assert blend > times * found


def test_shares_of_a_wide_set_are_a_distribution():
    whole = Shrinkage(released("optimal", 0.4))
    for axes in combinations(range(4), 3):
        assert whole.shares(axes).min() >= 0
        assert whole.shares(axes).sum() == pytest.approx(1)


# what cannot be read, or was not counted, keeps nobody from reading the rest


ABC = rr.Schema(tuple(rr.Attribute(name, ("0", "1")) for name in "abc"))


def independent(*lies):
    return rr.MechanismFile(ABC, tuple(((i,), rr.promise.weights.LieWeights((2,), 1, own)) for i, own in enumerate(lies)))


def test_an_attribute_that_cannot_be_read_keeps_nobody_from_reading_others():
    honest = (("0", 3),)
    release = Release(rr.Dataset(ABC, np.random.default_rng(0).integers(0, 2, (500, 3))), independent(honest, honest, ()))
    assert shrunk(release, ["a", "b"]).sum() == pytest.approx(1)


def test_counts_of_one_marginal_alone_are_read_by_the_blend():
    counts = count(rr.Dataset(ABC, np.random.default_rng(0).integers(0, 2, (500, 3))), [("a", "b")])
    only = Release(counts, independent(*[(("0", 3),)] * 3))
    assert only.estimate(["a", "b"]).closest().name == "blend"


def test_the_largest_difference_from_what_is_read_alone_is_in_the_result():
    people = rr.load_demo("census").select(rr.load_demo("census").schema.names[1:5])
    release = rr.simulate(people, build("preserving-2", people.schema.sizes, [1.0] * 4), rng=np.random.default_rng(2))
    axes_of = release.schema.axes
    found = {names: release.shrinkage.disagreement(axes_of(names)) for names in combinations(people.schema.names, 3)}
    for names, disagreement in found.items():
        shares = shrunk(release, names)
        pairs = ((shares.sum(axis=out), [name for i, name in enumerate(names) if i != out]) for out in range(3))
        apart = max(float(np.abs(own - shrunk(release, pair)).max()) for own, pair in pairs)
        assert disagreement == pytest.approx(apart, abs=1e-15)
    assert max(found.values()) > 0
    assert release.shrinkage.disagreement((0, 1)) < 1e-9
    assert release.shrinkage.disagreement((0,)) == 0
