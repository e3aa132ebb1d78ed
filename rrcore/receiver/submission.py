"""What the form sends, read strictly: anything else is refused with one sentence that repeats nothing of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rrcore.errors import DocumentError, InputError
from rrcore.promise.groups import Survey
from rrcore.receiver.store import Submission
from rrcore.table.plain import parse
from rrcore.table.reading.lines import LINE

_RECEIPT = re.compile(r"[0-9a-f]{64}")
_SIGNATURE = re.compile(r"[0-9a-f]{512}")
_AROUND = 2_000  # bytes of a line beside its names and categories: braces, fingerprint, receipt, signature
_ESCAPED = 6  # most bytes that JSON may use for a UTF-16 unit: \uXXXX

NOT_JSON = "This is not an answer from the form: one JSON object is expected."


@dataclass(frozen=True)
class Checker:
    """Reads answers to one mechanism file, or to one of those of a survey of which part is asked directly.

    Parameters
    ----------
    survey : MechanismFile or MechanismGroups
    invited : bool, whether an answer has to bring the signature of its receipt
    """

    survey: Survey
    invited: bool
    parts: dict[str, tuple[int, tuple[dict[str, int], ...]]] = field(init=False, repr=False)
    longest: int = field(init=False)

    def __post_init__(self) -> None:
        parts, longest = {}, 0
        for number, (_, file) in enumerate(self.survey.files):
            attributes = file.reports.attributes
            parts[file.sha256] = (
                number,
                tuple({category: code for code, category in enumerate(each.categories)} for each in attributes),
            )
            text = sum(_units(each.name) + max(map(_units, each.categories)) + 2 for each in attributes)
            longest = max(longest, _AROUND + _ESCAPED * text)
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "longest", longest)

    def read(self, body: bytes) -> tuple[Submission, bytes]:
        """The answer in ``body``, and its signature (empty where none is needed). Raises InputError for anything else."""
        record = read_object(body)
        if set(record) != {"mechanism", "answers", "receipt"} | ({"signature"} if self.invited else set()):
            needed = "mechanism, answers, receipt and signature" if self.invited else "mechanism, answers and receipt"
            raise InputError(f"This is not an answer from the form: it has the fields {needed}, and no others.")
        made_by = record["mechanism"]
        if not isinstance(made_by, str) or made_by not in self.parts:
            raise InputError("These answers were randomised by another mechanism file: open the form of this survey.")
        answers = record["answers"]
        names, (part, lookups) = self.survey.schema.names, self.parts[made_by]
        if not isinstance(answers, dict) or set(answers) != set(names):
            raise InputError("This is not an answer from the form: it answers each question of the survey, and no others.")
        codes = []
        for name, lookup in zip(names, lookups, strict=True):
            code = lookup.get(answers[name]) if isinstance(answers[name], str) else None
            if code is None:
                raise InputError(f"The answer to '{name}' is not one of its categories: open the form of this survey.")
            codes.append(code)
        receipt = text_of(record["receipt"], _RECEIPT, "receipt")
        signature = text_of(record["signature"], _SIGNATURE, "signature") if self.invited else ""
        stored = self.survey.raised(np.array(codes, dtype=np.int32), part)
        return Submission(tuple(stored.tolist()), bytes.fromhex(receipt)), bytes.fromhex(signature)


def read_object(body: bytes) -> dict[str, Any]:
    """A JSON object without a field twice, a number that is none, or endless nesting."""
    try:
        found = parse(body, LINE)
    except DocumentError:
        raise InputError(NOT_JSON) from None  # which repeats nothing of it
    if not isinstance(found, dict):
        raise InputError(NOT_JSON)
    return found


def text_of(value: object, pattern: re.Pattern[str], field: str) -> str:
    """``value``, which has to be a text that ``pattern`` describes."""
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise InputError(f"This is not from the form: its {field} is not written as expected.")
    return value


def _units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2
