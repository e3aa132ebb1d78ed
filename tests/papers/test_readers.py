"""Readers of a release, each against a slow and obvious version on a small table."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.estimate import Release, estimated_blend
from rrcore.limits import MAX_EM_CELLS
from rrcore.mechanisms import Kronecker
from rrcore.papers import design, methods
from rrcore.papers.printed_formulas import published_choice
from rrcore.simulation import simulate
from rrcore.table.dataset import Dataset
from rrcore.table.demo import load_demo
from rrcore.table.schema import Attribute, Schema
from tests import oracles

SIZES = (4, 2, 6)
LEVELS = np.array([1.2, 0.8, 1.5])
CLUSTERS = ((2, 0), (1,))
READERS = {
    "inverted": ("independent", methods.inverted),
    "inverted, joint": ("joint", methods.inverted),
    "inverted, preserving": ("preserving-2", methods.inverted),
    "multiplied": ("independent", methods.multiplied),
    "multiplied, clusters": ("clusters", methods.multiplied),
    "hybrid": ("independent", methods.hybrid),
    "published hybrid": ("independent", methods.published_hybrid),
    "truncated": ("independent", methods.truncated),
    "likeliest": ("independent", methods.likeliest),
    "likeliest, preserving": ("preserving-2", methods.likeliest),
    "shrunk": ("independent", methods.shrunk),
    "shrunk, preserving": ("preserving-2", methods.shrunk),
    "adjusted": ("independent", methods.adjusted),
    "adjusted, clusters": ("clusters", methods.adjusted),
}
AXES = [axes for w in (1, 2, 3) for axes in permutations(range(3), w)]


def schema(sizes):
    """Attributes A, B, ... with categories 0, 1, ..."""
    names = "ABC"[: len(sizes)]
    return Schema(tuple(Attribute(name, tuple(map(str, range(a)))) for name, a in zip(names, sizes, strict=True)))


def people():
    """Titanic's class and survival, and a third attribute that depends on both."""
    codes = load_demo("titanic").codes
    third = (codes[:, 0] + 2 * codes[:, 3] + np.random.default_rng(1).integers(0, 2, len(codes))) % 6
    return Dataset(schema(SIZES), np.stack([codes[:, 0], codes[:, 3], third], axis=1))


@pytest.fixture(scope="module")
def releases():
    """Key of ``workload`` -> one release through it, at equal levels."""
    made = {}
    for key in ("independent", "joint", "preserving-2", "clusters"):
        mechanism = design(key, SIZES, LEVELS, spend="total", clusters=CLUSTERS if key == "clusters" else ())
        made[key] = simulate(people(), mechanism, rng=np.random.default_rng(2))
    return made


def shares(release, axes):
    """Released shares, one record after the other."""
    table = np.zeros([SIZES[i] for i in axes])
    for cell, people in Counter(map(tuple, release.dataset.codes[:, list(axes)].tolist())).items():
        table[cell] = people / release.dataset.n
    return table


def slow_inverse(release, axes):
    return oracles.dense_estimate(shares(release, axes), oracles.dense(release.mechanism.channel(axes)))


def slow_product(release, axes, groups):
    parts = [tuple(i for i in axes if i in group) for group in groups]
    tables = {part: slow_inverse(release, part) for part in parts if part}
    out = np.ones([SIZES[i] for i in axes])
    for cell in np.ndindex(*out.shape):
        at = dict(zip(axes, cell, strict=True))
        for part, table in tables.items():
            out[cell] *= table[tuple(at[i] for i in part)]
    return out


def singles(axes):
    return [(i,) for i in axes]


# each against its slow version


@pytest.mark.parametrize("name", ["inverted", "inverted, joint", "inverted, preserving"])
def test_inversion_is_the_inverse_of_the_dense_matrix(releases, name):
    key, reader = READERS[name]
    for axes in AXES:
        wanted = slow_inverse(releases[key], axes)
        np.testing.assert_allclose(reader(releases[key])(axes), wanted, rtol=0, atol=1e-11, err_msg=str(axes))


