"""Codes of the smallest integer type: nothing overflows where the number of categories just fills one."""

import numpy as np
import pytest

import rrcore as rr
from rrcore.arrays import code_type
from rrcore.budget import build
from rrcore.promise import integer_groups, release_table
from rrcore.promise.randomizing import randomize
from rrcore.simulation.demonstration import demonstrate
from rrcore.table import TextColumn, as_table, recode
from rrcore.table.reading.options import taken

EDGES = (2, 127, 128, 129, 255, 256, 257, 1000)


def table(*sizes):
    """Everybody has the last category, but for one of each category."""
    schema = rr.Schema(tuple(rr.Attribute(f"a{i}", tuple(f"c{c}" for c in range(size))) for i, size in enumerate(sizes)))
    most = max(sizes)
    rows = [np.concatenate([np.minimum(np.arange(most), size - 1), np.full(50, size - 1)]) for size in sizes]
    return rr.Dataset(schema, np.column_stack(rows))


@pytest.mark.parametrize("size", EDGES)
def test_the_type_holds_every_code_what_is_missing_and_every_difference(size):
    kind = np.iinfo(code_type(size))
    assert kind.min <= -(size - 1)
    assert kind.max >= size - 1
    assert kind.min <= -2
    assert kind.bits == (8 if size <= 128 else 16)


@pytest.mark.parametrize("size", EDGES)
def test_tables_of_any_number_of_categories_are_the_same_as_in_wide_integers(size):
    data = table(size, 2, size)
    assert data.codes.dtype == code_type(size)
    wide = data.codes.astype(np.int64)
    expected = np.zeros((size, size), np.int64)
    np.add.at(expected, (wide[:, 0], wide[:, 2]), 1)
    np.testing.assert_array_equal(data.counts(("a0", "a2")), expected)
    again = recode(*as_table(data))
    assert again.schema == data.schema
    np.testing.assert_array_equal(again.codes, data.codes)
    assert data.to_arrow()["a2"].to_pylist()[-1] == data.to_csv().splitlines()[-1].split(",")[-1] == f"c{size - 1}"


@pytest.mark.parametrize("size", EDGES)
def test_columns_of_texts_count_their_last_value(size):
    column = TextColumn("a", np.concatenate([np.arange(size), [-1, size - 1]]), tuple(f"{c:04}" for c in range(size)))
    assert (column.codes.dtype, column.missing, column.n) == (code_type(size), 1, size + 2)
    assert column.counts.tolist() == [1] * (size - 1) + [2]
    assert taken(column, column.codes[:-1]).counts.tolist() == [1] * size


@pytest.mark.parametrize("size", EDGES)
def test_randomized_codes_stay_in_range_and_reach_every_category(size):
    data = table(size, size)
    rng = np.random.default_rng(0)
    epsilon = [1e-3, 1e-3]
    released = rr.simulate(data.resample(8 * size + 200, rng=rng), build("independent", data.schema.sizes, epsilon), rng=rng)
    assert set(released.dataset.codes.ravel().tolist()) == set(range(size))
    shown = demonstrate(data, ("a0",), 1 / size + 1e-3, 8 * size + 200, rng=rng)
    assert set(shown.release.dataset.codes.ravel().tolist()) == set(range(size))
    file = rr.MechanismFile(data.schema, integer_groups(build("independent", data.schema.sizes, epsilon)))
    drawn = randomize(data, file)
    assert drawn.codes.min() >= 0
    assert drawn.codes.max() < size
    assert release_table(file, data, rehearsal="invented").dataset.n == data.n
