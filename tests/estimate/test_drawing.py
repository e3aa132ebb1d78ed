"""Synthetic records that say of pairs what weighted ones say: one systematic draw, and exchanges that bring pairs closer."""

from itertools import combinations

import numpy as np
import pytest

from rrcore.estimate.table_model import even_rows, systematic_rows
from rrcore.simulation.metrics import half_l1

SIZES = (7, 2, 5, 3, 6, 4)


@pytest.fixture(scope="module")
def weighted():
    """20,000 records of six attributes that depend on a class, with weights, some of them 0."""
    rng = np.random.default_rng(5)
    own = rng.integers(0, 3, 20_000)
    columns = []
    for size in SIZES:
        ends = rng.dirichlet(np.full(size, 0.7), 3).cumsum(axis=1)[own, :-1]
        columns.append((rng.random(len(own))[:, None] > ends).sum(axis=1))
    return np.stack(columns, axis=1).astype(np.uint8), np.maximum(rng.normal(1.0, 1.0, len(own)), 0.0)


def apart(records, weights, rows, axes):
    """Half L1 between a marginal of the records drawn and of all with their weights."""
    sizes = [SIZES[i] for i in axes]
    tables = [
        np.histogramdd(codes, [np.arange(a + 1) - 0.5 for a in sizes], weights=each)[0]
        for codes, each in ((records[:, axes], weights), (records[rows][:, axes], None))
    ]
    return half_l1(*(table / table.sum() for table in tables))


def mean_apart(weighted, rows, width):
    return np.mean([apart(*weighted, rows, list(axes)) for axes in combinations(range(len(SIZES)), width)])


def test_exchanges_bring_pairs_close_and_wider_sets_no_further(weighted):
    """A third of the half L1 of pairs that the systematic draw has; triples, which nothing was done for, are closer, too."""
    even = even_rows(*weighted, SIZES, 3_000, rng=np.random.default_rng(0))
    systematic = systematic_rows(weighted[1], 3_000, rng=np.random.default_rng(0))
    assert mean_apart(weighted, even, 2) < mean_apart(weighted, systematic, 2) / 2
    assert mean_apart(weighted, even, 3) < mean_apart(weighted, systematic, 3)
    assert even.size == 3_000
    assert weighted[1][even].min() > 0  # nobody is what has no share


def test_where_people_are_more_than_records_each_has_its_share_to_one_person(weighted):
    rows = even_rows(*weighted, SIZES, 50_000, rng=np.random.default_rng(1))
    expected = 50_000 * weighted[1] / weighted[1].sum()
    assert np.abs(np.bincount(rows, minlength=expected.size) - expected).max() < 1


@pytest.mark.parametrize("n", [1, 2, 17])
def test_few_people_are_drawn_as_well(weighted, n):
    rows = even_rows(*weighted, SIZES, n, rng=np.random.default_rng(2))
    assert rows.shape == (n,)
    assert (weighted[1][rows] > 0).all()


def test_one_attribute_has_no_pairs(weighted):
    records, weights = weighted
    rows = even_rows(records[:, :1], weights, SIZES[:1], 500, rng=np.random.default_rng(3))
    assert apart(records, weights, rows, [0]) < 0.12


def test_the_same_seed_draws_the_same_and_independent_rows_differ(weighted):
    one, other = (even_rows(*weighted, SIZES, 400, rng=np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    independent = np.random.default_rng(4).choice(len(weighted[1]), 400, p=weighted[1] / weighted[1].sum())
    assert mean_apart(weighted, one, 2) < mean_apart(weighted, independent, 2) / 2
