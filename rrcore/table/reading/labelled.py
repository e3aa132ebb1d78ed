"""Files of SPSS and Stata: values as codes, with the labels and the wording of the questions that such files carry."""

import io
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import MAX_ROWS, MAX_UNPACKED_BYTES
from rrcore.progress import Report, quiet
from rrcore.table.reading.columns import LESS, MIB, FoundColumns, cell_text, check_rows, check_size, checked_names, refuse
from rrcore.table.reading.layout import Layout, NamedColumns
from rrcore.table.reading.text_table import TextColumn


@dataclass(frozen=True, eq=False)
class LabelledFile(NamedColumns):
    """A file of SPSS or Stata: it knows the names of its columns, and what its codes mean."""

    data: memoryview
    tool: str

    def read(self, layout: Layout, report: Report = quiet) -> FoundColumns:
        tool = need("pyreadstat", f"A file of {self.tool}")
        read = tool.read_sav if self.tool == "SPSS" else tool.read_dta
        _, known = read(io.BytesIO(self.data), metadataonly=True, output_format="dict")
        names, rows = checked_names(list(known.column_names)), known.number_rows or 0
        check_size(rows, len(names))
        if rows * len(names) * 8 > MAX_UNPACKED_BYTES:
            refuse(f"The file unpacks to more than the limit of {MAX_UNPACKED_BYTES // MIB} MB.", LESS)
        values, known = read(io.BytesIO(self.data), output_format="dict", row_limit=MAX_ROWS + 1)
        found = FoundColumns()
        for number, (name, key) in enumerate(zip(names, known.column_names, strict=True)):
            report(number / len(names), f"column {number + 1:,} of {len(names):,}")
            column = add_texts(found, name, (None if value is None or value != value else value for value in values.pop(key)))
            if column is not None:
                labels = known.variable_value_labels.get(key, {}).items()
                question, ordered = known.column_names_to_labels.get(key) or "", known.variable_measure.get(key) == "ordinal"
                found.columns[-1] = labelled(column, labels, question, ordered)
            check_rows(rows if column is None else len(column.codes))
        return found


def add_texts(found: FoundColumns, name: str, values: Iterable[Any]) -> TextColumn | None:
    """Add a column of numbers, texts or dates, each as the text that a person would type; None is missing."""
    texts: dict[str | None, int] = {None: -1}
    codes = array("i", (texts.setdefault(cell_text(value), len(texts) - 1) for value in values))
    return found.add(name, pa.array(list(texts)[1:], pa.string()), np.frombuffer(codes, np.int32))


def labelled(column: TextColumn, labels: Iterable[tuple[Any, Any]], question: str, ordered: bool) -> TextColumn:
    """The column with what its values mean, how it was asked, and whether the order of the labels means anything.

    Labels of numbers are in the order of the numbers, those of texts in the order given.
    """
    known = [(cell_text(value) or "", str(label).strip()) for value, label in labels]
    kept = sorted(((value, label) for value, label in known if value and label), key=lambda entry: _number(entry[0]))
    return replace(column, labels=tuple(kept), question=" ".join(question.split()), ordered=ordered)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("inf")
