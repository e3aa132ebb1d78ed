"""Measures of dependence against scipy and numpy, and the tables of all pairs against slow counting."""

from collections import Counter
from itertools import combinations
from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import entropy
from scipy.stats.contingency import association

from rrcore.association import PairTables, cramers_v, measure_pairs, mutual_information
from rrcore.association.pairs import pearson, phi_squared
from rrcore.errors import InputError
from rrcore.limits import MAX_PAIR_CATEGORIES

SHAPES = [(2, 2), (2, 5), (4, 3), (7, 7)]
SIZES = (3, 2, 4, 3)


def random_counts(shape, seed):
    """Whole people, at least one per row and column."""
    return np.random.default_rng(seed).integers(0, 30, shape) + np.eye(*shape, dtype=int) + 1


def people(seed=1, n=300):
    """Dependent attributes: each is the one before it plus noise."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n, len(SIZES)), dtype=np.int32)
    for i, a in enumerate(SIZES):
        codes[:, i] = (codes[:, i - 1] + rng.integers(0, 2, n)) % a if i else rng.integers(0, a, n)
    return codes


# measures


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_cramers_v_is_that_of_scipy(shape, seed):
    counts = random_counts(shape, seed)
    expected = association(counts, method="cramer", correction=False)
    assert cramers_v(counts / counts.sum()) == pytest.approx(expected, abs=1e-12)
    assert phi_squared(counts / counts.sum()) == pytest.approx(expected**2 * (min(shape) - 1), abs=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_mutual_information_is_a_sum_of_entropies(shape):
    counts = random_counts(shape, 4)
    counts[0, 1] = 0
    table = counts / counts.sum()
    expected = entropy(table.sum(axis=1)) + entropy(table.sum(axis=0)) - entropy(table.ravel())
    assert mutual_information(table) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_pearson_is_that_of_numpy_without_its_sign(shape, turned):
    counts = random_counts(shape, 5) + 40 * np.eye(*shape, dtype=int)
    counts = counts[::-1] if turned else counts
    rows, columns = (np.repeat(index.ravel(), counts.ravel()) for index in np.indices(shape))
    signed = np.corrcoef(rows, columns)[0, 1]
    assert (signed < 0) == turned
    assert pearson(counts / counts.sum()) == pytest.approx(abs(signed), abs=1e-12)


def test_extremes():
    same = np.diag([0.5, 0.3, 0.2])
    assert cramers_v(same) == pytest.approx(1, abs=1e-12)
    assert pearson(same) == pytest.approx(1, abs=1e-12)
    assert mutual_information(same) == pytest.approx(-(0.5 * log(0.5) + 0.3 * log(0.3) + 0.2 * log(0.2)), abs=1e-12)
    apart = np.outer([0.5, 0.3, 0.2], [0.9, 0.1])
    for measure in (cramers_v, mutual_information, pearson):
        assert measure(apart) == pytest.approx(0, abs=1e-7)


def test_empty_categories_count_only_as_categories():
    counts = random_counts((3, 4), 7)
    table = counts / counts.sum()
    wide = np.zeros((4, 6))
    wide[np.ix_([0, 2, 3], [0, 1, 3, 5])] = table
    assert phi_squared(wide) == pytest.approx(phi_squared(table), abs=1e-14)
    assert mutual_information(wide) == pytest.approx(mutual_information(table), abs=1e-14)
    assert cramers_v(wide) == pytest.approx(cramers_v(table) * sqrt(2 / 3), abs=1e-14)


@pytest.mark.parametrize("measure", [cramers_v, mutual_information, pearson])
def test_nothing_depends_on_a_constant_attribute(measure):
    table = np.zeros((3, 4))
    table[1] = [0.1, 0.2, 0.3, 0.4]
    assert measure(table) == pytest.approx(0, abs=1e-7)
    table[:] = 0
    table[2, 3] = 1.0
    assert measure(table) == 0


# tables of all pairs


def test_every_block_counts_its_pair_and_its_transpose():
    codes = people()
    tables = PairTables.count(codes, SIZES)
    assert (tables.k, tables.n, tables.sizes) == (4, 300, SIZES)
    for i, j in combinations(range(4), 2):
        slow = Counter(zip(codes[:, i].tolist(), codes[:, j].tolist(), strict=True))
        for u in range(SIZES[i]):
            for v in range(SIZES[j]):
                assert tables.table(i, j)[u, v] == slow[u, v] / 300
        np.testing.assert_array_equal(tables.table(j, i), tables.table(i, j).T)
    np.testing.assert_array_equal(tables.shares, tables.shares.T)
    assert list(tables.pairs()) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_margins_blocks_and_owners():
    codes = people()
    tables = PairTables.count(codes, SIZES)
    for i, a in enumerate(SIZES):
        np.testing.assert_allclose(tables.margin(i), [(codes[:, i] == u).mean() for u in range(a)], rtol=0, atol=1e-15)
        assert not tables.shares[tables.blocks[i], tables.blocks[i]].any()
        assert (tables.owner[tables.blocks[i]] == i).all()
    assert tables.owner.tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3]


def test_assembled_is_counted():
    counted = PairTables.count(people(), SIZES)
    assembled = PairTables.assemble(SIZES, {(i, j): counted.table(i, j) for i, j in counted.pairs()}, 300)
    np.testing.assert_array_equal(assembled.shares, counted.shares)
    assert (assembled.sizes, assembled.n) == (SIZES, 300)


def test_each_pair_may_have_people_of_its_own():
    """Shares drawn again are multiples of one person of the pair's own, and a margin is of the pair that most answered."""
    codes = people()
    first = PairTables.count(codes[:10], SIZES)
    few = {(0, 1): 10, (1, 2): 10}
    shares = {(i, j): (first if (i, j) in few else PairTables.count(codes, SIZES)).table(i, j) for i, j in first.pairs()}
    tables = PairTables.assemble(SIZES, shares, 300, few)
    drawn = tables.resample(rng=np.random.default_rng(0))
    for i, j in drawn.pairs():
        n = 10 if (i, j) in few else 300
        assert tables.people(i, j) == tables.people(j, i) == drawn.people(i, j) == n
        whole = drawn.table(i, j) * n
        np.testing.assert_allclose(whole, whole.round(), atol=1e-9)
    for i, a in enumerate(SIZES):
        np.testing.assert_allclose(tables.margin(i), [(codes[:, i] == u).mean() for u in range(a)], rtol=0, atol=1e-15)


