"""Tables joined byte for byte are what they were apart, whoever reads them."""

import io

import numpy as np
import polars
import pyarrow.parquet as pq
import pytest

from rrcore.table.joining import join_tables
from rrcore.table.writing import Column, csv_header, table_writer

COLUMNS = (
    Column("=a, b", tuple(f'text {i}, "{i}"' for i in range(300))),
    Column("two\nlines", ("low", "high"), ordered=True),
    Column("end", ()),
)


def written(folder, kind, sizes, rng):
    """Files of so many blocks of records each; their records as texts, and their paths."""
    records, paths = [], []
    for number, blocks in enumerate(sizes):
        paths.append(folder / f"{number}.{kind}")
        with paths[-1].open("wb") as out, table_writer(out, COLUMNS, kind) as writer:
            for rows in blocks:
                codes = [rng.integers(0, 300, rows).astype(np.int16), rng.integers(-1, 2, rows), np.full(rows, -1, np.int8)]
                writer.write(codes)
                records += [
                    [c.values[own] if own >= 0 else None for c, own in zip(COLUMNS, row, strict=True)]
                    for row in zip(*codes, strict=True)
                ]
    return records, paths


@pytest.mark.parametrize("end", ["", "3 words, said"])
@pytest.mark.parametrize("sizes", [[[5]], [[1]], [[], [40, 1], [], [700]], [[300] * 20, [2, 3]]])
def test_parquet_holds_the_records_in_their_order(tmp_path, monkeypatch, sizes, end):
    """Also by a reader that is not the writer's, and with more row groups than a short list of the footer holds."""
    monkeypatch.setattr("rrcore.table.writing._GROUP_CELLS", 1)
    records, paths = written(tmp_path, "parquet", sizes, np.random.default_rng(0))
    out = tmp_path / "all.parquet"
    with out.open("wb") as file:
        join_tables(file, COLUMNS, paths, "parquet", end=end)
    records[-1][-1] = end or None
    found = pq.read_table(out)
    assert found.schema == pq.read_schema(paths[0])
    assert [list(row.values()) for row in found.to_pylist()] == records
    assert [list(row) for row in polars.read_parquet(out).rows()] == records
    assert pq.read_metadata(out).num_row_groups == sum(map(len, sizes))


def test_csv_is_as_if_written_at_once(tmp_path):
    records, paths = written(tmp_path, "csv", [[], [40, 1], [7]], np.random.default_rng(1))
    out = io.BytesIO()
    join_tables(out, COLUMNS, paths, "csv")
    parts = [path.read_bytes().removeprefix(csv_header(COLUMNS)) for path in paths]
    assert out.getvalue() == csv_header(COLUMNS) + b"".join(parts)
    assert len(records) == out.getvalue().count(b"\n") - 2  # the header has two lines
    ended = io.BytesIO()
    join_tables(ended, COLUMNS, paths, "csv", end="a, b")
    assert ended.getvalue() == out.getvalue()[:-1] + b'"a, b"\n'


def test_joined_files_are_joined_again(tmp_path):
    """What was moved once may be moved again: every place in the footer is right."""
    records, paths = written(tmp_path, "parquet", [[10], [20, 30], [5]], np.random.default_rng(2))
    for name, own in (("left", paths[:2]), ("right", paths[2:]), ("both", [tmp_path / "left", tmp_path / "right"])):
        with (tmp_path / name).open("wb") as out:
            join_tables(out, COLUMNS, own, "parquet")
    assert [list(row.values()) for row in pq.read_table(tmp_path / "both").to_pylist()] == records
