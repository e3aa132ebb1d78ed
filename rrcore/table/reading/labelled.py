"""Files of SPSS, Stata and SAS: values as codes, with the labels and the wording of the questions that such files carry."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import MAX_ROWS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.reading.arrow import as_texts
from rrcore.table.reading.options import NamedColumns, ReadOptions
from rrcore.table.source import (
    LESS,
    MIB,
    About,
    Content,
    HeldPiece,
    Source,
    cell_text,
    check_rows,
    check_size,
    checked_names,
    refuse,
)

READERS = {
    "SPSS": "read_sav",
    "SPSS (portable)": "read_por",
    "Stata": "read_dta",
    "SAS": "read_sas7bdat",
    "SAS (transport)": "read_xport",
}
"""Functions of pyreadstat, by the program that wrote a file."""

_MOMENTS = re.compile(r"%t[cC]|.*(DATETIME|DTDATE|YMDHMS|8601D[TN]|AMPM)")
_DAYS = re.compile(r"%t?d|.*(DATE|DATX|MMDD|DDMM|8601DA)")


@dataclass(frozen=True, eq=False)
class LabelledFile(NamedColumns):
    """A file of a statistics package: it knows the names of its columns, and what its codes mean."""

    content: Content
    tool: str

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        _, known = self._read(layout, metadataonly=True, user_missing=True)
        names, rows = checked_names(list(known.column_names)), known.number_rows or 0
        check_size(rows, len(names))
        if rows * len(names) * 8 > MAX_UNPACKED_BYTES:
            refuse(f"The file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
        try:
            values, found = self._read(layout, row_limit=MAX_ROWS + 1)
        except (ArithmeticError, ValueError):  # a date that no calendar has
            values, found = self._read(layout, row_limit=MAX_ROWS + 1, disable_datetime_conversion=True)
            forms = found.original_variable_types
            values = {key: _moments(column, forms.get(key) or "", self.tool) for key, column in values.items()}
        columns, about = [], {}
        for name, key in zip(names, found.column_names, strict=True):
            columns.append(as_texts(pa.array(values.pop(key), from_pandas=True)))
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
        check_rows(len(columns[0]) if columns else 0)
        return Source((HeldPiece(self.content.name, pa.table(columns, names=names), self.content.size),), about=about)

    def _read(self, layout: ReadOptions, **how: Any) -> Any:
        tool = need("pyreadstat", f"A file of {self.tool.split()[0]}")
        if self.tool in ("SPSS (portable)", "SAS (transport)"):
            how.pop("user_missing", None)
        if layout.encoding and self.tool != "SPSS (portable)":
            how["encoding"] = layout.encoding
        return getattr(tool, READERS[self.tool])(self.content.open(), output_format="dict", **how)


def tool_of(begin: bytes) -> str:
    """The statistics package that wrote a file, as its first bytes tell: a key of ``READERS``, or "" for none."""
    if begin[:4] in (b"$FL2", b"$FL3"):
        return "SPSS"
    if b"SPSS PORT FILE" in begin[:300]:
        return "SPSS (portable)"
    if begin.startswith(b"<stata_dta>") or (begin[:1] in b"nopqrs" and begin[1:4] in (b"\x01\x01\0", b"\x02\x01\0")):
        return "Stata"
    if begin[12:20] == b"\xc2\xea\x81\x60\xb3\x14\x11\xcf":
        return "SAS"
    return "SAS (transport)" if begin.startswith(b"HEADER RECORD*******LIB") else ""


def _moments(column: Sequence[Any], form: str, tool: str) -> Sequence[Any]:
    """Numbers of a column as moments, if its ``form`` is one of dates; None for those of no calendar."""
    moments = _MOMENTS.match(form)
    if not moments and not _DAYS.match(form):
        return column
    start = datetime(1582, 10, 14) if tool.startswith("SPSS") else datetime(1960, 1, 1)
    unit = "milliseconds" if form.startswith("%t") and moments else "seconds" if moments or tool.startswith("SPSS") else "days"
    found: list[datetime | None] = []
    for value in column:
        try:
            found.append(start + timedelta(**{unit: value}))
        except (ArithmeticError, ValueError, TypeError):
            found.append(None)
    return found
