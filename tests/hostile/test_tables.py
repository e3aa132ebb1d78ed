"""Every file of the corpus ends as stated, within its memory and time: read by the library and by a command."""

import time
from unittest.mock import ANY

import pyarrow as pa
import pytest

from rrcore.errors import InputError
from rrcore.jobs import LostError, Pool
from rrcore.limits import MAX_READING_MEGABYTES, MAX_READING_SECONDS
from rrcore.table import ReadOptions, read_text_table
from rrcore.table.opening import open_file
from tests.cli.terminal import run
from tests.hostile import bombs
from tests.hostile.cases import CASES

PATIENCE = 6  # times the time on an idle core: other tests run at the same time


@pytest.fixture(scope="module")
def pool():
    pool = Pool(1, seconds=MAX_READING_SECONDS, megabytes=MAX_READING_MEGABYTES, jobs=1, preload=["rrcore.table.opening"])
    yield pool
    pool.close()


def marked(names):
    return [pytest.param(name, marks=[pytest.mark.long] if CASES[name].long else []) for name in names]


def values(column):
    return [None if code < 0 else column.values[code] for code in column.codes]


@pytest.mark.parametrize("name", marked(CASES))
def test_a_file_ends_as_stated_within_memory_and_time(name, pool):
    case = CASES[name]
    data = case.make()
    start = time.perf_counter()
    job = pool.start(read_text_table, data, "file", ReadOptions(uneven="drop" if case.uneven else ""))
    job.wait()
    assert time.perf_counter() - start < case.seconds * PATIENCE
    if case.refused:
        assert isinstance(job.error, InputError)
        assert isinstance(job.error, LostError) or case.refused in str(job.error)
        return
    table = job.result
    assert job.error is None
    assert (table.n if isinstance(case.table, int) else {c.name: values(c) for c in table.columns}) == case.table
    assert [case.left_out in sentence for sentence in table.left_out[:1]] == [True] * bool(case.left_out)
    assert [case.notes in sentence for sentence in table.notes[:1]] == ([True] if case.notes else [ANY] * len(table.notes[:1]))


@pytest.mark.parametrize(
    "name", ["utf-16", "an open quote", "two rows that do not fit", "the same, left out", "a program", "cells far apart", "lists"]
)
def test_a_command_says_the_same(name, capsys, tmp_path):
    case = CASES[name]
    place = tmp_path / "file"
    place.write_bytes(case.make())
    read = [f"--read={option}" for option in ("header=yes", "totals=0", *["uneven=drop"] * case.uneven)]
    code, _, err = run(capsys, "describe", "--in", place, *read)
    assert (code == 2) == bool(case.refused), err
    assert case.refused in " ".join(err.split())
    assert "Traceback" not in err
    assert case.left_out in err


@pytest.fixture
def small(monkeypatch):
    """Limits of bytes and cells that small files exceed; they are read in this process, since another one would not see them."""
    monkeypatch.setattr("rrcore.table.reading.arrow.MAX_CHUNK_BYTES", 2**20)
    monkeypatch.setattr("rrcore.table.source.MAX_TABLE_CELLS", 2**12)


def test_a_long_text_is_left_out_before_it_is_decoded(small):
    plain = bombs.parquet(pa.table({"answer": ["yes", "no"], "essay": ["x" * 2**21, "y"]}), use_dictionary=False)
    for data in (bombs.long_text(2**21, 100), plain):
        table = open_file(data, "file").read()
        assert table.names == ("answer",)
        (said,) = table.left_out
        assert "far longer than answers" in said


def test_cells_are_counted_before_there_is_room_for_them(small):
    for data in (bombs.many_cells(1000, 5), bombs.packed(20_000, 10)):
        with pytest.raises(InputError, match=r"The table has [\d,]+ cells or more, .* 4,096 "):
            open_file(data, "file").read()
