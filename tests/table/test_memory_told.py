"""The memory that reading a text is said to take, which is all it is given: never less than is needed, and not many times as much."""

import sys

import numpy as np
import pytest

from rrcore.errors import InputError
from rrcore.limits import MAX_DISTINCT
from rrcore.table.reading import open_file
from rrcore.table.reading.columns import FoundColumns, Growing
from rrcore.work.bounded import Bounds, within

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds memory")
RNG = np.random.default_rng(7)
MOST = 6  # times as much as is needed


def table(rows, *columns):
    """A CSV of so many rows; of each column a number of different texts, or "ids", and their length at least."""
    made = []
    for different, width in columns:
        numbers = RNG.permutation(rows) if different == "ids" else RNG.integers(0, different, rows)
        made.append(np.char.zfill(numbers.astype(str), width))
    lines = made[0]
    for column in made[1:]:
        lines = np.char.add(np.char.add(lines, ","), column)
    return (",".join(f"c{i}" for i in range(len(columns))) + "\n" + "\n".join(lines.tolist()) + "\n").encode()


SHAPES = {
    "identifiers of 2,000,000 people": (2_000_000, ("ids", 7), (2, 1)),
    "1,000,000 different texts": (1_000_000, ("ids", 7)),
    "yes and no": (500_000, (2, 1)),
    "many columns": (60_000, *[(2, 1)] * 40),
    "some long texts": (60_000, (50, 300)),
    "many long texts": (150_000, ("ids", 100)),
    "few people": (30, (2, 1), (80, 2)),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if rows > 10**5 else ()) for name, (rows, *_) in SHAPES.items()]
)
def test_the_memory_that_is_told_suffices_and_is_not_many_times_too_much(name):
    rows, *columns = SHAPES[name]
    peaks = []
    with within(Bounds(seconds=300, ended=peaks.append)):
        opened = open_file(table(rows, *columns), "x.csv")
        assert opened.read().n == rows
    assert max(peaks) <= opened.megabytes <= max(MOST * peaks[-1], 400)


@pytest.mark.long
def test_a_column_of_as_many_values_as_are_counted_is_read():
    """The row that the reader adds at the end is nobody's."""
    data = b"id,smokes\n" + b"".join(b"%d,no\n" % i for i in range(MAX_DISTINCT))
    found = open_file(data, "x.csv").read()
    assert [len(column.values) for column in found.columns] == [MAX_DISTINCT, 1]
    found = open_file(data + b"x,yes\n", "x.csv").read()
    assert [column.name for column in found.columns] == ["smokes"]
    assert found.left_out == (
        "Column 'id' holds more than 1,000,000 different values, too many to count. Group or round them, or leave the column out.",
    )


def test_a_column_is_given_up_while_it_is_read(monkeypatch):
    monkeypatch.setattr("rrcore.table.reading.columns.MAX_DISTINCT", 1_000)
    import pyarrow as pa

    column = Growing()
    for start in range(0, 20_000, 2_000):
        column.add(pa.array([f"text {i}" for i in range(start, start + 2_000)]))
    assert (column.crowded, column.rows, column.lists) == (True, 20_000, [])
    same = Growing()
    for _ in range(10):
        same.add(pa.array([f"text {i % 1_001}" for i in range(2_000)]))
    assert not same.crowded
    values, indices = same.finish()
    assert (len(values), len(indices)) == (1_001, 20_000)
    found = FoundColumns()
    assert found.add("id", values, indices) is None
    assert "more than 1,000 different values" in found.left_out["id"]


def test_no_more_than_it_is_allowed_is_said_to_be_needed():
    data = table(200_000, ("ids", 7))
    with within(Bounds(megabytes=130)):
        opened = open_file(data, "x.csv")
        assert opened.megabytes == 130
        larger = open_file(table(600_000, ("ids", 20)), "x.csv")
        with pytest.raises(InputError, match="needs more memory than the 130 MB allowed"):
            larger.read()
