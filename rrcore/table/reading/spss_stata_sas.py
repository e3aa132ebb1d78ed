"""Files of SPSS, Stata and SAS.

Values are codes, and the files contain labels and the wording of questions.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import MAX_ROWS
from rrcore.progress import Report, quiet
from rrcore.table.reading.arrow import as_texts
from rrcore.table.reading.options import ReadOptions, TableFile
from rrcore.table.source import About, Content, HeldPiece, Source, cell_text, check_size, checked_names

# the program that wrote a file: how its files begin, and the function of pyreadstat that reads them
_READERS = {
    "SPSS": (rb"\$FL[23]", "read_sav"),
    "SPSS (portable)": (rb"(?s:.{0,286})SPSS PORT FILE", "read_por"),
    "Stata": (rb"<stata_dta>|[nopqrs][\x01\x02]\x01\0", "read_dta"),
    "SAS": (rb"(?s:.{12})\xc2\xea\x81\x60\xb3\x14\x11\xcf", "read_sas7bdat"),
    "SAS (transport)": (rb"HEADER RECORD\*{7}LIB", "read_xport"),
}

_DATES = re.compile(r"%t?d|%t[cC]|.*(DATE|DATX|MMDD|DDMM|MDYA|8601D|YMDHMS)")
_MOMENTS = re.compile(r"%t[cC]|.*(DATETIME|DTDATE|AMPM|8601D[TN]|YMDHMS)")


@dataclass(frozen=True, eq=False)
class LabeledFile(TableFile):
    """A file of a statistics package, with column names and value labels."""

    content: Content

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        tool = tool_of(self.content.start(300))
        encoding = {"encoding": layout.encoding} if layout.encoding and tool != "SPSS (portable)" else {}
        function = getattr(need("pyreadstat", f"A file of {tool.split()[0]}"), _READERS[tool][1])
        read = partial(function, output_format="dict", disable_datetime_conversion=True, **encoding)
        _, known = read(self.content.open(), metadataonly=True, **{"user_missing": True} if tool == "SPSS" else {})
        names, rows = checked_names(list(known.column_names)), known.number_rows or 0
        check_size(rows, len(names), 8 * rows * len(names))
        values, found = read(self.content.open(), row_limit=MAX_ROWS + 1)
        columns, about = [], {}
        for name, key in zip(names, found.column_names, strict=True):
            columns.append(as_texts(_array(values.pop(key), found.original_variable_types.get(key) or "", tool)))
            kind = str if found.readstat_variable_types.get(key) == "string" else (int, float)
            gone = known.missing_ranges.get(key, ())
            labels = sorted(
                (value, str(label).strip())
                for value, label in found.variable_value_labels.get(key, {}).items()
                if isinstance(value, kind) and not any(each["lo"] <= value <= each["hi"] for each in gone)
            )
            called = tuple((cell_text(value) or "", label) for value, label in labels)
            question = " ".join((found.column_names_to_labels.get(key) or "").split())
            about[name] = About(called, question, found.variable_measure.get(key) == "ordinal")
        return Source((HeldPiece(Content(self.content.name), pa.table(columns, names=names)),), about=about)


def tool_of(begin: bytes) -> str:
    """Return the statistics package that wrote a file, "" if none.

    The first bytes of the file identify the package.
    """
    return next((tool for tool, (start, _) in _READERS.items() if re.match(start, begin)), "")


def _array(column: Sequence[Any], form: str, tool: str) -> Any:
    """A column as Arrow values. Numbers are moments if ``form`` is one of dates, and missing if no calendar has them."""
    if not _DATES.match(form):
        return pa.array(column, from_pandas=True)
    spss, days = tool.startswith("SPSS"), not _MOMENTS.match(form)
    unit = 1_000 if spss else 86_400_000 if days else 1 if form.startswith("%") else 1_000
    after = np.array(column, float) * unit
    after[~((after > -4.9e13) & (after < 2.5e14))] = np.nan  # within the years 30 to 9999, for either start
    moments = np.datetime64("1582-10-14" if spss else "1960-01-01", "ms") + after.astype("timedelta64[ms]")
    return pa.array(moments.astype("datetime64[D]") if days else moments)
