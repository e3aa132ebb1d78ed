"""Reading files: refusals as a table of bytes -> message, formats and encodings, exact survival of texts, no stray error."""

import csv
import datetime
import gzip
import io
import time
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES, MAX_ROWS
from rrcore.table.opening import open_file, read_text_table
from rrcore.table.reading.options import ReadOptions
from rrcore.table.text_table import TextColumn, TextTable, is_number, to_numbers


def cells(table, name):
    column = table.column(name)
    return [None if code < 0 else column.values[code] for code in column.codes]


def workbook(*rows, sheets=()):
    book = openpyxl.Workbook()
    book.active.title = "Answers"
    for row in rows:
        book.active.append(row)
    for sheet in sheets:
        book.create_sheet(sheet).append(["other"])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def parquet(**columns):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def archive(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in files.items():
            zipped.writestr(name.replace("__", "/").replace("_", "."), content)
    return out.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)

REFUSED = {
    "empty": (b"", "The file is empty."),
    "blank": (b" \r\n\n", "The file is empty."),
    "only a byte order mark": (b"\xef\xbb\xbf\n", "The file is empty."),
    "header only": (b"a,b\n", "column names but no rows"),
    "header without line end": (b"a,b", "column names but no rows"),
    "duplicate names": (b"a,b, a\n1,2,3\n", "Columns 1 and 3 are both called 'a'."),
    "empty name": (b"a,,c\n1,2,3\n", "Column 2 of 3 has no name."),
    "long name": (b"a," + b"x" * 501 + b"\n1,2\n", "The name of column 2 has 501 characters"),
    "long row": (b"a,b,c\n1,2,3\n1,Sales, retail,3\n", "Row 3 has 4 values, expected 3. "
                 "Check its delimiters and quotation marks near '1,Sales, retail,3'"),
    "long row after blank line": (b"a,b\n1,2\n\n\n1,2,3\n", "Row 3 has 3 values, expected 2."),
    "long row after a record of two lines": (b'a,b\n1,"x\ny"\n1,2,3\n', "Row 3 has 3 values"),
    "short row": (b"a;b\n1,5;2\n3\n", "Row 3 has 1 value, expected 2."),
    "two values under one name": (b"a\n1,2\n", "Row 2 has 2 values, expected 1."),
    "quote never closed, last column": (b'a,b\n1,2\n1,"2\n3,4\n', "a quotation mark is not closed"),
    "quote never closed, first column": (b'a,b\n"1,2\n3,4\n', "a quotation mark is not closed"),
    "quote never closed, long": (b'a,b\n"1,2\n' + b"3,4\n" * 50_000, "a quotation mark is not closed"),
    "quote never closed in header": (b'a,"b\n' + b"3,4\n" * 50_000, "no row of column names"),
    "header of 5 MB": (b"x" * 5_000_000, "a line of more than 4 MB"),
    "web page": (b"\n<!DOCTYPE html><html><body>Log in</body></html>", "a web page, JSON or another document"),
    "json": (b'[{"a": 1}]', "a web page, JSON or another document"),
    "image": (PNG, "not text, because it contains zero bytes"),
    "jpeg": (b"\xff\xd8\xff\xe0\x00\x10JFIF", "not text, because it contains zero bytes"),
    "pdf": (b"%PDF-1.7\n1 0 obj", "another document, not a table"),
    "zero byte": (b"a,b\n1,\x002\n", "not text, because it contains zero bytes"),
    "many zero bytes": (b"a,b\n" + b"1,\0\0\0\0\n" * 9, "not text, because it contains zero bytes"),
    "control characters": (b"\xff\x01\x02\x03\x04,\n" * 9, "or control characters"),
    "broken UTF-16": (b"\xff\xfea\x00,\x00\x00\xd8a", "is not utf-16"),
    "zip": (archive(a_csv="a,b\n1,2\n"), "a zip archive or a document, not an .xlsx workbook"),
    "old xls": (OLE, "an old Excel workbook (.xls)"),
    "password": (OLE + "EncryptedPackage".encode("utf-16-le"), "with a password"),
    "broken gzip": (gzip.compress(b"a,b\n1,2\n")[:-6], "The gzip file is damaged or truncated."),
    "gzip of nothing": (gzip.compress(b""), "The file is empty."),
    "gzip of a workbook": (gzip.compress(workbook(["a"], [1])), "contains another compressed file"),
    "broken xlsx": (workbook(["a"], [1])[:-300], "The workbook is damaged or truncated."),
    "xlsx with broken sheet": (archive(xl__workbook_xml="<workbook"), "The workbook is damaged or truncated."),
    "xlsx without cells": (workbook(), "The workbook has no sheet with cells."),
    "xlsx header only": (workbook(["a", "b"]), "column names but no rows"),
    "xlsx long row": (workbook(["a", "b"], [1, 2], [1, 2, 3]), "Column 3 of 3 has no name."),
    "xlsx empty name": (workbook(["a", None, "c"], [1, 2, 3]), "Column 2 of 3 has no name."),
    "broken parquet": (parquet(a=["x"])[:-9], "The Parquet file is damaged or truncated."),
    "parquet without rows": (parquet(a=pa.array([], pa.string())), "column names but no rows"),
    "parquet of lists": (parquet(a=[[1], [2]]), "Column 'a' contains values of the type"),
    "parquet of bytes": (parquet(a=[b"\xff\xfe"]), "Column 'a' contains bytes that are not text"),
    "5,000 columns": (b",".join(b"c%d" % i for i in range(5_000)) + b"\n1\n", "The table has 5,000 columns"),
    "too large": (bytes(MAX_FILE_BYTES + 1), "The file is 180.0 MB"),
    "too many rows": (b"a\n" + b"1\n" * (MAX_ROWS + 1), "The table has more than 5,000,000 rows."),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_and_where(name):
    data, fragment = REFUSED[name]
    start = time.perf_counter()
    with pytest.raises(InputError) as caught:
        read_text_table(data, "file.csv")
    assert fragment in str(caught.value)
    assert str(caught.value).endswith(".")
    assert time.perf_counter() - start < 10


def test_unpacking_stops_at_the_limit(monkeypatch):
    for module in ("reading.text", "source"):  # in this process, since another one does not see the patch
        monkeypatch.setattr(f"rrcore.table.{module}.MAX_UNPACKED_BYTES", 2**20)
    bomb = gzip.compress(b"a\n" + b"1\n" * 2**20)
    for data in (bomb, archive(xl__workbook_xml=bytes(2**21)), parquet(a=np.random.default_rng(1).random(2**18))):
        with pytest.raises(InputError, match="unpacks to more than the limit of 1 MB"):
            open_file(data, "bomb").read()


EXACT = ["NA", "None", "007", "TRUE", "null", "1e5", "nan", "N/A", "1.50", "-0", "<NA>", "#N/A", "+1", "1,5"]
EXACT += ['say "no"', "two\nlines"]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("packed", [False, True])
def test_texts_survive_exactly(delimiter, encoding, packed):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["Größe", "second name"])
    writer.writerows([text, "x"] for text in EXACT)
    data = out.getvalue().encode(encoding)
    said = ReadOptions(encoding=encoding if encoding in ("utf-16-le", "utf-16-be") else "")  # which have no mark
    table = read_text_table(gzip.compress(data) if packed else data, "folder/my.table.csv.gz", said)
    assert table.names == ("Größe", "second name")
    assert cells(table, "Größe") == EXACT
    assert table.n == len(EXACT)
    assert table.title == "my.table"
    note = () if encoding.startswith("utf-8") else (f"Read as {encoding.upper().replace('CP', 'Windows-')} text.",)
    assert table.notes == note


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_spaces_and_missing(end):
    table = read_text_table(end.join(["", "a,b", "", " x , y", "   ", ',""', '" x",', ""]).encode(), "t")
    assert cells(table, "a") == ["x", None, "x"]
    assert cells(table, "b") == ["y", None, None]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_blank_lines_of_one_column_are_missing_answers(end, last):
    data = ('a\nx\n\n""\n \n#y' + last).replace("\n", end).encode()
    assert cells(read_text_table(data, "t"), "a") == ["x", None, None, None, "#y"]


