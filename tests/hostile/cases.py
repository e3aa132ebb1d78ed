"""From input to outcome: files that are odd, broken or meant to harm, and what becomes of each."""

import gzip
import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from tests.hostile import bombs

CYRILLIC = "Y\u0435s"  # looks like Yes
HIDDEN = "Yes\u200b"  # ends in a space without width
TURNED = "\u202eseY"  # is written from right to left


@dataclass(frozen=True)
class Case:
    """A file and what becomes of it.

    Parameters
    ----------
    make : gives its bytes
    refused : how the sentence goes that refuses it, or how that about its rows or columns goes; "" where it is read
    table : what is read, column -> values in the order of rows, None for a missing one; or only the number of rows
    left_out, notes : how the first sentence goes about a column that is not read, and the first note
    uneven : whether rows that do not fit are left out as asked
    seconds : most time on an idle core
    long : whether it takes long to make or to read
    """

    make: Callable[[], bytes]
    refused: str = ""
    table: dict[str, list[str | None]] | int | None = None
    left_out: str = ""
    notes: str = ""
    uneven: bool = False
    seconds: float = 5.0
    long: bool = False

    @property
    def people(self) -> int:
        """Rows of the table that is read."""
        return self.table if isinstance(self.table, int) else len(next(iter((self.table or {"": []}).values())))


def text(content, encoding="utf-8"):
    return lambda: content.encode(encoding)


def two(first, second, encoding="utf-8", **rest):
    """A column 'a' with these two values, in that encoding."""
    return Case(
        text(f"a,b\n{first},1\n{second},2\n", encoding), table={"a": [first or None, second or None], "b": ["1", "2"]}, **rest
    )


def archive(name, content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr(name, content)
    return out.getvalue()


def parquet(**columns):
    return lambda: bombs.parquet(pa.table(columns))


LISTS = "Column 'tags' contains values of the type '"
BILLION_LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {c} "{f"&{b};" * 10}">' for b, c in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>"
)

