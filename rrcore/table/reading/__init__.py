"""File formats, with their first rows and their records.

Every cell is text and remains exactly as written (``007``, ``NA``, ``1e5``), except that surrounding spaces are removed. A cell
that is then empty, or null, is missing. Blank lines and empty rows of a workbook are skipped. A file with a single column is always
read as comma-separated, so a missing value is written ``""``. Row numbers in messages count the rows of a text below the names,
without blank lines. In a workbook, they are the row numbers of the sheet.
"""
