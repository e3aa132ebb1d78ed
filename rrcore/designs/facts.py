"""What a design with given numbers is like, in one value: its channel, what it gives away and how precise it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rrcore.designs.design import Design, LatentDesign
from rrcore.designs.estimate import design_error, formula_error
from rrcore.designs.exact import DesignChannel
from rrcore.errors import InputError
from rrcore.estimate import BreakEven, margin
from rrcore.estimate.uncertainty import check_people
from rrcore.wording import Quantity, counted, percent


@dataclass(frozen=True)
class Facts:
    """A design with its numbers, asked of a number of people of whom a share has the trait.

    Parameters
    ----------
    channel : DesignChannel
    people : int, split evenly where there are two groups
    share : float, how many have the trait; of a question with several answers, how many give the last one, the others alike
    errors : tuple of floats, standard error of each of the channel's quantities by the formula of the design's paper
    least : tuple of floats, the same by maximum likelihood
    openly : float, the standard error of the share where everybody answers openly and truthfully
    assumes : str, what else is taken for granted, empty where nothing
    """

    channel: DesignChannel
    people: int
    share: float
    errors: tuple[float, ...]
    least: tuple[float, ...]
    openly: float
    assumes: str

    @property
    def break_even(self) -> BreakEven:
        """What denial has to cost, asked directly, before the design pays."""
        noise = (self.errors[0] ** 2 - self.openly**2) * self.people
        return BreakEven(self.share, self.people, max(0.0, noise))

    @property
    def precision(self) -> str:
        """The first quantity's precision in a sentence, beside that of asking openly."""
        taken = f" and {self.assumes}" if self.assumes else ""
        times = f", so it takes {(self.errors[0] / self.openly) ** 2:.2g} times as many people" if self.openly else ""
        return (
            f"If {percent(self.share)} have the trait{taken}, {counted(self.people, 'person tells', 'people tell')} the share to "
            f"within {_within(self.errors[0])}; asked openly {_within(self.openly)}{times}."
        )


def design_facts(design: Design | LatentDesign, text: str, *, size: int = 2, people: int = 1_000, share: float = 0.2) -> Facts:
    """The facts of a design with typed numbers, for a question with ``size`` answers.

    Raises
    ------
    InputError
        For numbers that the design cannot have, and for no number of people or share.

    Examples
    --------
    >>> from rrcore.designs import DESIGNS
    >>> facts = design_facts(DESIGNS["warner"], "3/4")
    >>> facts.channel.level, round(facts.errors[0], 3)
    (Fraction(3, 1), 0.03)
    """
    check_people(people)
    if not 0 <= share <= 1:
        raise InputError(f"The expected share is {share:g}: give a number from 0 to 1.")
    channel, shares = design.asked(text, size=size, share=share)
    groups = [people / len(channel.groups)] * len(channel.groups)
    errors, least = (error(channel, shares, groups) for error in (formula_error, design_error))
    return Facts(channel, people, share, errors, least, math.sqrt(share * (1 - share) / people), design.assumes)


def _within(error: float) -> str:
    return Quantity("share", "a design", "the population").within(float(margin(error)))
