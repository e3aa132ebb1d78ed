"""Files of tables of every kind: found out, guessed at, read, described and recoded."""

import gzip
import io
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq

from rrcore.errors import InputError
from rrcore.table import ColumnRule, TextTable, recode
from rrcore.table.opening import open_file
from rrcore.table.reading.guesses import guess_options
from rrcore.table.recoding import default_rule

_KINDS = ("a.csv", "a.tsv", "a.csv.gz", "a.parquet", "a.arrow", "a.xlsx", "a.txt")
"""The first byte says which name the file has."""


def _parquet() -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"a": ["x", "y", None], "b": [1, 2, 3]}), out)
    return out.getvalue()


def _workbook() -> bytes:
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    for row in (("a", "b"), ("x", 1), ("y", 2.5)):
        book.active.append(row)
    book.save(out)
    return out.getvalue()


_CSV = b"sex,age,smokes\nf,31,yes\nm,40,no\nf,22,no\n"
SEEDS = [
    b"\x00" + _CSV,
    b"\x00" + b'\xef\xbb\xbf"a\nb";c\n"x""y";1,5\n;2,5\n',
    b"\x00" + "é;ü\n1;2\n".encode("latin-1"),
    b"\x00" + "a\tb\n1\t2\n".encode("utf-16"),
    b"\x00Title of the table\n\nname,count\nx,3\ny,4\nTotal,7\n",
    b"\x01" + _CSV.replace(b",", b"\t"),
    b"\x02" + gzip.compress(_CSV),
    b"\x03" + _parquet(),
    b"\x05" + _workbook(),
]


def check(data: bytes) -> bool:
    """Return whether a table is read. Any other exception than InputError is a finding."""
    name, content = _KINDS[(data[:1] or b"\x00")[0] % len(_KINDS)], data[1:]
    with suppress(InputError):
        file = open_file(content, name)  # in this process, so that its paths are seen
        recode(*as_rules(file.read(guess_options(file.content).options)))
        return True
    return False


def as_rules(table: TextTable) -> tuple[TextTable, dict[str, ColumnRule]]:
    """The table with a first rule for every column."""
    return table, {column.name: default_rule(column) for column in table.columns}