def test_values_are_sorted_so_that_row_order_does_not_show():
    table = read_text_table(b"n;d;t\n10;2,5;b\n9;10;a\n-1;3;10\n9;3;9\n", "t")
    assert table.column("n").values == ("-1", "9", "10")
    assert table.column("d").values == ("2,5", "3", "10")
    assert table.column("t").values == ("10", "9", "a", "b")
    assert table.column("n").counts.tolist() == [1, 2, 1]


def test_workbook_cells():
    stamp = datetime.datetime(2024, 1, 31, 12, 30)
    data = workbook(
        ["a", "b", "c"],
        [7, True, datetime.date(2024, 1, 31)],
        [7.0, False, stamp],
        [],
        [0.1 + 0.2, "TRUE", None],
        [" 007 ", None, "NA"],
        sheets=["two", "three"],
    )
    table = read_text_table(data, "book.xlsx")
    assert cells(table, "a") == ["7", "7", "0.3", "007"]
    assert cells(table, "b") == ["TRUE", "FALSE", "TRUE", None]
    assert cells(table, "c") == ["2024-01-31", "2024-01-31 12:30:00", None, "NA"]
    assert "'Answers' of 3" in "".join(table.notes)


def test_parquet_cells():
    stamp = datetime.datetime(2024, 1, 31)
    data = parquet(
        **{"a.b": ["NA", None, " 007"]},
        f=[7.0, float("nan"), 0.5],
        i=[7, 8, None],
        b=[True, None, False],
        d=[stamp.date(), None, None],
        t=[stamp, stamp.replace(hour=3), None],
        c=pa.array(["u", "v", "u"]).dictionary_encode(),
        n=[None] * 3,
    )
    table = read_text_table(data, "x.parquet")
    assert cells(table, "a.b") == ["NA", None, "007"]
    assert cells(table, "f") == ["7", None, "0.5"]
    assert cells(table, "i") == ["7", "8", None]
    assert cells(table, "b") == ["TRUE", None, "FALSE"]
    assert cells(table, "d") == ["2024-01-31", None, None]
    assert cells(table, "t") == ["2024-01-31", "2024-01-31 03:00:00", None]
    assert cells(table, "c") == ["u", "v", "u"]
    assert cells(table, "n") == [None] * 3


