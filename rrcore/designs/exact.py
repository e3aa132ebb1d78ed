"""What a design does to an answer, in exact fractions: its channel, its level, and what can be estimated through it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rrcore.arrays import Floats
from rrcore.designs.likelihood import best_scores
from rrcore.designs.rational import Row, rank, shown, spans
from rrcore.errors import InputError
from rrcore.wording import exact_odds_text

_SHORT = 12  # characters of a level that is written as a fraction

EVERYONE = "everyone"
"""The group of a design that asks all people alike."""

NOBODY = 1e-9
"""The part of its terms below which a sum of shares, that a ratio divides by, counts as 0: rounding leaves 1e-17 or so of an exact 0."""


@dataclass(frozen=True)
class DesignQuantity:
    """Something that is estimated: a linear function of how many people are of each class, or the ratio of two.

    Parameters
    ----------
    name : str, for example "have the trait"
    of : tuple of a Fractions, the value of a person of each class; the quantity is its mean over people
    per : tuple of a Fractions or None; where given, the quantity is the mean of ``of`` divided by the mean of ``per``
    scores : tuple of G tuples of b Fractions or None; the value that the design's paper gives to each report of each group, whose expectation
        is ``of``; None: the weights that are best where all classes are equally frequent
    """

    name: str
    of: Row
    per: Row | None = None
    scores: tuple[Row, ...] | None = None

    def at(self, shares: Floats) -> tuple[float, Floats]:
        """Its value where the classes have these ``shares``, and what a person of each class adds to it; NaN for a ratio over 0."""
        of = np.array([float(value) for value in self.of])
        if self.per is None:
            return float(of @ shares), of
        per = np.array([float(value) for value in self.per])
        over = float(per @ shares)
        over = over if over > NOBODY * np.abs(per).max() else math.nan
        value = float(of @ shares) / over
        return value, (of - value * per) / over


@dataclass(frozen=True)
class DesignChannel:
    """How each class of people reports, exactly.

    Parameters
    ----------
    classes : tuple of a str; the categories of the sensitive question, or latent classes, such as people who say no whatever they are told
    truths : tuple of a (int or None); the true answer of each class, None for people who do not follow the instructions
    reports : tuple of b str, what can be reported
    rows : tuple of G tuples of a tuples of b Fractions; the probability of each report, by group and class
    quantities : tuple of Quantity, the first one being what the design is for
    groups : tuple of G str; two where people are split at random into two groups with different probabilities

    Raises
    ------
    InputError
        If a row is no distribution, or a quantity cannot be estimated.

    Examples
    --------
    >>> one, zero, half = Fraction(1), Fraction(0), Fraction(1, 2)
    >>> share = DesignQuantity("yes", (zero, one))
    >>> devore = DesignChannel(("no", "yes"), (0, 1), ("no", "yes"), (((half, half), (zero, one)),), (share,))
    >>> print(devore.level)
    None
    >>> devore.protects
    "No bound: a report of 'no' rules out 'yes'."
    """

    classes: tuple[str, ...]
    truths: tuple[int | None, ...]
    reports: tuple[str, ...]
    rows: tuple[tuple[Row, ...], ...]
    quantities: tuple[DesignQuantity, ...]
    groups: tuple[str, ...] = (EVERYONE,)

    def __post_init__(self) -> None:
        for group in self.rows:
            for name, row in zip(self.classes, group, strict=True):
                if sum(row) != 1 or min(row) < 0:
                    total = shown(sum(row, Fraction(0)))
                    raise InputError(f"The probabilities of what '{name}' reports sum to {total}: they must sum to 1.")
        lost = self.quantities if rank(self.stacked) < len(self.classes) else ()
        for quantity in lost:
            if not all(spans(self.stacked, target) for target in (quantity.of, quantity.per) if target is not None):
                raise InputError(
                    f"'{quantity.name}' cannot be estimated: people who differ in it report in the same way. "
                    + (
                        "Give the groups probabilities that differ more."
                        if len(self.groups) > 1
                        else "Choose probabilities under which they differ."
                    )
                )

    @cached_property
    def stacked(self) -> tuple[Row, ...]:
        """Row c: the probabilities of class c's reports in the first group, then in the second: one channel with reports (group, report)."""
        return tuple(tuple(entry for group in self.rows for entry in group[c]) for c in range(len(self.classes)))

    @cached_property
    def matrices(self) -> Floats:
        """``rows`` in floating point, shape (G, a, b)."""
        return np.array([[[float(entry) for entry in row] for row in group] for group in self.rows])

    @cached_property
    def free(self) -> int:
        """How many more observed shares than unknown ones there are: what remains to test whether the design was followed."""
        return len(self.groups) * (len(self.reports) - 1) - (rank(self.stacked) - 1)

    def levels(self, group: int) -> Fraction | None:
        """The largest factor by which a report of this group shifts the odds between two true answers; None where there is no bound."""
        largest = Fraction(1)
        for y in range(len(self.reports)):
            for c, other in self._pairs():
                numerator, denominator = self.rows[group][c][y], self.rows[group][other][y]
                if numerator and not denominator:
                    return None
                if numerator:
                    largest = max(largest, numerator / denominator)
        return largest

    @property
    def level(self) -> Fraction | None:
        """The largest of the groups' levels, as a factor of odds; None where there is no bound.

        It holds for people who follow the instructions, against someone who knows what group they are in.
        """
        levels = [self.levels(group) for group in range(len(self.groups))]
        bounded = [level for level in levels if level is not None]
        return max(bounded) if len(bounded) == len(levels) else None

    @property
    def ruled_out(self) -> tuple[tuple[str, str, str], ...]:
        """(group, report, class) wherever a report that people give shows for certain that someone who followed is not of that class."""
        found = []
        for group, rows in zip(self.groups, self.rows, strict=True):
            for y, report in enumerate(self.reports):
                for c, name in enumerate(self.classes):
                    others = [rows[one][y] for other, one in self._pairs() if other == c]
                    if self.truths[c] is not None and not rows[c][y] and any(others):
                        found.append((group, report, name))
        return tuple(found)

    @property
    def protects(self) -> str:
        """The level in plain words; where there is none, which report rules out which truth."""
        level = self.level
        if level is not None:
            exact = f" (exactly {level})" if level.denominator > 1 and len(str(level)) <= _SHORT else ""
            return f"Seeing one answer shifts anyone's odds about it by at most {exact_odds_text(level)} times{exact}."
        places: dict[tuple[str, str], list[str]] = {}
        for group, report, name in self.ruled_out:
            places.setdefault((report, name), []).append(group)
        ruled: dict[str, list[str]] = {}
        for (report, name), groups in places.items():
            where = "" if len(groups) == len(self.groups) else f" in {' and '.join(groups)}"
            ruled.setdefault(f"a report of '{report}'{where}", []).append(f"'{name}'")
        return "No bound: " + "; ".join(f"{what} rules out {' and '.join(names)}" for what, names in ruled.items()) + "."

    def scores(self, quantity: DesignQuantity, target: Row, shares: Sequence[float] | Floats) -> Floats:
        """What each report of each group counts towards ``target``, shape (G, b): its sum over groups of means is unbiased.

        The paper's own where it has them; else those of least variance where all classes are equally frequent, the groups having ``shares``.
        """
        if quantity.scores is not None and target is quantity.of:
            return np.array([[float(entry) for entry in row] for row in quantity.scores])
        noise = self.matrices.mean(axis=1) / np.asarray(shares, dtype=float)[:, None]
        return best_scores(self.matrices, noise, np.array([float(value) for value in target]))

    def _pairs(self) -> list[tuple[int, int]]:
        """Classes with different true answers, both of people who follow the instructions."""
        followers = [c for c, truth in enumerate(self.truths) if truth is not None]
        return [(c, d) for c in followers for d in followers if self.truths[c] != self.truths[d]]
