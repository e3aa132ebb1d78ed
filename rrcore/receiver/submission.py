"""Read what the form sends and reject everything else.

The error message does not repeat any content.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from rrcore.answers.json_lines import Line
from rrcore.documents import decode
from rrcore.errors import DocumentError, InputError
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.receiver.store import Submission
from rrcore.table.schema import Attribute

Sent = TypeVar("Sent")
_AROUND = 2_000  # bytes of a line next to its names and categories: braces, fingerprint, receipt, signature
_ESCAPED = 6  # most bytes that JSON may use for a UTF-16 unit: \uXXXX

NOT_JSON = "This answer is not from the form. It is not JSON with the fields of the form."


@dataclass(frozen=True)
class Checker:
    """A reader of answers to one mechanism file.

    Parameters
    ----------
    mechanism : MechanismFile
    invited : bool, whether an answer needs the signature of its receipt
    unrandomized : additional questions without randomization
    """

    mechanism: MechanismFile
    invited: bool
    unrandomized: tuple[Attribute, ...] = ()
    longest: int = field(init=False)

    def __post_init__(self) -> None:
        asked = (*self.mechanism.reports.attributes, *self.unrandomized)
        text = sum(_units(each.name) + max(map(_units, each.categories)) + 2 for each in asked)
        object.__setattr__(self, "longest", _AROUND + _ESCAPED * text)

    def read(self, body: bytes) -> tuple[Submission, bytes]:
        """Return the answer in ``body`` and its signature.

        The signature is empty if none is needed. Raises InputError for other content.
        """
        record = read_sent(body, Line)
        if len(record.receipt) != 64 or len(record.signature) != (512 if self.invited else 0):
            raise InputError("This answer is not from the form. Its receipt or signature has the wrong format.")
        if record.mechanism != self.mechanism.sha256:
            raise InputError("These answers were randomized with another mechanism file. Open the form of this survey.")
        codes = _codes(record.answers, self.mechanism.reports.attributes)
        known = _codes(record.unrandomized, self.unrandomized)
        return Submission((*codes, *known), bytes.fromhex(record.receipt)), bytes.fromhex(record.signature)


def _codes(answers: Mapping[str, str], asked: Sequence[Attribute]) -> Iterator[int]:
    """The code of the answer to each question."""
    if set(answers) != {each.name for each in asked}:
        raise InputError("This answer is not from the form. It must answer each question of the survey, and no others.")
    for each in asked:
        if answers[each.name] not in each.categories:
            raise InputError(f"The answer to '{each.name}' is not one of its categories. Open the form of this survey.")
        yield each.categories.index(answers[each.name])


def read_sent(body: bytes, kind: type[Sent]) -> Sent:
    """Read what the form sent.

    Raises InputError for other content, without repeating it.
    """
    try:
        return decode(body, kind, "", "")
    except DocumentError:
        raise InputError(NOT_JSON) from None


def _units(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text.encode("utf-16-le")) // 2
