"""One attribute's level eps_i, and the probabilities it stands for (theory.md section 1).

Everything is computed from ``expm1``/``log1p`` forms, so that very small and very large levels keep their digits.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_LEVEL, MIN_LEVEL


def check_levels(levels: Sequence[Any] | ArrayLike, names: Sequence[str]) -> Floats:
    """Validate levels typed by a person.

    Parameters
    ----------
    levels : sequence of k numbers or texts, in nats
    names : sequence of k names, used in the messages

    Returns
    -------
    ndarray of shape (k,), float64, each in [MIN_LEVEL, MAX_LEVEL]

    Raises
    ------
    InputError
        If the counts differ or a level is not a finite number in that range.
    """
    given = list(np.asarray(levels, dtype=object).ravel())
    if len(given) != len(names):
        raise InputError(f"There are {len(given)} levels for {len(names)} attributes: give one level for each attribute.")
    return np.array([_check_level(level, name) for level, name in zip(given, names, strict=True)])


def _check_level(level: Any, name: str) -> float:
    try:
        value = float(level)
        found = f"{value:g}"
    except (TypeError, ValueError, OverflowError):
        value, found = math.nan, "empty" if level in (None, "") else f"'{str(level)[:40]}'"
    if not MIN_LEVEL <= value <= MAX_LEVEL:
        raise InputError(
            f"Level of '{name}' is {found}: give a number from {MIN_LEVEL:g} (below, every answer is noise) to {MAX_LEVEL:g} "
            "(above, nothing is protected)."
        )
    return value


def lie_from_level(levels: ArrayLike, sizes: ArrayLike) -> Floats:
    """1 - p_i = (a_i - 1) / (e^eps_i + a_i - 1), with full relative precision. Shapes broadcast."""
    others = np.asarray(sizes, dtype=np.float64) - 1
    return np.asarray(others / (np.exp(np.asarray(levels, dtype=np.float64)) + others))


def retention_from_level(levels: ArrayLike, sizes: ArrayLike) -> Floats:
    """r_i = (e^eps_i - 1) / (e^eps_i + a_i - 1), the factor by which attribute i's own deviations survive (section 3)."""
    levels = np.asarray(levels, dtype=np.float64)
    return np.asarray(-np.expm1(-levels) / (1 + (np.asarray(sizes, dtype=np.float64) - 1) * np.exp(-levels)))


def level_from_lie(lie: ArrayLike, sizes: ArrayLike) -> Floats:
    """eps_i = ln(p_i (a_i - 1) / (1 - p_i)) from the lie probability 1 - p_i in [0, 1]; infinite when nobody lies."""
    lie = np.asarray(lie, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.asarray(sizes, dtype=np.float64) - 1) + np.log1p(-lie) - np.log(lie))