@pytest.mark.slow
@pytest.mark.parametrize("axes", AXES, ids=str)
def test_multiplied_is_the_product_of_inverted_marginals(releases, axes):
    found = methods.multiplied(releases["independent"])(axes)
    np.testing.assert_allclose(found, slow_product(releases["independent"], axes, singles(axes)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("axes", AXES, ids=str)
def test_multiplied_takes_what_lies_in_one_cluster_together(releases, axes):
    release = releases["clusters"]
    found = methods.multiplied(release)(axes)
    np.testing.assert_allclose(found, slow_product(release, axes, CLUSTERS), rtol=0, atol=1e-12)
    if {0, 2} <= set(axes):
        assert np.abs(found - slow_product(release, axes, singles(axes))).max() > 1e-3


@pytest.mark.parametrize("axes", AXES, ids=str)
def test_hybrid_is_the_one_expected_to_be_closer(releases, axes):
    release = releases["independent"]
    pays = estimated_blend(shares(release, axes), release.mechanism.channel(axes), release.dataset.n).pays
    expected = slow_inverse(release, axes) if pays else slow_product(release, axes, singles(axes))
    np.testing.assert_allclose(methods.hybrid(release)(axes), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("axes", AXES, ids=str)
def test_published_hybrid_follows_the_printed_bounds(releases, axes):
    release = releases["independent"]
    inverts = published_choice([SIZES[i] for i in axes], [LEVELS[i] for i in axes], release.dataset.n)
    expected = slow_inverse(release, axes) if inverts else slow_product(release, axes, singles(axes))
    np.testing.assert_allclose(methods.published_hybrid(release)(axes), expected, rtol=0, atol=1e-11)


def test_published_hybrid_uses_epsilons_of_its_attributes():
    """Attributes 0 and 1 are hardly randomized, attribute 2 strongly: only the pair of the first two is inverted."""
    few = Dataset(schema(SIZES), people().codes[::7])
    release = simulate(few, Kronecker.from_epsilon(SIZES, [6.0, 6.0, 0.1]), rng=np.random.default_rng(10))
    for axes in combinations(range(3), 2):
        expected = slow_inverse(release, axes) if axes == (0, 1) else slow_product(release, axes, singles(axes))
        np.testing.assert_allclose(methods.published_hybrid(release)(axes), expected, rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("axes", AXES, ids=str)
def test_truncated_is_between_0_and_smaller_marginals(releases, axes):
    release = releases["independent"]
    expected = np.maximum(slow_inverse(release, axes), 0)
    for left_out in range(len(axes)):
        rest = axes[:left_out] + axes[left_out + 1 :]
        limits = slow_inverse(release, rest) if rest else np.ones(())
        for cell in np.ndindex(*expected.shape):
            expected[cell] = min(expected[cell], max(0.0, float(limits[cell[:left_out] + cell[left_out + 1 :]])))
    np.testing.assert_allclose(methods.truncated(release)(axes), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ["likeliest", "likeliest, preserving"])
@pytest.mark.parametrize("axes", [(1,), (0, 1), (2, 0, 1)], ids=str)
def test_likeliest_is_em_over_the_dense_channel(releases, name, axes):
    """Stationary to 1e-4 a cell under the dense EM step, and likelier than the inverse cut off at 0."""
    key, reader = READERS[name]
    release = releases[key]
    matrix, seen = oracles.dense(release.mechanism.channel(axes)), shares(release, axes).ravel()
    found = reader(release)(axes).ravel()
    step = found * (matrix @ (seen / (matrix.T @ found)))
    np.testing.assert_allclose(found, step, rtol=0, atol=1e-4)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-12)
    cut = np.maximum(slow_inverse(release, axes).ravel(), 0)
    cut /= cut.sum()
    assert seen @ np.log(matrix.T @ found) >= seen @ np.log(matrix.T @ cut) - 1e-5


@pytest.mark.parametrize(("key", "groups"), [("independent", [(0,), (1,), (2,)]), ("clusters", list(CLUSTERS))])
def test_adjusted_has_the_estimated_marginals(releases, key, groups):
    """Proportional fitting itself is tested with its weights."""
    reader = methods.adjusted(releases[key])
    for group in groups:
        cut = np.maximum(slow_inverse(releases[key], group), 0)
        np.testing.assert_allclose(reader(group), cut / cut.sum(), rtol=0, atol=1e-6)
    assert all(reader(axes).sum() == pytest.approx(1, abs=1e-9) for axes in AXES)


# what all readers share


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_axes_come_in_the_order_asked_for(releases, name):
    key, reader = READERS[name]
    read = reader(releases[key])
    for w in (2, 3):
        for axes in combinations(range(3), w):
            straight = read(axes)
            assert straight.shape == tuple(SIZES[i] for i in axes)
            for order in permutations(range(w)):
                turned = read(tuple(axes[i] for i in order))
                np.testing.assert_allclose(turned, straight.transpose(order), rtol=0, atol=1e-9)


# refusals


def wide(sizes):
    codes = np.stack([np.arange(500) % a for a in sizes], axis=1)
    return Release(Dataset(schema(sizes), codes), Kronecker.from_epsilon(sizes, [2.0] * len(sizes)))


def test_em_refuses_large_tables():
    release = wide((300, 300))
    with pytest.raises(InputError, match=rf"^EM .* at most {MAX_EM_CELLS:,} cells, got 90,000"):
        methods.likeliest(release)((0, 1))
