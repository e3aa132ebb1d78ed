"""What a class of a given size can learn about itself by randomized response, and the truth told that a wanted precision takes."""

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
from rrcore.wording import Quantity, counted

ANSWERS = ("no", "yes")
"""The answers to a question of a class poll, unless others are given."""

ATTRIBUTE = "answer"
"""What the question of a class poll is called in its files."""


@dataclass(frozen=True)
class PollDesign:
    """One question to a class, whose answers are told truthfully with a known probability, and else replaced by another one.

    Parameters
    ----------
    people : int, size of the class, ``MIN_POLL_PEOPLE`` to ``MAX_POLL_PEOPLE``
    truth : int, truth told in percent, ``least_truth`` to ``MOST_POLL_TRUTH``
    answers : 2 to ``MAX_POLL_ANSWERS`` names, the last of which is told in words

    Raises
    ------
    InputError
        For other numbers, or answers that are empty or alike.

    Examples
    --------
    >>> print(PollDesign(30, 75).within, PollDesign(30, 90).within)
    ± 31.0 points ± 13.4 points
    >>> PollDesign(30, 75).odds, PollDesign(30, 75).others, PollDesign(30, 75).direct
    (Fraction(3, 1), 25, 8)
    """

    people: int
    truth: int
    answers: tuple[str, ...] = ANSWERS

    def __post_init__(self) -> None:
        if not MIN_POLL_PEOPLE <= self.people <= MAX_POLL_PEOPLE:
            raise InputError(f"The class has {self.people:,} people: give {MIN_POLL_PEOPLE} to {MAX_POLL_PEOPLE:,}.")
        if not 2 <= len(self.answers) <= MAX_POLL_ANSWERS:
            raise InputError(
                f"The question has {counted(len(self.answers), 'possible answer', 'possible answers')}: give 2 to {MAX_POLL_ANSWERS}."
            )
        if not least_truth(len(self.answers)) <= self.truth <= MOST_POLL_TRUTH:
            least = least_truth(len(self.answers))
            raise InputError(f"The truth is told {self.truth} % of the time: give {least} to {MOST_POLL_TRUTH} %.")
        self._schema()  # which says what is wrong with answers

    @property
    def level(self) -> float:
        """What one answer gives away at most, in nats."""
        return math.log(self.odds)

    @property
    def odds(self) -> Fraction:
        """By how many times an answer shifts anyone's odds about the true one at most."""
        share = Fraction(self.truth, 100)
        return share * (len(self.answers) - 1) / (1 - share)

    @property
    def others(self) -> int:
        """Of 100 people whose true answer is another one, how many send the last one, rounded."""
        return round(Fraction(100 - self.truth, len(self.answers) - 1))

    @cached_property
    def error(self) -> float:
        """Half of the 95 % interval of a share of this class where all answers are equally common, a share; theory section 15."""
        return float(margin(expected_error(self.file().marginal_channel((0,)), self.people)))

    @property
    def within(self) -> str:
        """``error`` in words."""
        return Quantity("share", ATTRIBUTE, "these people").within(self.error)

    @cached_property
    def direct(self) -> int:
        """How many of the class, drawn at random and asked without protection, would tell as much if all of them told the truth.

        Sampling without replacement from ``people`` (Cochran 1977, Sampling Techniques, 2.2): the variance of a share s among m of n people
        is s (1 - s) / m times (n - m) / (n - 1), and is set equal to that of the randomised answers of all n, s being one in as many as
        there are answers.
        """
        n, share = self.people, 1 / len(self.answers)
        spread, noise = share * (1 - share), expected_error(self.file().marginal_channel((0,)), self.people) ** 2
        return max(1, math.ceil(n * spread / (noise * (n - 1) + spread) - 1e-9))

    def file(self, *, note: str = "class poll") -> MechanismFile:
        """The mechanism file that the answers are randomised by."""
        return MechanismFile(self._schema(), (((0,), k_ary(len(self.answers), Fraction(self.truth, 100))),), note=note)

    def sentences(self) -> tuple[str, str]:
        """What the class learns, and what an answer gives away, each in one sentence.

        Examples
        --------
        >>> print(*PollDesign(30, 75).sentences(), sep="\\n")
        In 95 of 100 classes of 30 the share of “yes” comes out within 31.0 points of the truth.
        Of 100 people whose true answer is “no”, 25 send “yes”: seeing “yes” shifts anyone's odds at most × 3.00.
        """
        last, points = self.answers[-1], self.within.removeprefix("± ")
        alike = ", if all answers are equally common" if len(self.answers) > 2 else ""  # of two, that is where it is off most
        learnt = (
            f"In 95 of 100 classes of {self.people:,} the share of “{last}” comes out within {points} of the truth{alike}."
            if self.error < 1
            else f"A class of {self.people:,} learns nothing this way: no share can be told."
        )
        whose = f"“{self.answers[0]}”" if len(self.answers) == 2 else "another one"
        odds = Quantity("one answer", ATTRIBUTE).odds(self.odds)
        return (
            learnt,
            f"Of 100 people whose true answer is {whose}, {self.others} send “{last}”: seeing “{last}” shifts anyone's odds at most {odds}.",
        )

    def shortfall(self, within: float) -> str:
        """That a class of this size cannot be told a share to ``within``, in (0, 1], in one sentence; empty where it can."""
        if self.error <= within:
            return ""
        return (
            f"A class of {self.people:,} cannot reach ± {100 * within:g} points: with {self.truth} % truth told, the most that still "
            f"protects, it is {self.within}."
        )

    def _schema(self) -> Schema:
        return Schema((Attribute(ATTRIBUTE, self.answers),))


def least_truth(answers: int) -> int:
    """The least truth told that a poll may have, in percent: ``LEAST_POLL_TRUTH`` points more often than by chance alone.

    Examples
    --------
    >>> least_truth(2), least_truth(4)
    (55, 30)
    """
    return math.ceil(100 / answers) + LEAST_POLL_TRUTH


def poll_design(people: int, within: float, answers: Sequence[str] = ANSWERS) -> PollDesign:
    """The most protective design that reaches a precision: the least truth told, in whole percent, whose error is at most ``within``.

    Where none reaches it, that with the most truth told; its ``error`` says what comes out.

    Parameters
    ----------
    people : size of the class
    within : half of the 95 % interval of a share, in (0, 1]

    Raises
    ------
    InputError
        For another precision, and as ``PollDesign``.

    Examples
    --------
    >>> poll_design(30, 0.2).truth, poll_design(200, 0.2).truth, poll_design(8, 0.05).truth
    (84, 67, 95)
    """
    if not 0 < within <= 1:
        raise InputError(f"The precision is {100 * within:g} points: give a number above 0 and at most 100.")
    low, high = least_truth(len(answers)), MOST_POLL_TRUTH
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if PollDesign(people, middle, tuple(answers)).error <= within else (middle + 1, high)
    return PollDesign(people, low, tuple(answers))
