"""Files of SPSS, Stata and SAS: values as codes, with the labels and the wording of the questions that such files carry."""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import MAX_ROWS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
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
    encoded,
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

_DATES = re.compile(r"[AEJS]?DATE\d*|%-?(td|d).*|(DD|MM|YY|YYMM|MMDD|DDMM|YYMMDD|MMDDYY|DDMMYY)[A-Z]*\d*|E8601DA\d*")
_TIMES = re.compile(r"(DATETIME|YMDHMS|E8601DT).*|%-?t[cC].*")


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
            values = {
                key: _moments(column, found.original_variable_types.get(key) or "", self.tool) for key, column in values.items()
            }
        columns, about = [], {}
        for number, (name, key) in enumerate(zip(names, found.column_names, strict=True)):
            report(number / len(names), f"column {number + 1:,} of {len(names):,}")
            column, texts = _column(None if value is None or value != value else value for value in values.pop(key))
            columns.append(column)
            gone = known.missing_ranges.get(key, ())
            text = found.readstat_variable_types.get(key) == "string"
            labels = [
                (value, label) for value, label in found.variable_value_labels.get(key, {}).items() if _answers(value, gone, text)
            ]
            question, ordered = found.column_names_to_labels.get(key) or "", found.variable_measure.get(key) == "ordinal"
            about[name] = About(_labels(labels, texts), " ".join(question.split()), ordered)
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


def _column(values: Iterable[Any]) -> tuple[Any, list[str]]:
    """A column of numbers, texts or dates, each as the text that a person would type, and these texts; None is missing."""
    texts: dict[str | None, int] = {None: -1}
    codes = array("i", (texts.setdefault(cell_text(value), len(texts) - 1) for value in values))
    known = [text for text in texts if text is not None]
    return encoded(np.frombuffer(codes, np.int32), known), known


def _answers(value: Any, gone: Sequence[Any], text: bool) -> bool:
    """Whether a value with a label is an answer: not declared as missing, and none of the missing values of Stata and SAS."""
    if isinstance(value, str) != text:
        return False
    return not any(isinstance(each["lo"], str) == text and each["lo"] <= value <= each["hi"] for each in gone)


def _labels(labels: Iterable[tuple[Any, Any]], texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """What values mean: labels of numbers in the order of the numbers, those of texts in the order given.

    A label of several values, or one that is another value, says which value it is of: "agree (1)" and "agree (2)".
    """
    known = [(cell_text(value) or "", str(label).strip()) for value, label in labels]
    known = sorted(((value, label) for value, label in known if value and label), key=lambda entry: _number(entry[0]))
    often = Counter(label for _, label in known)
    values = {text.strip() for text in texts} - {value for value, _ in known}
    return tuple((value, f"{label} ({value})" if often[label] > 1 or label in values else label) for value, label in known)


def _moments(column: Sequence[Any], form: str, tool: str) -> list[Any]:
    """Numbers of a column as dates or moments, where its ``form`` says that they are; None for those of no calendar."""
    form = form.upper() if tool != "Stata" else form
    dates, times = _DATES.fullmatch(form), _TIMES.fullmatch(form)
    if not dates and not times:
        return list(column)
    start = datetime(1582, 10, 14) if tool.startswith("SPSS") else datetime(1960, 1, 1)
    unit = 1000 if form.startswith("%") and times else 1 if times or tool.startswith("SPSS") else 1 / 86_400
    found: list[Any] = []
    for value in column:
        try:
            moment = start + timedelta(seconds=value / unit)
        except (ArithmeticError, ValueError, TypeError):
            found.append(None)
        else:
            found.append(moment if times else moment.date())
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("inf")
