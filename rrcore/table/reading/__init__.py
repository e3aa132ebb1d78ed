"""Formats of files: what each shows before it is read, and its records.

Every cell is text and stays exactly as written (``007``, ``NA``, ``1e5``), save that surrounding spaces go. A cell that is then
empty, or null, is missing. Blank lines, and empty rows of a workbook, are skipped; so in a file of one column,
which is always taken as comma separated, a missing value is written ``""``. Row numbers in messages count the rows of a text
without blank lines below the names; in a workbook they are the numbers of the sheet.
"""