def test_the_limit_on_categories_on_both_sides():
    codes = np.zeros((3, 2), dtype=np.int32)
    half = MAX_PAIR_CATEGORIES // 2
    assert PairTables.count(codes, (half, half)).table(0, 1)[0, 0] == 1
    with pytest.raises(InputError, match=r"1,501 .* 1,500"):
        PairTables.count(codes, (half, half + 1))


def test_no_records_are_refused():
    with pytest.raises(InputError, match="no records"):
        PairTables.count(np.zeros((0, 2), dtype=np.int32), (2, 2))


# all pairs measured


@pytest.mark.parametrize("measure", [cramers_v, mutual_information])
def test_every_pair_is_measured_by_its_own_table(measure):
    tables = PairTables.count(people(), SIZES)
    found = measure_pairs(tables, measure)
    assert np.isnan(found.diagonal()).all()
    for i, j in combinations(range(4), 2):
        assert found[i, j] == found[j, i] == measure(tables.table(i, j))


def test_pairs_of_ordinal_attributes_are_measured_by_pearson():
    codes = people()
    tables = PairTables.count(codes, SIZES)
    found, plain = measure_pairs(tables, ordinal=[True, False, True, True]), measure_pairs(tables)
    for i, j in combinations(range(4), 2):
        if 1 in (i, j):
            assert found[i, j] == plain[i, j]
        else:
            assert found[i, j] == pytest.approx(abs(np.corrcoef(codes[:, i], codes[:, j])[0, 1]), abs=1e-12)
            assert found[i, j] != pytest.approx(plain[i, j], abs=1e-3)


def test_a_single_attribute_has_no_pairs():
    assert np.isnan(measure_pairs(PairTables.count(np.zeros((5, 1), dtype=np.int32), (3,)))).tolist() == [[True]]
