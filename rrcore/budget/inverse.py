"""From a record-level budget to the levels it affords (theory.md section 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.mechanisms import Afforded, Mechanism, afford, build
from rrcore.work import Report, quiet


def check_weights(weights: Sequence[Any] | ArrayLike, names: Sequence[str]) -> Floats:
    """The relative importance of attributes, shape (k,), from numbers or texts. Raises InputError for one that is not positive."""
    given = list(np.asarray(weights, dtype=object).ravel())
    if len(given) != len(names):
        raise InputError(f"There are {len(given)} weights for {len(names)} attributes: give one weight for each attribute.")
    checked = []
    for value, name in zip(given, names, strict=True):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if not 0 < number < np.inf:
            raise InputError(f"The weight of '{name}' is '{str(value)[:40]}': give a positive number, for example 1.")
        checked.append(number)
    return np.array(checked)


def levels_for_total(
    sizes: Sequence[int],
    total: float,
    weights: ArrayLike,
    *,
    mechanism: str | Callable[..., Mechanism] = "kronecker",
    report: Report = quiet,
) -> Afforded:
    """``afford`` for a mechanism by its name (as ``build`` takes it), or for a builder ``(sizes, levels) -> Mechanism``."""
    builder = partial(build, mechanism) if isinstance(mechanism, str) else mechanism
    return afford(sizes, total, weights, builder, report=report)
