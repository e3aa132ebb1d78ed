"""Files of SPSS, Stata and SAS: values as codes, with the labels and the wording of the questions that such files carry."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import MAX_ROWS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.reading.columns import LESS, MIB, cell_text, check_rows, check_size, checked_names, refuse
from rrcore.table.reading.options import NamedColumns, ReadOptions
from rrcore.table.reading.piece import About, Content, HeldPiece, Source, encoded


@dataclass(frozen=True, eq=False)
class LabelledFile(NamedColumns):
    """A file of SPSS or Stata: it knows the names of its columns, and what its codes mean."""

    content: Content
    tool: str

    def source(self, layout: ReadOptions, report: Report = quiet) -> Source:
        tool = need("pyreadstat", f"A file of {self.tool}")
        read = tool.read_sav if self.tool == "SPSS" else tool.read_dta
        _, known = read(self.content.open(), metadataonly=True, output_format="dict")
        names, rows = checked_names(list(known.column_names)), known.number_rows or 0
        check_size(rows, len(names))
        if rows * len(names) * 8 > MAX_UNPACKED_BYTES:
            refuse(f"The file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
        values, known = read(self.content.open(), output_format="dict", row_limit=MAX_ROWS + 1)
        columns, about = [], {}
        for number, (name, key) in enumerate(zip(names, known.column_names, strict=True)):
            report(number / len(names), f"column {number + 1:,} of {len(names):,}")
            columns.append(_column(None if value is None or value != value else value for value in values.pop(key)))
            labels = known.variable_value_labels.get(key, {}).items()
            question, ordered = known.column_names_to_labels.get(key) or "", known.variable_measure.get(key) == "ordinal"
            about[name] = About(_labels(labels), " ".join(question.split()), ordered)
        check_rows(len(columns[0]) if columns else 0)
        return Source((HeldPiece(self.content.name, pa.table(columns, names=names), self.content.size),), about=about)


def _column(values: Iterable[Any]) -> Any:
    """A column of numbers, texts or dates, each as the text that a person would type; None is missing."""
    texts: dict[str | None, int] = {None: -1}
    codes = array("i", (texts.setdefault(cell_text(value), len(texts) - 1) for value in values))
    return encoded(np.frombuffer(codes, np.int32), list(texts)[1:])


def _labels(labels: Iterable[tuple[Any, Any]]) -> tuple[tuple[str, str], ...]:
    """What values mean: labels of numbers in the order of the numbers, those of texts in the order given."""
    known = [(cell_text(value) or "", str(label).strip()) for value, label in labels]
    return tuple(sorted(((value, label) for value, label in known if value and label), key=lambda entry: _number(entry[0])))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("inf")
