"""Which tables are read in batches: those that go beyond what is read whole, by a byte or a row."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rrcore.errors import InputError
from rrcore.table import opening as size


@pytest.fixture
def limits(monkeypatch):
    monkeypatch.setattr(size, "MAX_FILE_BYTES", 1000)
    monkeypatch.setattr(size, "MAX_UNPACKED_BYTES", 5000)
    monkeypatch.setattr(size, "MAX_ROWS", 100)


CASES = {
    "no.csv": (None, False),
    "small.csv": (b"a\n1\n", False),
    "bytes.csv": (b"x" * 1000, False),
    "one byte more.csv": (b"x" * 1001, True),
    "rows.csv": (b"a\n" * 100, False),
    "one row more.csv": (b"a\n" * 101, True),
    "unpacked.csv.gz": (gzip.compress(b"x" * 5000), False),
    "one more unpacked.csv.gz": (gzip.compress(b"x" * 5001), True),
    "rows.csv.gz": (gzip.compress(b"a\n" * 101), True),
    "cut.csv.gz": (gzip.compress(b"a\n" * 50)[:-12], False),  # which reading it whole says better
    "workbook.xlsx": (b"PK\3\4" + b"x" * 2000, False),  # read whole or not at all
}


@pytest.mark.parametrize("name", CASES)
def test_a_file_is_read_in_batches_beyond_the_limit(limits, tmp_path, name):
    content, batches = CASES[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert size.read_in_batches(tmp_path / name) == batches


def test_a_folder_is_and_a_parquet_file_by_what_it_unpacks_to(limits, tmp_path):
    assert size.read_in_batches(tmp_path)
    for rows, batches in ((100, False), (101, True)):
        pq.write_table(pa.table({"a": ["x"] * rows}), tmp_path / "a.parquet")
        assert size.read_in_batches(tmp_path / "a.parquet") == batches


def test_what_cannot_be_opened_is_said(monkeypatch, tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a\n")

    def refuse(*given, **more):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("rrcore.table.source.Content.open", refuse)
    with pytest.raises(InputError, match=r"a.csv' cannot be read \(Permission denied\)"):
        size.read_in_batches(tmp_path / "a.csv")
