"""SPSS and Stata files: values as codes, with the labels and the wording of the questions that such files carry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.table.reading.apart import about, read_apart
from rrcore.table.reading.columns import Columns, cell_text, check_rows, encoded, make_column
from rrcore.table.reading.layout import Layout, Row
from rrcore.table.reading.table import TextColumn


@dataclass(frozen=True, eq=False)
class LabelledFile:
    """A file of SPSS or Stata: it knows the names of its columns, and what its codes mean."""

    data: bytes
    tool: str
    sheets: tuple[str, ...] = ()

    def head(self, sheet: str = "") -> tuple[Row, ...]:
        return ()

    def read(self, layout: Layout) -> tuple[Columns, list[str]]:
        table = read_apart(self.data, self.tool)
        check_rows(table.num_rows)
        columns = []
        for field, chunks in zip(table.schema, table.columns, strict=True):
            column, trimmed = make_column(field.name, *encoded(chunks))
            known = about(field)
            columns.append((labelled(column, known["labels"], known["question"], known["ordered"]), trimmed))
        return columns, []


def text_column(name: str, values: Iterable[Any]) -> tuple[TextColumn, bool]:
    """A column of numbers, texts or dates, each as the text that a person would type; None is missing."""
    texts: dict[str | None, int] = {None: -1}
    codes = [texts.setdefault(cell_text(value), len(texts) - 1) for value in values]
    return make_column(name, pa.array(list(texts)[1:], pa.string()), np.array(codes, np.int32))


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
