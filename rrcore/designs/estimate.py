"""Estimates from counts of reports: by each design's own formula and by maximum likelihood, with what the design costs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats, Integers
from rrcore.designs.exact import DesignChannel, DesignQuantity
from rrcore.designs.likelihood import likeliest, variance
from rrcore.designs.score import ScoreLaw, scored
from rrcore.errors import InputError
from rrcore.estimate.uncertainty import margin, two_sided_point
from rrcore.wording.json_values import fields_of, finite

_SUM = 1e-6  # by which shares may miss 1


@dataclass(frozen=True)
class Measured:
    """An estimate and its standard error, of so many degrees of freedom: clusters less strata, infinite where people were counted.

    With a ``law`` its intervals are by score: they have a width where all people report alike, of whom ``error`` says nothing.

    Examples
    --------
    >>> [round(end, 3) for end in Measured(0.3, 0.01).interval()]
    [0.28, 0.32]
    >>> [round(end, 3) for end in Measured(0.3, 0.01, freedom=3).interval()]
    [0.268, 0.332]
    """

    value: float
    error: float
    freedom: float = field(default=math.inf, kw_only=True)
    law: ScoreLaw | None = field(default=None, kw_only=True, repr=False, compare=False)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """By score, or ``value`` plus and minus ``error`` times the quantile; ends beyond what is possible are left as they are."""
        if self.law is not None:
            return self.law.interval(self.value, two_sided_point(level, self.freedom))
        reach = float(margin(self.error, level, self.freedom))
        return self.value - reach, self.value + reach


@dataclass(frozen=True)
class QuantityEstimate(Measured):
    """One quantity of a design, estimated.

    Parameters
    ----------
    value : float, by the formula of the design's paper: unbiased for a share, so it may fall outside 0 to 1; NaN for a ratio over 0
    error : float, its standard error, for the population that people were drawn from
    name : str
    likeliest : float, by maximum likelihood, within its bounds; NaN for a ratio over 0
    likeliest_error : float, its standard error by Fisher's information at the estimate, of little meaning where the estimate is at a bound
    """

    name: str
    likeliest: float
    likeliest_error: float


@dataclass(frozen=True)
class DesignFit:
    """Whether the reports can have come from the design: the likelihood-ratio statistic, its degrees of freedom and its p-value."""

    statistic: float
    free: int
    p: float

    @property
    def text(self) -> str:
        """In a sentence, at a size of 5 %."""
        verb = "do not contradict" if self.p >= 0.05 else "contradict"
        return f"The reports {verb} the design (likelihood-ratio test, p = {self.p:.2g})."


@dataclass(frozen=True)
class DesignEstimate:
    """What counts of reports tell.

    Parameters
    ----------
    people : tuple of G ints, by group
    quantities : tuple of QuantityEstimate
    fit : Fit or None where any reports can have come from the design
    outside : bool, whether the unbounded estimate asks for a negative number of people of some class
    """

    people: tuple[int, ...]
    quantities: tuple[QuantityEstimate, ...]
    fit: DesignFit | None

    @property
    def outside(self) -> bool:
        """Whether a value is below 0 or above 1: chance, or people who did not follow the instructions."""
        return any(not 0 <= one.value <= 1 for one in self.quantities if math.isfinite(one.value))

    def to_dict(self, confidence: float = 0.95) -> dict[str, Any]:
        """The estimate as JSON has it, with intervals of this ``confidence``; NaN as None."""
        return {
            "people": list(self.people),
            "quantities": [
                fields_of(one, "name value error")
                | {"interval": finite(one.interval(confidence))}
                | fields_of(one, "likeliest likeliest_error")
                for one in self.quantities
            ],
            "fit": None if self.fit is None else fields_of(self.fit, "statistic free p text"),
        }


def estimate_counts(channel: DesignChannel, counts: ArrayLike) -> DesignEstimate:
    """Estimates of a design's quantities from how many people reported what.

    The groups' sizes are taken as they came about, so chance in splitting people adds no error. Value: sum over groups of the mean score
    of reports; its variance: the sum over groups of the variance of scores, over n_g - 1.

    Parameters
    ----------
    channel : DesignChannel with G groups and b reports
    counts : array of shape (G, b), or (b,) where there is one group; people, at least 2 in each group

    Raises
    ------
    InputError
        For counts of another shape, negative ones, or reports that the design cannot give.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rrcore.designs import DESIGNS
    >>> crosswise = DESIGNS["crosswise"].channel(2, [Fraction(1, 4)])
    >>> found = estimate_counts(crosswise, [600, 400]).quantities[0]
    >>> round(found.value, 4), round(found.error, 4)
    (0.7, 0.031)
    """
    table = _checked(channel, counts)
    people = table.sum(axis=1)
    shares = likeliest(channel.matrices, table)
    quantities = tuple(_quantity(channel, one, table, shares) for one in channel.quantities)
    return DesignEstimate(tuple(int(n) for n in people), quantities, _fit(channel, table, shares))


def design_error(channel: DesignChannel, shares: Sequence[float], people: Sequence[float]) -> tuple[float, ...]:
    """The standard error to be expected of each quantity, by maximum likelihood; NaN for a ratio over 0.

    Parameters
    ----------
    channel : DesignChannel with G groups and a classes
    shares : a floats summing to 1, the classes' shares of people
    people : G floats, people in each group

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rrcore.designs import DESIGNS
    >>> warner = DESIGNS["warner"].channel(2, [Fraction(3, 4)])
    >>> round(design_error(warner, (0.8, 0.2), [1000.0])[0], 4)
    0.0302
    """
    at, n = _foreseen(channel, shares, people)
    return tuple(_likeliest(channel, one, at, n)[1] for one in channel.quantities)


def _foreseen(channel: DesignChannel, shares: Sequence[float], people: Sequence[float]) -> tuple[Floats, Floats]:
    """Both as arrays. Raises InputError where they are no shares of the classes, or no people of the groups."""
    at, n = np.asarray(shares, dtype=float), np.asarray(people, dtype=float)
    classes = len(channel.classes)
    if at.shape != (classes,) or not (at >= 0).all() or abs(at.sum() - 1) > _SUM:
        raise InputError(
            f"The shares of the {classes} classes are {str(shares)[:60]}: give {classes} numbers of 0 or more that sum to 1."
        )
    if n.shape != (len(channel.groups),) or not (np.isfinite(n) & (n > 0)).all():
        raise InputError(
            f"The people are {str(people)[:60]}: give a number above 0 for each of the {len(channel.groups)} groups."
        )
    return at, n


def formula_error(channel: DesignChannel, shares: Sequence[float], people: Sequence[float]) -> tuple[float, ...]:
    """The standard error to be expected of each quantity by the formula of the design's paper; NaN for a ratio over 0.

    Parameters are those of ``design_error``, which it equals unless reports outnumber classes.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rrcore.designs import DESIGNS
    >>> kuk = DESIGNS["kuk"].channel(2, [Fraction(3, 5), Fraction(1, 5), Fraction(2)])
    >>> [round(error(kuk, (0.8, 0.2), [1000.0])[0], 4) for error in (formula_error, design_error)]
    [0.0266, 0.026]
    """
    at, n = _foreseen(channel, shares, people)
    part = np.einsum("c,gcy->gy", at, channel.matrices)
    errors = []
    for quantity in channel.quantities:
        _, centred = scored(channel, quantity, part, n / n.sum())
        errors.append(float(np.sqrt(((part * centred**2).sum(axis=-1) / n).sum())))
    return tuple(errors)


def unbiased(
    channel: DesignChannel,
    quantity: DesignQuantity,
    people: ArrayLike,
    totals: ArrayLike | None = None,
    squares: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Value and standard error of a quantity by its scores, for many surveys at once; NaN for a ratio over 0.

    The value is the sum over groups of weighted means of scores; its variance the sum over groups of n / (n - 1) times the sum of squared
    weights times squared deviations, over the squared sum of weights (Hajek, linearised; people drawn with replacement).

    Parameters
    ----------
    people : array of shape (..., G, b), people by group and report
    totals : array of the same shape, the sums of their weights; None where all weigh the same
    squares : array of the same shape, the sums of their squared weights

    Returns
    -------
    tuple of two ndarrays of shape (...)

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rrcore.designs import DESIGNS
    >>> warner = DESIGNS["warner"].channel(2, [Fraction(3, 4)])
    >>> value, error = unbiased(warner, warner.quantities[0], [[[600, 400]], [[700, 300]]])
    >>> value.round(6)
    array([0.3, 0.1])
    """
    counts = np.asarray(people, dtype=float)
    weights = counts if totals is None else np.asarray(totals, dtype=float)
    second = counts if squares is None else np.asarray(squares, dtype=float)
    whole = weights.sum(axis=-1, keepdims=True)
    part, n = weights / whole, counts.sum(axis=-1)
    sizes = n.reshape(-1, len(channel.groups)).sum(axis=0)
    value, centred = scored(channel, quantity, part, sizes / sizes.sum())
    spread = n / (n - 1) * (second * centred**2).sum(axis=-1) / whole[..., 0] ** 2
    return value, np.sqrt(spread.sum(axis=-1))


