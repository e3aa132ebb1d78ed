"""From the bytes of a file to a table of texts: CSV and its cousins (also gzipped), XLSX, Parquet, SPSS and Stata, by their content.

Every cell is text and stays exactly as written (``007``, ``NA``, ``1e5``), save that surrounding spaces go. A cell that is then
empty, or null, is missing. Blank lines, and empty rows of a workbook, are skipped; so in a file of one column,
which is always taken as comma separated, a missing value is written ``""``. Row numbers in messages count records and blank
lines from the first, which is row 1; in a workbook they are the numbers of the sheet.
"""

from rrcore.table.reading.columns import UnevenRowsError
from rrcore.table.reading.encoding import ENCODINGS, UncertainEncodingError
from rrcore.table.reading.file import OpenFile, open_file, read_text_table
from rrcore.table.reading.options import ReadOptions
from rrcore.table.reading.text_table import TextColumn, TextTable, is_number, to_numbers
