"""Small files that unpack, or spread out, to very much."""

import gzip
import io
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

XML = '<?xml version="1.0" encoding="UTF-8"?>'
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def workbook(rows, strings=""):
    """A workbook of one sheet with these rows, and these shared strings, both as XML."""
    overrides = (("workbook", "sheet.main"), ("worksheets/sheet1", "worksheet"), ("sharedStrings", "sharedStrings"))
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        + "".join(f'<Override PartName="/xl/{part}.xml" ContentType="{TYPE}.{kind}+xml"/>' for part, kind in overrides)
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}">'
        '<sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="r2" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{SHEET}">{strings}</sst>',
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, part in parts.items():
            archive.writestr(name, XML + part)
    return out.getvalue()


def far_apart(rows):
    """Cells in the columns A and ZZZ of this many rows."""
    cells = (f'<row r="{i}"><c r="A{i}"><v>1</v></c><c r="ZZZ{i}"><v>2</v></c></row>' for i in range(1, rows + 1))
    return workbook("".join(cells))


def far_below():
    """Two cells, a million rows and 900 columns apart."""
    return workbook('<row r="1"><c r="A1"><v>1</v></c></row><row r="1000000"><c r="AHP1000000"><v>2</v></c></row>')


def many_strings(count):
    """A workbook of nine cells and this many shared strings."""
    rows = "".join(f'<row r="{i}"><c r="A{i}" t="s"><v>{i}</v></c></row>' for i in range(1, 10))
    return workbook(rows, "".join(f"<si><t>answer number {i:,}</t></si>" for i in range(count)))


def parquet(table, **options):
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd", **options)
    return out.getvalue()


def long_text(size, rows=1):
    """One text of that many bytes, in each of this many rows of a Parquet file."""
    text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array(["x" * size]))
    table = pa.table({"answer": ["yes", "no"] * (rows // 2) or ["yes"], "essay": text})
    return parquet(table, write_statistics=False)  # the least and greatest text would be copied, which takes most of the time


def many_cells(rows, columns):
    """A Parquet file of this many rows and columns, all alike."""
    column = pa.DictionaryArray.from_arrays(pa.array(np.arange(rows) % 2, pa.int8()), pa.array(["no", "yes"]))
    return parquet(pa.table({f"q{i}": column for i in range(columns)}))


def packed(size, columns):
    """A gzipped CSV of this many columns that unpacks to that many bytes."""
    row = (",".join(["1", "2"] * (columns // 2)) + "\n").encode()
    head = (",".join(f"c{i}" for i in range(columns)) + "\n").encode()
    return gzip.compress(head + row * (size // len(row)), 9)
