"""R's .rds and .RData files that hold a data frame: factors with their levels, and labels as the package haven keeps them.

rdata reads them from memory, without R; nothing is written to disk and nothing of the file is run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rrcore.errors import need
from rrcore.limits import MAX_ROWS
from rrcore.table.reading.columns import Found, check_rows, checked_names, refuse
from rrcore.table.reading.labelled import add_texts, labelled
from rrcore.table.reading.layout import Layout, Row
from rrcore.work import Report, quiet

_NOT_A_NUMBER = -(2**31)
_FRAME = "Save one data frame, for example saveRDS(answers, 'answers.rds')."


@dataclass(frozen=True, eq=False)
class RFile:
    """A file that R saved, unpacked."""

    data: memoryview
    sheets: tuple[str, ...] = ()
    memory: int = 0

    def head(self, sheet: str = "") -> tuple[Row, ...]:
        return ()

    def read(self, layout: Layout, report: Report = quiet) -> Found:
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
        result = Found()
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


def _add(found: Found, name: str, vector: Any) -> None:
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
    from datetime import UTC, datetime, timedelta

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
