"""Class polls: the accuracy that a class can reach, and the most private design."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rrcore.designs.catalogue import k_ary
from rrcore.errors import InputError
from rrcore.estimate import expected_error, margin
from rrcore.limits import LEAST_POLL_TRUTH, MAX_POLL_ANSWERS, MAX_POLL_PEOPLE, MIN_POLL_PEOPLE, MOST_POLL_TRUTH
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Attribute, Schema
from rrcore.wording import counted, eps_text

ANSWERS = ("no", "yes")
"""Default answers to the question of a class poll."""

ATTRIBUTE = "answer"
"""Name of the question in the files of a class poll."""


@dataclass(frozen=True)
class PollDesign:
    """A poll with one question for a class.

    An answer is kept with a known probability and otherwise replaced by another one.

    Parameters
    ----------
    people : int, size of the class, from ``MIN_POLL_PEOPLE`` to ``MAX_POLL_PEOPLE``
    truth : int, percentage of true answers that are recorded, from ``least_truth`` to ``MOST_POLL_TRUTH``
    answers : 2 to ``MAX_POLL_ANSWERS`` names; results are about the last one

    Raises
    ------
    InputError
        If a number is outside its range, or answers are empty or equal.

    Examples
    --------
    >>> PollDesign(30, 75).odds, PollDesign(30, 75).others, PollDesign(30, 75).direct
    (Fraction(3, 1), 25, 8)
    """

    people: int
    truth: int
    answers: tuple[str, ...] = ANSWERS

    def __post_init__(self) -> None:
        if not MIN_POLL_PEOPLE <= self.people <= MAX_POLL_PEOPLE:
            raise InputError(f"The class size is {self.people:,}. Enter a number from {MIN_POLL_PEOPLE} to {MAX_POLL_PEOPLE:,}.")
        if not 2 <= len(self.answers) <= MAX_POLL_ANSWERS:
            raise InputError(
                f"The question has {counted(len(self.answers), 'answer', 'answers')}. Enter 2 to {MAX_POLL_ANSWERS} answers, "
                "separated by commas."
            )
        if not least_truth(len(self.answers)) <= self.truth <= MOST_POLL_TRUTH:
            least = least_truth(len(self.answers))
            raise InputError(
                f"Expected {least}% to {MOST_POLL_TRUTH}% of answers unchanged, got {self.truth}%. Choose a value in that range."
            )
        self._schema()  # refuses empty and equal answers

    @property
    def epsilon(self) -> float:
        """Privacy loss of one answer."""
        return math.log(self.odds)

    @property
    def odds(self) -> Fraction:
        """Largest factor by which an answer shifts anyone's odds about the true one."""
        share = Fraction(self.truth, 100)
        return share * (len(self.answers) - 1) / (1 - share)

    @property
    def others(self) -> int:
        """Number of 100 people with another true answer who are recorded as the last one.

        The number is rounded.
        """
        return round(Fraction(100 - self.truth, len(self.answers) - 1))

    @cached_property
    def error(self) -> float:
        """95% margin of error of a share if all answers are equally common.

        Theory is in theory.md section 15.
        """
        return float(margin(expected_error(self.file().channel((0,)), self.people)))

    @cached_property
    def direct(self) -> int:
        """Size of a random sample that is as accurate with direct questions.

        The sample is from the class, and everybody in it answers truthfully.

        Sampling is without replacement (Cochran 1977, Sampling Techniques, 2.2). The variance of a share s among m of n people is s
        (1 - s) / m times (n - m) / (n - 1). It equals the variance with randomized answers from all n people. The share s is 1
        divided by the number of answers.
        """
        n, share = self.people, 1 / len(self.answers)
        spread, noise = share * (1 - share), expected_error(self.file().channel((0,)), self.people) ** 2
        return max(1, math.ceil(n * spread / (noise * (n - 1) + spread) - 1e-9))

    def file(self, *, note: str = "class poll") -> MechanismFile:
        """Return the mechanism file of the poll."""
        return MechanismFile(self._schema(), (((0,), k_ary(len(self.answers), Fraction(self.truth, 100))),), note=note)

    def sentences(self) -> tuple[str, str]:
        """State the accuracy and the privacy of the poll.

        Examples
        --------
        >>> print(*PollDesign(30, 75).sentences(), sep="\\n")
        The 95% margin of error for “yes” is 31 percentage points.
        ε = 1.1 per answer. 25 of 100 people whose true answer is “no” are recorded as “yes”.
        """
        last = self.answers[-1]
        alike = " if all answers are equally common" if len(self.answers) > 2 else ""  # two have the largest error then
        accuracy = (
            f"The 95% margin of error for “{last}” is {100 * self.error:.2g} percentage points{alike}."
            if self.error < 1
            else f"A class of {self.people:,} is too small to estimate any share."
        )
        whose = f"“{self.answers[0]}”" if len(self.answers) == 2 else "another one"
        privacy = (
            f"ε = {eps_text(self.epsilon)} per answer. {self.others} of 100 people whose true answer is {whose} "
            f"are recorded as “{last}”."
        )
        return accuracy, privacy

    def shortfall(self, within: float) -> str:
        """Warn if the margin of error exceeds ``within``.

        Otherwise, the text is empty.
        """
        if self.error <= within:
            return ""
        return (
            f"A class of {self.people:,} cannot reach a margin of {100 * within:g} percentage points. The most accurate poll that "
            f"still protects answers leaves {self.truth}% of them unchanged."
        )

    def _schema(self) -> Schema:
        return Schema((Attribute(ATTRIBUTE, self.answers),))


def least_truth(answers: int) -> int:
    """Return the smallest ``truth`` of a poll.

    The result is ``LEAST_POLL_TRUTH`` percentage points more than by chance alone.

    Examples
    --------
    >>> least_truth(2), least_truth(4)
    (55, 30)
    """
    return math.ceil(100 / answers) + LEAST_POLL_TRUTH


def poll_design(people: int, within: float, answers: Sequence[str] = ANSWERS) -> PollDesign:
    """Return the most private design with a margin of error of at most ``within``.

    If no design reaches this margin, the most accurate design is returned.

    Parameters
    ----------
    people : size of the class
    within : 95% margin of error of a share, in (0, 1]

    Raises
    ------
    InputError
        If the margin is outside its range, and as ``PollDesign`` does.

    Examples
    --------
    >>> poll_design(30, 0.2).truth, poll_design(200, 0.2).truth, poll_design(8, 0.05).truth
    (84, 67, 95)
    """
    if not 0 < within <= 1:
        raise InputError(f"The margin of error is {100 * within:g} percentage points. Choose a number above 0 and at most 100.")
    low, high = least_truth(len(answers)), MOST_POLL_TRUTH
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if PollDesign(people, middle, tuple(answers)).error <= within else (middle + 1, high)
    return PollDesign(people, low, tuple(answers))
