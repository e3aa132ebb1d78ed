"""Readers of a release, each against a slow and obvious version on a small table."""

from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest

from rrcore.arrays import count_cells
from rrcore.errors import InputError
from rrcore.estimate import Release, estimated_blend, published_choice
from rrcore.limits import MAX_EM_CELLS
from rrcore.mechanisms import Kronecker, build
from rrcore.mechanisms.blocks import Blocks
from rrcore.schemes import SCHEMES, design, perturb, readers
from rrcore.table.dataset import Dataset
from rrcore.table.demo import load_demo
from rrcore.table.schema import Attribute, Schema
from tests import oracles

SIZES = (4, 2, 6)
LEVELS = np.array([1.2, 0.8, 1.5])
CLUSTERS = ((2, 0), (1,))
READERS = {
    "inverted": ("kronecker", readers.inverted),
    "inverted, joint": ("joint", readers.inverted),
    "inverted, pair-safe": ("pair-safe", readers.inverted),
    "naive": ("kronecker", readers.by_naive_matrix),
    "reduced": ("kronecker", readers.by_reduced_matrix),
    "multiplied": ("kronecker", readers.multiplied),
    "multiplied, clusters": ("clusters", readers.multiplied),
    "hybrid": ("kronecker", readers.hybrid),
    "blended": ("kronecker", readers.blended),
    "blended, pair-safe": ("pair-safe", readers.blended),
    "published hybrid": ("kronecker", readers.published_hybrid),
    "truncated": ("kronecker", readers.truncated),
    "likeliest": ("kronecker", readers.likeliest),
    "likeliest, pair-safe": ("pair-safe", readers.likeliest),
    "shrunk": ("kronecker", readers.shrunk),
    "shrunk, joint": ("joint", readers.shrunk),
    "shrunk, pair-safe": ("pair-safe", readers.shrunk),
    "adjusted": ("kronecker", readers.adjusted),
    "adjusted, clusters": ("clusters", readers.adjusted),
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
    """Key of ``design`` -> one release through it, at equal levels."""
    made = {}
    for key in ("kronecker", "joint", "pair-safe", "clusters"):
        mechanism = design(key, SIZES, LEVELS, spend="total", clusters=CLUSTERS if key == "clusters" else ())
        made[key] = perturb(people(), mechanism, rng=np.random.default_rng(2))
    return made


def shares(release, axes):
    """Released shares, one record after the other."""
    table = np.zeros([SIZES[i] for i in axes])
    for cell, people in Counter(map(tuple, release.dataset.codes[:, list(axes)].tolist())).items():
        table[cell] = people / release.dataset.n
    return table


def slow_inverse(release, axes):
    return oracles.dense_estimate(shares(release, axes), oracles.dense(release.mechanism.marginal_channel(axes)))


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


@pytest.mark.parametrize("name", ["inverted", "inverted, joint", "inverted, pair-safe", "naive", "reduced"])
def test_inversion_is_the_inverse_of_the_dense_matrix(releases, name):
    key, reader = READERS[name]
    for axes in AXES:
        wanted = slow_inverse(releases[key], axes)
        np.testing.assert_allclose(reader(releases[key])(axes), wanted, rtol=0, atol=1e-11, err_msg=str(axes))


@pytest.mark.slow
@pytest.mark.parametrize("axes", AXES, ids=str)
def test_multiplied_is_the_product_of_inverted_marginals(releases, axes):
    found = readers.multiplied(releases["kronecker"])(axes)
    np.testing.assert_allclose(found, slow_product(releases["kronecker"], axes, singles(axes)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("axes", AXES, ids=str)
def test_multiplied_takes_what_lies_in_one_cluster_together(releases, axes):
    release = releases["clusters"]
    found = readers.multiplied(release)(axes)
    np.testing.assert_allclose(found, slow_product(release, axes, CLUSTERS), rtol=0, atol=1e-12)
    if {0, 2} <= set(axes):
        assert np.abs(found - slow_product(release, axes, singles(axes))).max() > 1e-3


@pytest.mark.parametrize("axes", AXES, ids=str)
def test_hybrid_is_one_of_the_two_and_the_one_expected_to_be_closer(releases, axes):
    release = releases["kronecker"]
    pays = estimated_blend(shares(release, axes), release.mechanism.marginal_channel(axes), release.dataset.n).pays
    expected = slow_inverse(release, axes) if pays else slow_product(release, axes, singles(axes))
    np.testing.assert_allclose(readers.hybrid(release)(axes), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("key", ["kronecker", "pair-safe"])
@pytest.mark.parametrize("axes", AXES, ids=str)
def test_blended_is_the_weighted_mean_of_the_two(releases, key, axes):
    release = releases[key]
    weight = estimated_blend(shares(release, axes), release.mechanism.marginal_channel(axes), release.dataset.n).weight
    expected = weight * slow_inverse(release, axes) + (1 - weight) * slow_product(release, axes, singles(axes))
    np.testing.assert_allclose(readers.blended(release)(axes), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("axes", AXES, ids=str)
def test_published_hybrid_follows_the_printed_bounds(releases, axes):
    release = releases["kronecker"]
    inverts = published_choice([SIZES[i] for i in axes], [LEVELS[i] for i in axes], release.dataset.n)
    expected = slow_inverse(release, axes) if inverts else slow_product(release, axes, singles(axes))
    np.testing.assert_allclose(readers.published_hybrid(release)(axes), expected, rtol=0, atol=1e-11)


def test_published_hybrid_looks_at_the_levels_of_the_attributes_asked_for():
    """Attributes 0 and 1 are told nearly truthfully, attribute 2 hardly at all: only the pair of the first two is inverted."""
    few = Dataset(schema(SIZES), people().codes[::7])
    release = perturb(few, Kronecker.from_levels(SIZES, [6.0, 6.0, 0.1]), rng=np.random.default_rng(10))
    for axes in combinations(range(3), 2):
        expected = slow_inverse(release, axes) if axes == (0, 1) else slow_product(release, axes, singles(axes))
        np.testing.assert_allclose(readers.published_hybrid(release)(axes), expected, rtol=0, atol=1e-9)


def test_both_hybrids_go_either_way():
    """Nearly everybody's truth: inversion. Four people under noise: independence."""
    for reader in (readers.hybrid, readers.published_hybrid):
        clear = perturb(people(), Kronecker.from_levels(SIZES, [9.0] * 3), rng=np.random.default_rng(3))
        np.testing.assert_allclose(reader(clear)((0, 1)), slow_inverse(clear, (0, 1)), rtol=0, atol=1e-12)
        few = Release(Dataset(clear.dataset.schema, people().codes[::600]), Kronecker.from_levels(SIZES, [0.3] * 3))
        np.testing.assert_allclose(reader(few)((0, 1)), slow_product(few, (0, 1), [(0,), (1,)]), rtol=0, atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("axes", AXES, ids=str)
def test_truncated_is_between_0_and_the_marginals_of_one_attribute_less(releases, axes):
    release = releases["kronecker"]
    expected = np.maximum(slow_inverse(release, axes), 0)
    for left_out in range(len(axes)):
        rest = axes[:left_out] + axes[left_out + 1 :]
        limits = slow_inverse(release, rest) if rest else np.ones(())
        for cell in np.ndindex(*expected.shape):
            expected[cell] = min(expected[cell], max(0.0, float(limits[cell[:left_out] + cell[left_out + 1 :]])))
    np.testing.assert_allclose(readers.truncated(release)(axes), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ["likeliest", "likeliest, pair-safe"])
@pytest.mark.parametrize("axes", [(1,), (0, 1), (2, 0, 1)], ids=str)
def test_likeliest_is_em_over_the_dense_channel_until_nothing_moves(releases, name, axes):
    """Stationary to 1e-4 a cell under the dense EM step, and likelier than the inverse cut off at 0."""
    key, reader = READERS[name]
    release = releases[key]
    matrix, seen = oracles.dense(release.mechanism.marginal_channel(axes)), shares(release, axes).ravel()
    found = reader(release)(axes).ravel()
    step = found * (matrix @ (seen / (matrix.T @ found)))
    np.testing.assert_allclose(found, step, rtol=0, atol=1e-4)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=1e-12)
    cut = np.maximum(slow_inverse(release, axes).ravel(), 0)
    cut /= cut.sum()
    assert seen @ np.log(matrix.T @ found) >= seen @ np.log(matrix.T @ cut) - 1e-5


def fitted(table, groups, targets):
    """Iterative proportional fitting of the dense released table."""
    for _ in range(3000):
        for group, target in zip(groups, targets, strict=True):
            now = table.sum(axis=tuple(i for i in range(3) if i not in group))
            now = now.transpose(np.argsort(np.argsort(group)))
            for cell in np.ndindex(*now.shape):
                where = tuple(cell[group.index(i)] if i in group else slice(None) for i in range(3))
                table[where] *= target[cell] / now[cell] if now[cell] > 0 else 0
    return table


@pytest.mark.slow
@pytest.mark.parametrize(("key", "groups"), [("kronecker", [(0,), (1,), (2,)]), ("clusters", list(CLUSTERS))])
def test_adjusted_is_proportional_fitting_of_the_released_table(releases, key, groups):
    release = releases[key]
    targets = []
    for group in groups:
        cut = np.maximum(slow_inverse(release, group), 0)
        targets.append(cut / cut.sum())
    reader = readers.adjusted(release)
    assert reader.adjustment.converged
    expected = fitted(shares(release, (0, 1, 2)), groups, targets) if key == "kronecker" else None
    for axes in AXES:
        found = reader(axes)
        assert found.sum() == pytest.approx(1, abs=1e-9)
        if expected is not None:
            slow = np.einsum(expected, [0, 1, 2], list(axes))
            np.testing.assert_allclose(found, slow, rtol=0, atol=1e-6)
    for group, target in zip(groups, targets, strict=True):
        np.testing.assert_allclose(reader(group), target, rtol=0, atol=1e-6)


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


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_reader_answers_any_number_of_times_and_leaves_the_release_alone(releases, name):
    key, reader = READERS[name]
    before = releases[key].dataset.codes.copy()
    counts = releases[key].counts(["A", "C"]).copy()
    read = reader(releases[key])
    first = read((0, 2)).copy()
    for axes in AXES:
        read(axes)
    np.testing.assert_array_equal(read((0, 2)), first)
    np.testing.assert_array_equal(reader(releases[key])((0, 2)), first)
    np.testing.assert_array_equal(releases[key].dataset.codes, before)
    np.testing.assert_array_equal(releases[key].counts(["A", "C"]), counts)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_shares_sum_to_1_but_for_truncation(releases, name):
    key, reader = READERS[name]
    for axes in AXES:
        if name != "truncated":
            assert reader(releases[key])(axes).sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in READERS if name != "truncated"])
def test_a_release_without_lies_is_read_as_it_is_by_what_inverts(name):
    """At 25 nats a level nobody lies: inversion and EM give the table back, products the product of its marginals."""
    key, reader = READERS[name]
    table = people()
    levels = np.full(3, 25.0)
    clusters = CLUSTERS if key == "clusters" else ()
    mechanism = design(key, SIZES, levels, spend="levels", clusters=clusters)
    release = perturb(table, mechanism, rng=np.random.default_rng(4))
    np.testing.assert_array_equal(release.dataset.codes, table.codes)
    truth = count_cells(table.codes, SIZES) / table.n
    found = reader(release)((0, 1, 2))
    if name.startswith("multiplied"):
        groups = CLUSTERS if key == "clusters" else [(0,), (1,), (2,)]
        truth = slow_product(release, (0, 1, 2), groups)
    np.testing.assert_allclose(found, truth, rtol=0, atol=1e-3 if "published" in name else 1e-5)


def test_every_reader_of_a_scheme_is_tried_here():
    tried = {(key, reader) for key, reader in READERS.values()}
    assert {(scheme.mechanism, scheme.reader) for scheme in SCHEMES.values()} == tried


# refusals


def wide(sizes):
    codes = np.stack([np.arange(500) % a for a in sizes], axis=1)
    return Release(Dataset(schema(sizes), codes), Kronecker.from_levels(sizes, [2.0] * len(sizes)))


def test_em_refuses_large_tables():
    release = wide((300, 300))
    with pytest.raises(
        InputError, match=rf"^EM is run here on at most {MAX_EM_CELLS:,} cells and there are 90,000: choose fewer"
    ):
        readers.likeliest(release)((0, 1))


@pytest.mark.parametrize("reader", [readers.by_naive_matrix, readers.by_reduced_matrix])
def test_matrices_refuse_large_tables(reader):
    with pytest.raises(InputError, match="cells"):
        reader(wide((50, 50)))((0, 1))


@pytest.mark.parametrize("reader", [readers.inverted, readers.multiplied, readers.truncated, readers.adjusted])
def test_tables_beyond_the_limit_are_refused(reader):
    release = wide((400, 400, 20))
    with pytest.raises(InputError, match="3,200,000 cells"):
        reader(release)((0, 1, 2))


def test_what_was_erased_is_said_by_name():
    mechanism = build("optimal", (2, 2, 2), (0.5,) * 3)
    codes = np.random.default_rng(7).integers(0, 2, (200, 3))
    release = perturb(Dataset(schema((2, 2, 2)), codes), mechanism, rng=np.random.default_rng(8))
    with pytest.raises(InputError) as caught:
        readers.inverted(release)((2, 0))
    assert "C" in str(caught.value)
    assert "A" in str(caught.value)
    assert "B" not in str(caught.value)


def test_a_partition_in_any_order_is_read_alike():
    """Clusters named in another order are the same clusters."""
    table = people()
    codes = Blocks.rr_clusters(SIZES, LEVELS, CLUSTERS).perturb(table.codes, rng=np.random.default_rng(9))
    released = Dataset(table.schema, codes)
    found = [
        readers.multiplied(Release(released, Blocks.rr_clusters(SIZES, LEVELS, members)))((1, 0, 2))
        for members in (CLUSTERS, ((1,), (0, 2)), ((0, 2), (1,)))
    ]
    for other, cell in product(found[1:], np.ndindex(*found[0].shape)):
        assert other[cell] == pytest.approx(found[0][cell], abs=1e-12)