def _quantity(channel: DesignChannel, quantity: DesignQuantity, table: Floats, shares: Floats) -> QuantityEstimate:
    (value, error), people = unbiased(channel, quantity, table), table.sum(axis=1)
    law = ScoreLaw(channel, quantity, shares, people)
    return QuantityEstimate(float(value), float(error), quantity.name, *_likeliest(channel, quantity, shares, people), law=law)


def _likeliest(channel: DesignChannel, quantity: DesignQuantity, shares: Floats, people: Floats) -> tuple[float, float]:
    """Value and standard error of a quantity by maximum likelihood at ``shares`` of the classes."""
    value, target = quantity.at(shares)
    return value, math.sqrt(variance(channel.matrices, people, shares, target)) if math.isfinite(value) else math.nan


def _fit(channel: DesignChannel, table: Floats, shares: Floats) -> DesignFit | None:
    if channel.free < 1:
        return None
    from scipy.special import chdtrc

    expected = np.einsum("c,gcy->gy", shares, channel.matrices) * table.sum(axis=1, keepdims=True)
    seen = table > 0
    statistic = max(2 * float((table[seen] * np.log(table[seen] / expected[seen])).sum()), 0.0)
    return DesignFit(statistic, channel.free, float(chdtrc(channel.free, statistic)))


