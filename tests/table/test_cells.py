"""Counts of marginals, against a loop over records."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from rrcore.arrays import check_cells, count_cells
from rrcore.errors import InputError
from rrcore.limits import MAX_CELLS
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema

SIZES = (3, 2, 5, 2)


@pytest.fixture
def dataset():
    rng = np.random.default_rng(5)
    codes = np.column_stack([rng.integers(0, a, 300) for a in SIZES])
    codes[codes[:, 2] == 3, 2] = 4  # a category nobody chose
    schema = Schema(tuple(Attribute(f"q{i}", tuple(f"c{v}" for v in range(a))) for i, a in enumerate(SIZES)))
    return Dataset(schema, codes)


def test_every_marginal_in_every_order(dataset):
    for w in (1, 2, 3, 4):
        for axes in permutations(range(4), w):
            counts = dataset.counts([f"q{i}" for i in axes])
            expected = Counter(tuple(int(row[i]) for i in axes) for row in dataset.codes)
            assert counts.shape == tuple(SIZES[i] for i in axes)
            assert counts.dtype == np.int64
            assert {cell: int(count) for cell, count in np.ndenumerate(counts) if count} == dict(expected)


def test_codes_above_the_range_of_their_type_do_not_overflow():
    codes = np.full((4, 2), 126, dtype=np.int8)
    counts = count_cells(codes, (127, 127))
    assert counts[126, 126] == 4
    assert counts.sum() == 4


def test_limit_on_cells_on_both_sides():
    assert MAX_CELLS % 2 == 0
    check_cells((MAX_CELLS // 2, 2))
    check_cells((MAX_CELLS,))
    with pytest.raises(InputError, match="2,000,002 cells"):
        check_cells((MAX_CELLS // 2 + 1, 2))


def test_limit_does_not_wrap_around():
    with pytest.raises(InputError, match=r"has 1,000,000,000,000,000,000,000,000,000,000 cells"):
        count_cells(np.zeros((1, 10), dtype=np.int32), (1000,) * 10)
