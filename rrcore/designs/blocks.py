"""Fixed numbers of lies per block: of every block of people a fixed number is recorded as yes whatever they said (block garbling)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from rrcore.designs.design import Named
from rrcore.designs.estimate import Measured, estimate_counts
from rrcore.designs.exact import DesignChannel, DesignQuantity
from rrcore.designs.rational import rational_number, shown
from rrcore.errors import InputError

_NO, _YES = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
_OPENLY = DesignChannel(("no", "yes"), (0, 1), ("no", "yes"), ((_NO, _YES),), (DesignQuantity("yes", _YES),))
"""Those who were not made to lie are asked openly."""


@dataclass(frozen=True)
class BlocksOfPeople:
    """Of each ``size`` people, ``lies`` are recorded as yes, chosen at random before anybody answers.

    There is no bound for a single answer: a recorded no is true, and whoever knows the answers of everybody else in a block can know the
    last one. What holds is a count, see ``deniable``.

    Parameters
    ----------
    size : int >= 2, people in a block
    lies : int, 1 to size - 1

    Examples
    --------
    >>> blocks = BlocksOfPeople(5, 1)
    >>> blocks.deniable(2)
    Fraction(1, 2)
    """

    size: int
    lies: int

    def __post_init__(self) -> None:
        if self.size < 2 or not 1 <= self.lies < self.size:
            raise InputError(
                f"{self.lies} of {self.size} are recorded as yes: give a block of at least 2, and from 1 to one less than the block."
            )

    def deniable(self, yes: int) -> Fraction:
        """The probability that a person recorded as yes was made so by the design, ``yes`` people of the block being recorded as yes.

        It is lies / yes for an observer to whom the people of a block are alike: all lies are among those recorded as yes, equally likely
        each. So it never falls below lies / size. Someone who can tell people apart may do better, up to certainty.
        """
        if not self.lies <= yes <= self.size:
            raise InputError(
                f"{yes} of {self.size} are recorded as yes: with {self.lies} lies per block it is {self.lies} to {self.size}."
            )
        return Fraction(self.lies, yes)

    def shift(self, yes: int, others: int) -> Fraction | None:
        """By what factor a recorded yes shifts the odds of someone who knows every other true answer of the block; None: to certainty.

        P(records | yes) / P(records | no) = (others + 1) / (lies - yes + others + 1).

        Parameters
        ----------
        yes : int, people recorded as yes in the block, this one included
        others : int, true yes among the other people, at most yes - 1 and at least yes - lies - 1

        Examples
        --------
        >>> BlocksOfPeople(5, 1).shift(yes=2, others=1), BlocksOfPeople(5, 1).shift(yes=2, others=0)
        (Fraction(2, 1), None)
        """
        left = self.lies - yes + others + 1
        if not 0 <= others < yes or left < 0:
            raise InputError(f"{yes} recorded and {others} other true yes cannot occur with {self.lies} lies per block.")
        return Fraction(others + 1, left) if left else None

    @property
    def guarantee(self) -> str:
        """What the design guarantees, in plain words."""
        least = Fraction(self.lies, self.size)
        made = f"{self.lies} {'is' if self.lies == 1 else 'are'}"
        return (
            f"Of every {self.size} people exactly {made} recorded as yes whatever they said, and of those recorded as yes in a block just as "
            f"many were made so: a yes is deniable with probability {shown(least)} or more for anyone to whom the people of a block are "
            "alike. No bound holds for a single answer: a recorded no is true, and who knows the others' answers can know the last."
        )


@dataclass(frozen=True)
class BlockEstimate(Measured):
    """The share of yes, and its standard error; ``people`` answered in ``blocks`` blocks."""

    people: int
    blocks: int


def estimate_blocks(recorded: ArrayLike, blocks: BlocksOfPeople) -> BlockEstimate:
    """The share of yes from how many people are recorded as yes in each full block.

    In a block, recorded yes less the lies is a binomial count of size - lies people: those who were not made to lie are a sample themselves.
    So share = (mean recorded - lies) / (size - lies), as precise as asking that many people openly.

    Parameters
    ----------
    recorded : array of B ints, from lies to size, for each full block

    Raises
    ------
    InputError
        For counts that the design cannot give, or of which one person alone was not made to lie.

    Examples
    --------
    >>> found = estimate_blocks([2, 1, 3, 2], BlocksOfPeople(5, 1))
    >>> round(found.value, 2), round(found.error, 2)
    (0.25, 0.11)
    """
    counts = np.asarray(recorded, dtype=float)
    if counts.ndim != 1 or len(counts) < 1:
        raise InputError("No block is given: give the number recorded as yes in each full block.")
    if (counts < blocks.lies).any() or (counts > blocks.size).any() or (counts != np.floor(counts)).any():
        raise InputError(
            f"A block has a number recorded as yes outside {blocks.lies} to {blocks.size}: check the block size, and leave out the last "
            "block where it is not full."
        )
    honest = (blocks.size - blocks.lies) * len(counts)
    yes = int((counts - blocks.lies).sum())
    (found,) = estimate_counts(_OPENLY, [honest - yes, yes]).quantities
    return BlockEstimate(found.value, found.error, blocks.size * len(counts), len(counts), law=found.law)


@dataclass(frozen=True, kw_only=True)
class BlockDesign(Named):
    """A design that lies a fixed number of times in every block of people."""

    @property
    def protects(self) -> str:
        return "No bound for a single answer."

    def blocks(self, numbers: Sequence[Fraction]) -> BlocksOfPeople:
        """The block of typed numbers: people in it, and lies. Raises InputError for others than whole numbers."""
        if any(value.denominator != 1 for value in numbers):
            raise InputError(f"People and lies are counted: give whole numbers, for example {self.example}.")
        size, lies = (int(value) for value in numbers)
        return BlocksOfPeople(size, lies)


BLOCK_DESIGNS: dict[str, BlockDesign] = {
    "block-garbling": BlockDesign(
        title="Block garbling",
        parameters="people in a block, how many of them are recorded as yes whatever they say",
        example="5, 1",
        count=2,
        read=rational_number,
        source="Chassang and Padro i Miquel (2019), Crime, intimidation, and whistleblowing: a theory of inference from unverifiable "
        "reports, Review of Economic Studies 86, 2530-2553; blocks as in the program safely-report",
        formula="share = (mean recorded per block - lies) / (size - lies)",
        story="Answers go to a computer that records a fixed number of every block of people as yes, chosen at random before they answer.",
        costs="The most precise way of forcing yes; but people give their true answer away, and no bound holds for a single answer.",
    ),
}
"""Key on pages and on the command line -> design with fixed numbers of lies."""
