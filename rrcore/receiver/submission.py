"""What the form sends, read strictly: anything else is refused with one sentence that repeats nothing of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rrcore.errors import DocumentError, InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.receiver.store import Submission
from rrcore.table.plain import parse
from rrcore.table.reading.lines import LINE, UNRANDOMISED
from rrcore.table.schema import Attribute
from rrcore.wording import and_text

_RECEIPT = re.compile(r"[0-9a-f]{64}")
_SIGNATURE = re.compile(r"[0-9a-f]{512}")
_AROUND = 2_000  # bytes of a line beside its names and categories: braces, fingerprint, receipt, signature
_ESCAPED = 6  # most bytes that JSON may use for a UTF-16 unit: \uXXXX

NOT_JSON = "This is not an answer from the form: one JSON object is expected."


@dataclass(frozen=True)
class Checker:
    """Reads answers to one mechanism file.

    Parameters
    ----------
    mechanism : MechanismFile
    invited : bool, whether an answer has to bring the signature of its receipt
    unrandomised : what is asked besides, and sent as it is
    """

    mechanism: MechanismFile
    invited: bool
    unrandomised: tuple[Attribute, ...] = ()
    longest: int = field(init=False)

    def __post_init__(self) -> None:
        asked = (*self.mechanism.reports.attributes, *self.unrandomised)
        text = sum(_units(each.name) + max(map(_units, each.categories)) + 2 for each in asked)
        object.__setattr__(self, "longest", _AROUND + _ESCAPED * text)

    def read(self, body: bytes) -> tuple[Submission, bytes]:
        """The answer in ``body``, and its signature (empty where none is needed). Raises InputError for anything else."""
        record = read_object(body)
        beside = [UNRANDOMISED] if self.unrandomised else []
        needed = ["mechanism", "answers", *beside, "receipt", *(["signature"] if self.invited else [])]
        if set(record) != set(needed):
            raise InputError(f"This is not an answer from the form: it has the fields {and_text(needed)}, and no others.")
        if record["mechanism"] != self.mechanism.sha256:
            raise InputError("These answers were randomised by another mechanism file: open the form of this survey.")
        codes = _codes(record["answers"], self.mechanism.reports.attributes)
        known = [*_codes(record[UNRANDOMISED], self.unrandomised)] if beside else []
        receipt = text_of(record["receipt"], _RECEIPT, "receipt")
        signature = text_of(record["signature"], _SIGNATURE, "signature") if self.invited else ""
        return Submission((*codes, *known), bytes.fromhex(receipt)), bytes.fromhex(signature)


def _codes(answers: object, asked: Sequence[Attribute]) -> Iterator[int]:
    """The code of the answer to each question."""
    if not isinstance(answers, dict) or set(answers) != {each.name for each in asked}:
        raise InputError("This is not an answer from the form: it answers each question of the survey, and no others.")
    for each in asked:
        if answers[each.name] not in each.categories:
            raise InputError(f"The answer to '{each.name}' is not one of its categories: open the form of this survey.")
        yield each.categories.index(answers[each.name])


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
