"""Epsilons of attributes for a given budget of the whole record.

See theory.md section 9.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.budget.recipes import build
from rrcore.budget.scaling import ScaledLevels, scale_levels
from rrcore.errors import InputError
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet


def check_total_weights(weights: Sequence[Any] | ArrayLike, names: Sequence[str]) -> Floats:
    """Return the weights of attributes, shape (k,), from numbers or strings.

    Raises InputError unless all weights are positive.
    """
    given = list(np.asarray(weights, dtype=object).ravel())
    if len(given) != len(names):
        raise InputError(f"Expected {len(names)} weights (one per attribute), got {len(given)}.")
    checked = []
    for value, name in zip(given, names, strict=True):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if not 0 < number < np.inf:
            raise InputError(f"The weight of '{name}' is '{str(value)[:40]}'. Choose a positive number, for example 1.")
        checked.append(number)
    return np.array(checked)


def epsilon_for_total(
    sizes: Sequence[int],
    total: float,
    weights: ArrayLike,
    *,
    mechanism: str | Callable[..., Mechanism] = "independent",
    report: Report = quiet,
) -> ScaledLevels:
    """Return ``scale_levels`` for a mechanism.

    The mechanism is given by its name, as in ``build``, or by a function of sizes and epsilons.
    """
    builder = partial(build, mechanism) if isinstance(mechanism, str) else mechanism
    return scale_levels(sizes, total, weights, builder, report=report)
