"""Amounts times a random number: Eichhorn and Hayre (1983), and Bar-Lev, Bobovitch and Boukai (2004) where some report the true amount."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from rrcore.designs.design import Named, Numbers
from rrcore.designs.estimate import Measured
from rrcore.designs.exact import DesignChannel, DesignQuantity
from rrcore.designs.rational import integers, rational_number, rational_probability, shown
from rrcore.errors import InputError, check_number
from rrcore.estimate.uncertainty import check_people

Cards = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class Multiplier:
    """The random number that an amount is multiplied by, and how often the amount is reported as it is.

    Parameters
    ----------
    direct : Fraction, probability that the true amount is reported
    mean : Fraction > 0, of the random number
    square : Fraction, mean of its square
    cards : tuple of (Fraction, Fraction) or None; its values and their probabilities where there are finitely many

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> Multiplier.of_cards(((half, half), (Fraction(3, 2), half)), direct=half).factor
    Fraction(1, 1)
    """

    direct: Fraction
    mean: Fraction
    square: Fraction
    cards: Cards | None = None

    def __post_init__(self) -> None:
        integers([self.direct, *(share for _, share in self.cards or ())])  # which are probabilities
        check_number("The mean of squares", self.square)
        if not self.mean > 0:
            raise InputError("The random numbers have mean 0: an amount times 0 tells nothing, so give a positive mean.")
        if self.square < self.mean**2:
            raise InputError("The mean of squares is below the squared mean: no random number is like that.")

    @classmethod
    def of_cards(cls, cards: Cards, *, direct: Fraction = Fraction(0)) -> Multiplier:
        """A multiplier from cards that bear a number each. Raises InputError where their shares do not sum to 1."""
        total = sum((share for _, share in cards), Fraction(0))
        if total != 1:
            raise InputError(f"The shares of the cards sum to {shown(total)}: make them sum to 1.")
        mean = sum((value * share for value, share in cards), Fraction(0))
        return cls(direct, mean, sum((value**2 * share for value, share in cards), Fraction(0)), cards)

    @property
    def factor(self) -> Fraction:
        """What an amount is multiplied by on average, counting people who report it as it is."""
        return self.direct + (1 - self.direct) * self.mean

    @property
    def spread(self) -> Fraction:
        """The mean of the squared multiplier over the squared mean: 1 where there is no noise."""
        return (self.direct + (1 - self.direct) * self.square) / self.factor**2

    @property
    def drawn(self) -> Cards:
        """Every number that an amount may be multiplied by, with its probability. Raises InputError where they are not finitely many."""
        if self.cards is None:
            raise InputError("Only mean and standard deviation are given: a level needs the cards, for example 1/2:1/2, 3/2:1/2.")
        found: dict[Fraction, Fraction] = {Fraction(1): self.direct} if self.direct else {}
        for value, share in self.cards:
            found[value] = found.get(value, Fraction(0)) + share * (1 - self.direct)
        return tuple(sorted((value, share) for value, share in found.items() if share))


@dataclass(frozen=True)
class AmountEstimate(Measured):
    """A mean amount, its standard error, and the number of ``people`` who reported one."""

    people: int


def estimate_amounts(
    reports: ArrayLike, multiplier: Multiplier, *, weights: ArrayLike | None = None, population: float | None = None
) -> AmountEstimate:
    """The mean amount from reported ones: their (weighted) mean over the mean multiplier.

    Without ``population`` weights are divided by their sum (Hajek), with it by the population's size (Horvitz and Thompson). The standard
    error takes people as drawn with replacement, so it is too large, if anything, where much of a population is asked.

    Parameters
    ----------
    reports : array of shape (n,), reported amounts, n >= 2
    weights : array of shape (n,), positive: one over the probability of being in the sample
    population : number of people in the population

    Raises
    ------
    InputError
        For fewer than two reports, values that are not finite, or weights that are not positive.

    Examples
    --------
    >>> cards = Multiplier.of_cards(((Fraction(1, 2), Fraction(1, 2)), (Fraction(3, 2), Fraction(1, 2))))
    >>> found = estimate_amounts([500, 1500, 1000, 3000], cards)
    >>> round(found.value), round(found.error)
    (1500, 540)
    """
    values = np.asarray(reports, dtype=float) / float(multiplier.factor)
    if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
        raise InputError("The reported amounts must be at least two finite numbers: leave out people who gave none.")
    n = len(values)
    given = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    if given.shape != values.shape or not np.isfinite(given).all() or (given <= 0).any():
        raise InputError(f"The weights must be {n} positive numbers, one for each reported amount.")
    size = float(given.sum()) if population is None else float(population)
    if not max(np.abs(given).max(), np.abs(values).max()) < _LARGEST:
        raise InputError("The reported amounts or weights are too large to be summed: give them in a larger unit.")
    value = float(given @ values) / size
    parts = given * (values - value) if population is None else given * values - value * size / n
    return AmountEstimate(value, math.sqrt(n / (n - 1) * float(parts @ parts)) / size, n)


def amount_error(multiplier: Multiplier, *, mean: float, deviation: float, people: float) -> float:
    """The standard error to be expected of a mean amount: sqrt((spread (sd^2 + mean^2) - mean^2) / n).

    Examples
    --------
    >>> cards = Multiplier.of_cards(((Fraction(1, 2), Fraction(1, 2)), (Fraction(3, 2), Fraction(1, 2))))
    >>> round(amount_error(cards, mean=1000, deviation=500, people=1000), 1)
    23.7
    """
    check_people(people)
    if not (math.isfinite(mean) and 0 <= deviation < math.inf):
        raise InputError(
            f"The mean is {mean:g} and the standard deviation {deviation:g}: give finite numbers, the second not below 0."
        )
    return math.sqrt((float(multiplier.spread) * (deviation**2 + mean**2) - mean**2) / people)


def amount_channel(amounts: Sequence[Fraction], multiplier: Multiplier, edges: Sequence[Fraction] = ()) -> DesignChannel:
    """The exact channel of cards for amounts of which there are finitely many, and so what a report gives away.

    The largest amount times the largest number can come from nobody else, so unbinned reports have no finite level. With ``edges`` only the
    range is reported that the product falls in (below the first edge, ..., from the last edge on); such ranges can have one.

    Examples
    --------
    >>> half, one, two = Fraction(1, 2), Fraction(1), Fraction(2)
    >>> cards = Multiplier.of_cards(((half, Fraction(1, 4)), (one, half), (two, Fraction(1, 4))))
    >>> print(amount_channel((one, two), cards).level)
    None
    >>> amount_channel((one, two), cards, edges=(two,)).level
    Fraction(3, 1)
    """
    ordered, marks = sorted(amounts), sorted(edges)
    drawn = multiplier.drawn
    products = sorted({amount * value for amount in ordered for value, _ in drawn})
    place = {product: sum(edge <= product for edge in marks) if marks else i for i, product in enumerate(products)}
    table = [[Fraction(0)] * (len(marks) + 1 if marks else len(products)) for _ in ordered]
    for row, amount in zip(table, ordered, strict=True):
        for value, share in drawn:
            row[place[amount * value]] += share
    reports = _ranges(marks) if marks else tuple(shown(product) for product in products)
    scores = None if marks else (tuple(product / multiplier.factor for product in products),)
    mean = () if marks else (DesignQuantity("mean amount", tuple(ordered), scores=scores),)
    classes = tuple(shown(amount) for amount in ordered)
    return DesignChannel(classes, tuple(range(len(ordered))), reports, (tuple(tuple(row) for row in table),), mean)


@dataclass(frozen=True, kw_only=True)
class AmountDesign(Named):
    """A design for amounts. Its numbers are a mean and a standard deviation, or cards as value:share; with ``direct`` a share comes first."""

    direct: bool

    @property
    def protects(self) -> str:
        return "No bound for single amounts."

    def multiplier(self, text: str) -> Multiplier:
        """What a person typed. Raises InputError.

        Examples
        --------
        >>> from rrcore.designs import AMOUNT_DESIGNS
        >>> AMOUNT_DESIGNS["bar-lev"].multiplier("3/5, 1/2:1/2, 3/2:1/2").drawn[1]
        (Fraction(1, 1), Fraction(3, 5))
        """
        parts = [part for part in text.replace(";", ",").split(",") if part.strip()]
        share = [rational_probability(part) for part in parts[:1]] if self.direct else []
        rest = parts[len(share) :]
        direct = share[0] if share else Fraction(0)
        if rest and all(":" in part for part in rest):
            return Multiplier.of_cards(tuple(_card(part) for part in rest), direct=direct)
        numbers: Numbers = [rational_number(part) for part in rest]
        if len(numbers) != 2:
            raise InputError(f"'{text[:60]}' is not understood: expected {self.parameters}, for example {self.example}.")
        mean, deviation = numbers
        return Multiplier(direct, mean, mean**2 + deviation**2)


def _card(text: str) -> tuple[Fraction, Fraction]:
    value, _, share = text.partition(":")
    return rational_number(value), rational_probability(share)


def _ranges(edges: Sequence[Fraction]) -> tuple[str, ...]:
    middle = (f"{shown(low)} to below {shown(high)}" for low, high in pairwise(edges))
    return (f"below {shown(edges[0])}", *middle, f"{shown(edges[-1])} or more")


_LARGEST = 1e100  # of amounts and weights: their squares are summed
_GIVES = "No bound: 0 stays 0, and a report that only a large amount can reach shows it; reports in ranges can have a level."

AMOUNT_DESIGNS: dict[str, AmountDesign] = {
    "eichhorn-hayre": AmountDesign(
        title="Eichhorn and Hayre",
        parameters="mean and standard deviation of the random number, or its cards as value:share",
        example="1/2:1/4, 1:1/2, 3/2:1/4",
        count=None,
        direct=False,
        source="Eichhorn and Hayre (1983), Scrambled randomized response methods for obtaining sensitive quantitative data, Journal of "
        "Statistical Planning and Inference 7, 307-316",
        formula="mean = mean report / mean of the random number",
        story="The person draws a card with a number, seen by nobody else, and reports the true amount times that number.",
        costs=_GIVES,
    ),
    "bar-lev": AmountDesign(
        title="Bar-Lev, Bobovitch and Boukai",
        parameters="probability of the true amount, then mean and standard deviation of the random number, or its cards as value:share",
        example="3/5, 1/2:1/2, 3/2:1/2",
        count=None,
        direct=True,
        source="Bar-Lev, Bobovitch and Boukai (2004), A note on randomized response models for quantitative data, Metrika 60, 255-260",
        formula="mean = mean report / (p + (1 - p) mean of the random number)",
        story="A first card says 'report the amount as it is' or 'draw a number and report the amount times it'.",
        costs=f"More precise than Eichhorn and Hayre's; a known share of reports is the true amount. {_GIVES}",
    ),
}
"""Key on pages and on the command line -> design for amounts."""
