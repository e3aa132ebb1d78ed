"""Files of SPSS, Stata and R: values as codes, with the labels and the wording of the questions that such files carry.

R's .rds and .RData hold a data frame, with factors and their levels, and labels as the package haven keeps them. rdata reads them from
memory, without R; nothing is written to disk and nothing of the file is run.
"""

import io
import math
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from rrcore.errors import need
from rrcore.limits import MAX_ROWS, MAX_UNPACKED_BYTES
from rrcore.table.reading.columns import LESS, MIB, FoundColumns, cell_text, check_rows, check_size, checked_names, refuse
from rrcore.table.reading.layout import Layout, NamedColumns
from rrcore.table.reading.text_table import TextColumn
from rrcore.work import Report, quiet

_NOT_A_NUMBER = -(2**31)
_FRAME = "Save one data frame, for example saveRDS(answers, 'answers.rds')."


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


@dataclass(frozen=True, eq=False)
class RFile(NamedColumns):
    """A file that R saved, unpacked."""

    data: memoryview

    def read(self, layout: Layout, report: Report = quiet) -> FoundColumns:
        parser = need("rdata", "A file of R").parser._parser
        data = bytes(self.data)
        whole = data.startswith(b"RD")
        expand = dict(parser.DEFAULT_ALTREP_MAP)
        for name in (b"compact_intseq", b"compact_realseq"):
            expand[name] = partial(_bounded, expand[name])
        found = parser.parse_data(data, altrep_constructor_dict=expand, extension=None if whole else ".rds").object
        frames = [(name, frame) for name, frame in (_pairs(found) if whole else [("", found)]) if _is_frame(frame)]
        if not frames:
            refuse("The file of R holds no data frame.", _FRAME)
        if len(frames) > 1:
            listed = ", ".join(f"'{name}'" for name, _ in frames[:8])
            refuse(f"The file of R holds {len(frames)} data frames: {listed}.", _FRAME, quoted=listed)
        frame = frames[0][1]
        names = checked_names(_strings(_attributes(frame)["names"]))
        result = FoundColumns()
        for number, (column, vector) in enumerate(zip(names, frame.value, strict=True)):
            report(number / len(names), f"column {number + 1:,} of {len(names):,}")
            _add(result, column, vector)
        for made in result.columns:
            check_rows(len(made.codes))
        return result


def _bounded(expand: Any, state: Any) -> Any:
    """A sequence that R keeps as its ends only, written out if it is not longer than a table may be."""
    if not 0 <= float(state.value[0]) <= MAX_ROWS:
        check_rows(MAX_ROWS + 1)
    return expand(state)


def _add(found: FoundColumns, name: str, vector: Any) -> None:
    about = _attributes(vector)
    kinds = _strings(about["class"]) if "class" in about else []
    asked = (_strings(about["label"]) or [""])[0] if "label" in about else ""
    values = _values(vector)
    if values is None:
        found.left_out[name] = f"Column '{name}' holds lists or objects of R, one value per cell was expected. Leave it out."
        return
    labels: Iterable[tuple[Any, Any]] = ()
    if "factor" in kinds:
        levels = _strings(about["levels"])
        values = [None if value is None else levels[int(value) - 1] for value in values]
        labels = [(level, level) for level in levels]
    elif "Date" in kinds or "POSIXct" in kinds:
        day = 1 if "Date" in kinds else 86_400
        values = [None if value is None else _date(value / day) for value in values]
    elif "labels" in about and about["labels"].attributes is not None:
        codes = _values(about["labels"]) or []
        labels = zip(codes, _strings(_attributes(about["labels"])["names"]), strict=True)
    column = add_texts(found, name, values)
    if column is not None:
        found.columns[-1] = labelled(column, labels, asked, "ordered" in kinds)


def _values(vector: Any) -> list[Any] | None:
    """Numbers, truth values or texts of a vector, None where missing; None for anything else."""
    kind = vector.info.type.name
    if kind == "STR":
        return [None if part.value is None else _text(part) for part in vector.value]
    if kind not in ("INT", "REAL", "LGL"):
        return None
    raw = vector.value.tolist()
    return [None if x is None or (isinstance(x, float) and math.isnan(x)) or x == _NOT_A_NUMBER else x for x in raw]


def _date(days: float) -> str:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=days)).replace(tzinfo=None).isoformat(" ").removesuffix(" 00:00:00")


def _is_frame(found: Any) -> bool:
    about = _attributes(found)
    return found.info.type.name == "VEC" and "class" in about and "data.frame" in _strings(about["class"]) and "names" in about


def _attributes(found: Any) -> dict[str, Any]:
    return dict(_pairs(found.attributes))


def _pairs(chain: Any) -> list[tuple[str, Any]]:
    """Names and values of R's pair list."""
    pairs = []
    while chain is not None and chain.info.type.name == "LIST":
        tag = chain.tag.referenced_object if chain.tag.info.type.name == "REF" else chain.tag
        pairs.append((_text(tag.value), chain.value[0]))
        chain = chain.value[1]
    return pairs


def _strings(vector: Any) -> list[str]:
    return ["" if part.value is None else _text(part) for part in vector.value]


def _text(part: Any) -> str:
    raw = part.value
    return raw if isinstance(raw, str) else raw.decode("utf-8", errors="replace")
