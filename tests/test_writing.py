"""Tables written some records at a time read back as what they were, whatever their texts hold."""

import csv
import io

import numpy as np
import polars
import pyarrow.parquet as pq
import pytest

from rrcore.errors import InputError
from rrcore.table.opening import read_text_table
from rrcore.writing import Column, kind_of, table_writer

ODD = ("plain", "two\nlines", "car\rriage", 'say "no", twice', "=1+1", "ü 你好", "semi;colon", "ta\tb")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_every_text_and_every_gap_comes_back(kind):
    """More texts than are written as one, so that several blocks of columns are joined."""
    columns = [Column(f"{text} {i}", (*ODD, *(f"{i} {j}" for j in range(300)))) for i, text in enumerate(ODD)]
    rng = np.random.default_rng(0)
    codes = [rng.integers(-1, len(column.values), 500).astype(np.int16) for column in columns]
    codes[0][:] = np.abs(codes[0])  # no row is blank
    out = io.BytesIO()
    with table_writer(out, columns, kind) as write:
        for start in (0, 200, 450):
            write([own[start : {0: 200, 200: 450, 450: 500}[start]] for own in codes])
    table = read_text_table(out.getvalue(), f"a.{kind}")
    for column, own, found in zip(columns, codes, table.columns, strict=True):
        safe = [f"'{text}" if kind == "csv" and text.startswith("=") else text for text in column.values]
        assert [None if code < 0 else found.values[code] for code in found.codes] == [None if c < 0 else safe[c] for c in own]


def test_one_column_has_no_blank_lines():
    out = io.BytesIO()
    with table_writer(out, [Column("a", ("x",))]) as write:
        write([np.array([0, -1, 0])])
    assert out.getvalue() == b'a\nx\n""\nx\n'


def test_long_texts_are_written_few_at_a_time(monkeypatch):
    monkeypatch.setattr("rrcore.writing._BYTES", 1_000)
    out, columns = io.BytesIO(), [Column("a", ("x" * 500, "y")), Column("b", ("z",))]
    with table_writer(out, columns) as write:
        write([np.arange(9) % 2, np.zeros(9, dtype=np.int8)])
    assert out.getvalue().decode().split() == ["a,b", *(["x" * 500 + ",z", "y,z"] * 5)[:9]]


def test_order_is_kept_in_parquet():
    out = io.BytesIO()
    with table_writer(out, [Column("a", ("low", "high"), ordered=True)], "parquet") as write:
        write([np.array([0, 1])])
    assert pq.read_schema(io.BytesIO(out.getvalue())).field("a").type.ordered


def test_other_endings_are_refused():
    assert [kind_of(name) for name in ("a.CSV", "a.pq", "/dev/stdout")] == ["csv", "parquet", "csv"]
    with pytest.raises(InputError, match=r"'a\.xlsx' .* \.csv or \.parquet\."):
        kind_of("a.xlsx")


COLUMNS = (
    Column("=a, b", tuple(f'text {i}, "{i}"' for i in range(300))),
    Column("two\nlines", ("low", "high"), ordered=True),
    Column("end", ()),
)


@pytest.mark.parametrize("end", ["", "3 words, said"])
@pytest.mark.parametrize("sizes", [[5], [1], [40, 1, 700], [300] * 20])
def test_parts_hold_the_records_in_their_order(sizes, end):
    """Also by a reader of Parquet that is not the writer's."""
    rng, records = np.random.default_rng(0), []
    files = {kind: io.BytesIO() for kind in ("csv", "parquet")}
    with table_writer(files["csv"], COLUMNS) as write_csv, table_writer(files["parquet"], COLUMNS, "parquet") as write_parquet:
        for number, rows in enumerate(sizes, 1):
            codes = [rng.integers(0, 300, rows).astype(np.int16), rng.integers(-1, 2, rows), np.full(rows, -1, np.int8)]
            for write in (write_csv, write_parquet):
                write(codes, end=end if number == len(sizes) else "")
            columns = zip(COLUMNS, codes, strict=True)
            records += zip(*([c.values[own] if own >= 0 else None for own in part] for c, part in columns), strict=True)
    records[-1] = (*records[-1][:-1], end or None)
    assert polars.read_parquet(files["parquet"].getvalue()).rows() == records
    assert list(csv.reader(io.StringIO(files["csv"].getvalue().decode(), newline="")))[1:] == [
        [x or "" for x in row] for row in records
    ]