CASES = {
    # encodings
    "utf-8 with a mark": two("ä", "ö", "utf-8-sig"),
    "utf-16": two("ä", "ö", "utf-16", notes="Read as UTF-16 text."),
    "latin-1": two("Männer", "Größe", "latin-1", notes="Read as Windows-1252 text."),
    "utf-8 broken in the middle": Case(
        lambda: b"a,b\nZ\xc3\xbcrich,1\nM\xfcnchen,2\n",
        "The encoding of the text is uncertain, because line 2 is UTF-8 and line 3 is not.",
    ),
    "half a utf-16 character": Case(
        lambda: b"\xff\xfea\x00,\x00\x00\xd8a", "The file cannot be read. It contains text that is not utf-16"
    ),
    "utf-7 is text like any other": two("+AGE-", "x"),
    # quoting and rows
    "quotes in quotes": Case(text('a,b\n"say ""no""",1\n"x\ny",2\n'), table={"a": ['say "no"', "x\ny"], "b": ["1", "2"]}),
    "an open quote": Case(text('a,b\n1,"2\n3,4\n'), "The file cannot be read. It contains text that is not utf-8"),
    "an open quote above a megabyte": Case(
        text('a,b\n1,"2\n' + "3,4\n" * 250_000),
        "The file cannot be read. It contains text that is not utf-8",
    ),
    "two rows that do not fit": Case(
        text("a,b\n1,2\n1,2,3\n4\n5,6\n"),
        "Row 3 has 3 values, expected 2. Check its delimiters and quotation marks near '1,2,3'",
    ),
    "the same, left out": Case(
        text("a,b\n1,2\n1,2,3\n4\n5,6\n"), table={"a": ["1", "5"], "b": ["2", "6"]}, uneven=True, notes="2 rows were"
    ),
    "no row that fits": Case(text("a,b\n1\n2\n3\n"), "The table has column names but no rows", uneven=True),
    "names twice": Case(text("a,b,a\n1,2,3\n"), "called 'a"),
    "a name of spaces": Case(text("a, ,c\n1,2,3\n"), "Column 2 of 3 has no name"),
    "rows twice are people": Case(text("a,b\n1,2\n1,2\n"), table={"a": ["1", "1"], "b": ["2", "2"]}),
    "only ends of lines": Case(text("\r\n\n\r"), "The file is empty."),
    "old ends of lines": Case(text("a,b\r1,2\r3,4\r"), table={"a": ["1", "3"], "b": ["2", "4"]}),
    # zero bytes and other files
    "a zero byte": Case(
        lambda: b"a,b\nx,1\ny\0,2\n",
        "The file is not text, because it contains zero bytes",
    ),
    "zero bytes": Case(
        lambda: b"a;b\nx;1\ny;\0" + b"2\nz;2\n" * 30 + b"\0",
        "The file is not text, because it contains zero bytes",
    ),
    "a program": Case(lambda: b"\x7fELF" + bytes(60), "The file is not text, because it contains zero bytes"),
    "a web page": Case(text("<html><script>alert(1)</script>"), "The file is a web page, JSON or another document"),
    "xml that grows": Case(
        text(f"<?xml version='1.0'?>{BILLION_LAUGHS}<x>&i;</x>"), "The file is a web page, JSON or another document"
    ),
    "json": Case(text('[{"a": ' + "[" * 100_000), "The file is a web page, JSON or another document"),
    "deep json as text": Case(text("[" * 100_000), "The name of column 1 has 100,000 characters"),
    "a pickle": Case(lambda: b"\x80\x04\x95\x1d\0\0\0\0\0\0\0\x8c\x05posix\x94\x8c\x06system\x94\x93", "The file is not text"),
    # spreadsheets
    "not a workbook": Case(lambda: archive("a.csv", "a,b\n"), "The file is a zip archive or a document, not an .xlsx workbook."),
    "a workbook that is cut short": Case(lambda: bombs.workbook("<row/>")[:-40], "The workbook is damaged or truncated."),
    "cells far apart": Case(
        lambda: bombs.far_apart(2_000),
        "The sheet in 'sheet1.xml' extends to column 18,278 and row 2,000.",
    ),
    "cells far apart, 200,000 rows": Case(
        lambda: bombs.far_apart(200_000), "The sheet in 'sheet1.xml' extends to column 18,278", long=True
    ),
    "cells far below": Case(bombs.far_below, "The sheet in 'sheet1.xml' extends to column 900 and row 1,000,000."),
    "entities in a workbook": Case(
        lambda: archive("xl/workbook.xml", f"<?xml version='1.0'?>{BILLION_LAUGHS}<workbook>&i;</workbook>"),
        "The workbook is damaged",
    ),
    "shared strings": Case(lambda: bombs.many_strings(20_000), table=8),
    "shared strings, a million and a half": Case(lambda: bombs.many_strings(1_500_000), table=8, seconds=20, long=True),
    "a formula in a workbook": Case(
        lambda: bombs.workbook('<row><c t="str"><v>a</v></c></row><row><c t="str"><f>1+1</f><v>=cmd|x</v></c></row>'),
        table={"a": ["=cmd|x"]},
    ),
    # packed
    "a packed table": Case(lambda: gzip.compress(b"a,b\n1,2\n"), table={"a": ["1"], "b": ["2"]}),
    "packed twice": Case(lambda: gzip.compress(gzip.compress(b"a,b\n1,2\n")), "The gzip file contains another compressed file"),
    "packed, cut short": Case(lambda: gzip.compress(b"a,b\n1,2\n")[:-5], "The gzip file is damaged or truncated."),
    "200 columns of 4 MB": Case(lambda: bombs.packed(4 * 2**20, 200), table=10_485),
    "200 columns of 190 MB": Case(lambda: bombs.packed(190 * 2**20, 200), table=498_073, seconds=60, long=True),
    "200 columns of 390 MB": Case(lambda: bombs.packed(390 * 2**20, 200), "The table has 100,", seconds=60, long=True),
    "a packed gigabyte": Case(lambda: gzip.compress(b" " * 2**20 * 500, 1), "The text contains a line of more than", long=True),
    # Parquet
    "lists": Case(parquet(a=["x", "y"], tags=[[1], [2]]), table={"a": ["x", "y"]}, left_out=LISTS),
    "records": Case(parquet(a=["x", "y"], tags=[{"b": 1}, {"b": 2}]), table={"a": ["x", "y"]}, left_out=LISTS),
    "lists of records of lists": Case(parquet(a=["x"], tags=[[{"b": [[1]]}]]), table={"a": ["x"]}, left_out=LISTS),
    "nothing but lists": Case(parquet(tags=[[1], [2]]), LISTS),
    "bytes that are no text": Case(parquet(a=[b"\xff\xfe"]), "Column 'a' contains bytes that are not text."),
    "cut short": Case(lambda: parquet(a=["x"])()[:-9], "The Parquet file is damaged or truncated."),
    "one text of 380 MB": Case(
        lambda: bombs.long_text(380 * 10**6), table=1, left_out="Column 'essay' contains texts that are far longer", long=True
    ),
    "a dictionary of one text of 70 MB": Case(
        lambda: bombs.long_text(70 * 10**6, 1000),
        table=1000,
        left_out="Column 'essay' contains texts that are far longer",
        seconds=2,
        long=True,
    ),
    "one text of 60 MB": Case(
        lambda: bombs.long_text(60 * 10**6, 10), table=10, left_out="Column 'essay' contains texts that are far longer", long=True
    ),
    "1.2 million rows of 85 columns": Case(
        lambda: bombs.many_cells(1_200_000, 85),
        "The table has 102,000,000 cells or more, 85 columns of 1,200,000 rows",
        long=True,
    ),
    "two million cells": Case(lambda: bombs.many_cells(20_000, 100), table=20_000),
    # numbers and texts
    "huge integers": Case(text(f"n,b\n{'9' * 4000},1\n{'9' * 4000},2\n"), table={"n": ["9" * 4000] * 2, "b": ["1", "2"]}),
    "numbers beyond doubles": two("1e999", "-1e999"),
    "lookalikes stay apart": two("Yes", CYRILLIC),
    "hidden spaces stay": two("Yes", HIDDEN),
    "turned around": two("Yes", TURNED),
    "formulas are texts": two("=1+1", "'=1+1"),
    "markup is text": two("<b>x</b>", "![](http://x.test/y)"),
    "marks of one letter": two("é", "e\u0301"),
}
