"""What a design does to an answer, in exact fractions: its channel, and by how much a report shifts odds."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rrcore.designs.rational import Row, rank, shown
from rrcore.errors import InputError
from rrcore.wording import exact_odds_text

_SHORT = 12  # characters of a level that is written as a fraction


@dataclass(frozen=True)
class DesignChannel:
    """How each answer is reported, exactly.

    Parameters
    ----------
    categories : tuple of a str, the true answers
    reports : tuple of b str, what can be reported
    rows : tuple of a tuples of b Fractions, the probability of each report by true answer
    scores : tuple of b Fractions or None, what the paper's estimator of the last category makes of each report

    Raises
    ------
    InputError
        If a row is no distribution, or the shares cannot be estimated.

    Examples
    --------
    >>> one, zero, half = Fraction(1), Fraction(0), Fraction(1, 2)
    >>> devore = DesignChannel(("no", "yes"), ("no", "yes"), ((half, half), (zero, one)))
    >>> print(devore.level)
    None
    >>> devore.protects
    "No bound: a report of 'no' rules out 'yes'."
    """

    categories: tuple[str, ...]
    reports: tuple[str, ...]
    rows: tuple[Row, ...]
    scores: Row | None = None

    def __post_init__(self) -> None:
        for name, row in zip(self.categories, self.rows, strict=True):
            if sum(row) != 1 or min(row) < 0:
                total = shown(sum(row, Fraction(0)))
                raise InputError(f"The probabilities of what '{name}' reports sum to {total}: they must sum to 1.")
        if rank(self.rows) < len(self.categories):
            raise InputError(f"'{self.categories[-1]}' cannot be estimated: let people who differ in it report differently.")

    @property
    def level(self) -> Fraction | None:
        """The largest factor by which a report shifts the odds between two true answers; None where there is no bound."""
        columns = [column for column in zip(*self.rows, strict=True) if any(column)]
        return None if any(min(column) == 0 for column in columns) else max(max(each) / min(each) for each in columns)

    @property
    def protects(self) -> str:
        """The level in plain words; where there is none, which report rules out which truth."""
        level = self.level
        if level is not None:
            exact = f" (exactly {level})" if level.denominator > 1 and len(str(level)) <= _SHORT else ""
            return f"Seeing one answer shifts anyone's odds about it by at most {exact_odds_text(level)} times{exact}."
        ruled = []
        for report, column in zip(self.reports, zip(*self.rows, strict=True), strict=True):
            names = [f"'{name}'" for name, entry in zip(self.categories, column, strict=True) if not entry]
            if names and any(column):
                ruled.append(f"a report of '{report}' rules out {' and '.join(names)}")
        return f"No bound: {'; '.join(ruled)}."

    def error(self, shares: tuple[float, ...], people: int) -> float:
        """Return the standard error of the share of the last category, by the formula of the design's paper.

        Without a formula of the paper's own: by the unbiased scores of reports of least variance where all categories are equally frequent.
        """
        matrix = np.array([[float(entry) for entry in row] for row in self.rows])
        if self.scores is not None:
            scores = np.array([float(entry) for entry in self.scores])
        else:
            root = np.sqrt(
                np.maximum(matrix.mean(axis=0), np.finfo(float).tiny)
            )  # M s = target with the least sum of noise times s^2
            scores = np.linalg.lstsq(matrix / root, np.eye(len(matrix))[-1])[0] / root
        reported = np.asarray(shares) @ matrix
        return math.sqrt(max(float(reported @ scores**2) - shares[-1] ** 2, 0.0) / people)
