"""The epsilon of one attribute and the probabilities that follow from it.

See theory.md section 1.

``expm1`` and ``log1p`` preserve accuracy for very small and very large epsilons.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_EPSILON, MIN_EPSILON


def check_epsilon(epsilon: Sequence[Any] | ArrayLike, names: Sequence[str]) -> Floats:
    """Validate epsilons entered by a person.

    Parameters
    ----------
    epsilon : sequence of k numbers or strings
    names : sequence of str
        Names of the k attributes, for the messages.

    Returns
    -------
    ndarray of shape (k,)
        The epsilons, each from MIN_EPSILON to MAX_EPSILON.

    Raises
    ------
    InputError
        If their number is not k, or if an epsilon is out of range.
    """
    given = list(np.asarray(epsilon, dtype=object).ravel())
    if len(given) != len(names):
        raise InputError(f"Expected {len(names)} values of epsilon (one per attribute), got {len(given)}.")
    return np.array([_checked(value, name) for value, name in zip(given, names, strict=True)])


def _checked(given: Any, name: str) -> float:
    try:
        value = float(given)
        found = f"{value:g}"
    except (TypeError, ValueError, OverflowError):
        value, found = math.nan, "empty" if given in (None, "") else f"'{str(given)[:40]}'"
    if not MIN_EPSILON <= value <= MAX_EPSILON:
        raise InputError(
            f"The epsilon of '{name}' is {found}. Choose a number from {MIN_EPSILON:g} (below, every answer is noise) to {MAX_EPSILON:g} "
            "(above, nothing is protected)."
        )
    return value


def lie_from_epsilon(epsilon: ArrayLike, sizes: ArrayLike) -> Floats:
    """Return the probability that an answer is changed.

    It is (a_i - 1) / (e^eps_i + a_i - 1), and shapes broadcast.
    """
    others = np.asarray(sizes, dtype=np.float64) - 1
    return np.asarray(others / (np.exp(np.asarray(epsilon, dtype=np.float64)) + others))


def retention_from_epsilon(epsilon: ArrayLike, sizes: ArrayLike) -> Floats:
    """Return r_i = (e^eps_i - 1) / (e^eps_i + a_i - 1).

    Deviations of attribute i survive by this factor (section 3).
    """
    epsilon = np.asarray(epsilon, dtype=np.float64)
    return np.asarray(-np.expm1(-epsilon) / (1 + (np.asarray(sizes, dtype=np.float64) - 1) * np.exp(-epsilon)))


def epsilon_from_lie(lie: ArrayLike, sizes: ArrayLike) -> Floats:
    """Return the epsilon of an attribute with probability ``lie`` of a change.

    It is infinite if answers never change.
    """
    lie = np.asarray(lie, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.asarray(sizes, dtype=np.float64) - 1) + np.log1p(-lie) - np.log(lie))