def check_groups(people: Floats | Integers) -> None:
    """Raise InputError where one of the groups has fewer than 2 ``people``."""
    if people.min() < 2:
        raise InputError("A group has fewer than 2 people: a standard error needs at least 2.")


def _checked(channel: DesignChannel, counts: ArrayLike) -> Floats:
    table = np.atleast_2d(np.asarray(counts, dtype=float))
    wanted = (len(channel.groups), len(channel.reports))
    if table.shape != wanted:
        shape = f"{wanted[1]} counts" if wanted[0] == 1 else f"{wanted[0]} rows of {wanted[1]} counts"
        listed = ", ".join(channel.reports)
        raise InputError(f"The counts come as {table.shape[0]} x {table.shape[1]}: expected {shape}, of the reports {listed}.")
    if (table < 0).any() or not np.isfinite(table).all() or (table != np.floor(table)).any():
        raise InputError("A count is not a whole number of people: give how many people reported what.")
    check_groups(table.sum(axis=1))
    for group, rows, row in zip(channel.groups, channel.matrices, table, strict=True):
        for report, possible, people in zip(channel.reports, rows.any(axis=0), row, strict=True):
            if people and not possible:
                raise InputError(
                    f"{int(people)} people reported '{report}' in the group '{group}', which the design never gives: check "
                    "the design."
                )
    return table