def test_numbers():
    assert to_numbers(("1", "+2.5", "1e3", ".5", "-4")).tolist() == [1, 2.5, 1000, 0.5, -4]
    assert to_numbers(("1,5", "2")).tolist() == [1.5, 2]
    for texts in ((), ("1,5", "2.5"), ("nan",), ("inf",), ("1e999",), ("1 2",), ("0x1",), ("1_0",), ("",), ("٣",), ("1.2.3",)):
        assert to_numbers(texts) is None
    numbers = ("1", "+2.5", "1e3", ".5", "-4", "1,5", "5.", "nan", "inf", "1e999", "1,5e3")
    for text in (*numbers, "1 2", "0x1", "1_0", "", "٣", "1.2.3", "1\n"):
        assert is_number(text) == (to_numbers((text,)) is not None)


def test_columns_and_tables_check_themselves():
    column = TextColumn("a", np.array([0, -1]), ("x",))
    assert (column.missing, column.counts.tolist(), column.codes.dtype) == (1, [1], np.int8)
    with pytest.raises(InputError, match=r"'b'.* a\."):
        TextTable((column,)).column("b")


def test_speed():
    rng = np.random.default_rng(1)
    rows = "\n".join(",".join(f"answer {c}" for c in row) for row in rng.integers(0, 16, (32_561, 8)))
    start = time.process_time()
    table = read_text_table(f"a,b,c,d,e,f,g,h\n{rows}\n".encode(), "t")
    assert (table.n, time.process_time() - start < 1.5) == (32_561, True)


TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\n,;|\t\" '"), max_size=8)
QUOTING = [csv.QUOTE_MINIMAL, csv.QUOTE_ALL]
LATIN = st.text(st.characters(min_codepoint=32, max_codepoint=126) | st.sampled_from('éüß\n,;|"\t '), max_size=8)


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data(), width=st.integers(1, 4), delimiter=st.sampled_from(",\t;|"), quoting=st.sampled_from(QUOTING))
def test_any_table_survives(data, width, delimiter, quoting):
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]))
    row = st.lists(LATIN if encoding == "cp1252" else TEXT, min_size=width, max_size=width)
    rows = data.draw(st.lists(row, min_size=1, max_size=6))
    # A row that is written as nothing but spaces is a blank line, which is skipped.
    assume(all(any(text.strip() for text in row) for row in rows))
    # A header of one name shows no delimiter, so such a file is taken as comma separated, unless its answers look like several columns.
    assume(width > 1 or (delimiter == "," and not any(letter in text for row in rows for text in row for letter in ";|\t")))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=data.draw(st.sampled_from(["\n", "\r\n"])))
    names = [f"name {i}" for i in range(width)]
    writer.writerows([names, *rows])
    how = ReadOptions(encoding=encoding) if encoding == "cp1252" else None  # which few letters do not show
    table = read_text_table(out.getvalue().encode(encoding), "t.csv", how)
    assert table.names == tuple(names)
    for i, name in enumerate(names):
        assert cells(table, name) == [row[i].strip() or None for row in rows]


def reads_or_refuses(data):
    try:
        table = read_text_table(data, "x")
    except InputError as error:
        return bool(str(error))
    return table.n > 0


MAGIC = st.sampled_from([b"", b"PK\x03\x04", b"PAR1", b"\x1f\x8b\x08\x00", b"\xff\xfe", b"\xd0\xcf\x11\xe0", b"a,b\n1,2\n"])


@pytest.mark.slow
@settings(max_examples=100)
@given(MAGIC, st.binary(max_size=300))
def test_random_bytes_raise_nothing_else(magic, data):
    assert reads_or_refuses(magic + data)


SEEDS = [
    b'a,b,c\n1,"x, y",3\n4,"two\nlines",6\n7,"8 ""q""",9\n',
    "a;b\n1,5;é\n2;ü\n".encode("utf-16"),
    gzip.compress(b"a,b\n1,2\n3,4\n"),
    workbook(["a", "b"], [1, "x"], [2.5, None]),
    parquet(a=["x", None], b=[1, 2]),
]


@pytest.mark.slow
@settings(max_examples=70)
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from([b"", b'"', b",", b"\n", b"\r", b"\0", b"\xff\x81"])), max_size=6),
)
def test_damaged_files_raise_nothing_else(data, changes):
    for place, new in changes:
        at = int(place * len(data))
        data = data[:at] + new + data[at + 1 :]
    assert reads_or_refuses(data)
