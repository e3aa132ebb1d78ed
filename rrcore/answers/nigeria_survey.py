"""A real survey by forced response in the Niger Delta, as published counts.

Source: Blair, Imai and Zhou (2015), R package rr.
"""

from fractions import Fraction

from rrcore.answers.answers import Answers
from rrcore.answers.reading import read_answers
from rrcore.designs import forced_response
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema

NIGERIA_SOURCE = (
    "Civilians in Nigeria were asked whether they have a social connection to armed groups. They had to roll a die in secret and "
    "answer no on a 1, yes on a 6, and truthfully on any other number. The data are from the R package rr, and the study is Blair, Imai and "
    "Zhou (2015), 'Design and Analysis of the Randomized Response Technique'."
)

_COUNTS = {
    "": (1, 0, 8),
    "1": (130, 53, 0),
    "2": (55, 32, 0),
    "3": (187, 48, 4),
    "4": (301, 194, 0),
    "5": (645, 377, 2),
    "6": (67, 29, 0),
    "7": (88, 45, 2),
    "8": (45, 13, 1),
    "9": (80, 34, 5),
    "10": (5, 6, 0),
}
"""Education (1 no schooling to 10 graduate; empty where unknown) -> people who said no, who said yes, who gave no answer."""


def nigeria() -> Answers:
    """Return the survey as collected answers with its design."""
    question = "connected to an armed group"
    sixth = Fraction(1, 6)
    mechanism = MechanismFile(
        Schema((Attribute(question, ("no", "yes")),)),
        (((0,), forced_response(Fraction(2, 3), sixth, sixth)),),
        made_by="Blair, Imai and Zhou (2015)",
        note="Forced response with a die",
    )
    rows = [f'"{question}","education"']
    for education, counts in _COUNTS.items():
        for answer, people in zip(("no", "yes", ""), counts, strict=True):
            rows += [f'"{answer}","{education}"'] * people
    return read_answers([("\n".join(rows).encode(), "Niger Delta survey.csv")], mechanism)
