"""Checks of printed values against measured values and allowed ranges."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import SupportsFloat

import numpy as np

from rrcore.errors import InputError
from rrcore.progress import Report, quiet
from rrcore.table import Dataset

ADULT_COLUMNS = ("workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "income")
"""The eight categorical columns of UCI Adult."""


@dataclass(frozen=True)
class Check:
    """A value from a paper and the corresponding value measured here.

    Parameters
    ----------
    place : str
        Location in the paper, for example "Table VI".
    what : str
        The quantity.
    measured : float
        The measured value.
    printed : float or None
        The printed value, None for a claim in words.
    low, high : float or None
        Range in which the measured value agrees. None means no limit.
    """

    place: str
    what: str
    measured: float
    printed: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def agrees(self) -> bool:
        """True if the measured value is in the allowed range, up to rounding."""
        low, high = -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high
        return low - 1e-12 <= self.measured <= high + 1e-12

    @property
    def row(self) -> dict[str, str]:
        """Return the check as strings by column heading."""
        low, high = (None if limit is None else _text(limit) for limit in (self.low, self.high))
        allowed = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
        if low == high:
            allowed = str(low)
        return {
            "Place": self.place,
            "Quantity": self.what,
            "Printed": "" if self.printed is None else _text(self.printed, 4),
            "Measured": _text(self.measured),
            "Allowed": allowed,
            "Agrees": "yes" if self.agrees else "no",
        }


def _text(value: float, digits: int = 3) -> str:
    """Return significant digits, or a large number without decimals."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.{digits}g}"


def near(
    place: str, what: str, printed: float, measured: SupportsFloat, *, relative: float = 0.0, absolute: float = 0.0
) -> Check:
    """Check a measured value with a tolerance around the printed one."""
    tolerance = absolute + relative * abs(printed)
    return Check(place, what, float(measured), printed, printed - tolerance, printed + tolerance)


def within(place: str, what: str, printed: float, measured: SupportsFloat, factor: float) -> Check:
    """Check a measured value within a ``factor`` of the printed one."""
    return Check(place, what, float(measured), printed, printed / factor, printed * factor)


def at_most(place: str, what: str, measured: SupportsFloat, bound: float, *, printed: float | None = None) -> Check:
    """Check that a measured value is at most ``bound``."""
    return Check(place, what, float(measured), printed, high=bound)


def at_least(place: str, what: str, measured: SupportsFloat, bound: float, *, printed: float | None = None) -> Check:
    """Check that a measured value is at least ``bound``."""
    return Check(place, what, float(measured), printed, low=bound)


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the exponent of a power law.

    It is the least-squares slope of the logarithms.
    """
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def flatness(y: Sequence[float]) -> float:
    """Return the ratio of the largest value to the smallest."""
    return max(y) / min(y)


def steepest(y: Sequence[float]) -> float:
    """Return the largest ratio of a value to the previous one.

    The ratio is at most 1 if the values never increase.
    """
    return max(after / before for before, after in pairwise(y))


def highest_ratio(a: Iterable[float], b: Iterable[float]) -> float:
    """Return the largest ratio of a value of ``a`` to that of ``b``.

    The ratio is at most 1 if ``a`` never exceeds ``b``.
    """
    return max(x / y if y else math.inf for x, y in zip(a, b, strict=True))


@dataclass(frozen=True)
class Run:
    """The random generator, the table and the number of repeats of measurements.

    Parameters
    ----------
    rng : Generator
        The only source of randomness.
    repeats : float
        Factor for the number of repeats. 1 takes minutes, and 10 corresponds roughly to the papers.
    table : Dataset or None
        Any table, None to use no table.
    report : callable
        Called with the progress.
    """

    rng: np.random.Generator
    repeats: float = 1.0
    table: Dataset | None = None
    report: Report = quiet

    def times(self, few: int) -> int:
        """Return ``few`` multiplied by the factor for repeats."""
        return max(1, round(self.repeats * few))

    @property
    def given(self) -> Dataset:
        """The table. Raises InputError without one."""
        if self.table is None:
            raise InputError("These checks need a table. Choose the UCI Adult file or any other table.")
        return self.table.select(ADULT_COLUMNS) if is_adult(self.table) else self.table


def is_adult(table: Dataset | None) -> bool:
    """Return whether a table has the eight categorical columns of UCI Adult."""
    return table is not None and set(ADULT_COLUMNS) <= set(table.schema.names)
