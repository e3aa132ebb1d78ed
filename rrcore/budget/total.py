"""A record-level budget: the levels that it affords (theory.md section 9), and when it is so high that it protects little."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.mechanisms import Mechanism, Safeguards, ScaledLevels, build, recipe, scale_levels
from rrcore.progress import Report, part, quiet
from rrcore.wording import count_text, percent, total_text


def check_total_weights(weights: Sequence[Any] | ArrayLike, names: Sequence[str]) -> Floats:
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
) -> ScaledLevels:
    """``scale_levels`` for a mechanism by its name (as ``build`` takes it), or for a builder ``(sizes, levels) -> Mechanism``."""
    builder = partial(build, mechanism) if isinstance(mechanism, str) else mechanism
    return scale_levels(sizes, total, weights, builder, report=report)


def levels_afforded(
    sizes: Sequence[int], total: float, weights: Floats, keys: Sequence[str], safeguards: Safeguards, *, report: Report = quiet
) -> dict[str, Floats | str]:
    """``levels_for_total`` under each of the mechanisms ``keys``, or the sentence that says why there are none."""
    found: dict[str, Floats | str] = {}
    for done, key in enumerate(keys):
        portion = part(report, done, len(keys), recipe(key).title)
        try:
            made = levels_for_total(sizes, total, weights, mechanism=partial(build, key, safeguards=safeguards), report=portion)
            found[key] = made.levels
        except InputError as error:
            found[key] = str(error)
    return found


def pair_safe_for_total(sizes: Sequence[int], total: float, *, report: Report = quiet) -> Mechanism | None:
    """Pair-safe with equal levels and this total; None if there is no such mechanism."""
    try:
        return levels_for_total(sizes, total, [1.0] * len(sizes), mechanism="pair-safe", report=report).mechanism
    except InputError:
        return None


def untouched_share(sizes: Sequence[int], total: float) -> float:
    """The share of records that leave RR-Joint as they came, in [0, 1].

    e^T / (e^T + M - 1): kept, or replaced by a random record that happens to be the same. At T = ln M it is more than one half. No
    mechanism that draws lie sets leaves more at that total: its channel is doubly stochastic.

    Parameters
    ----------
    sizes : k ints, numbers of categories; M is their product
    total : record-level budget T in nats, >= 0

    Examples
    --------
    >>> from rrcore.budget.total import untouched_share
    >>> round(untouched_share((9, 16, 7, 15, 6, 5, 2, 2), 16.0), 2)
    0.83
    """
    others = _log_records(sizes) + math.log1p(-math.exp(-_log_records(sizes)))  # ln(M - 1)
    return 1 / (1 + math.exp(min(others - total, 700.0)))


def protects_little(sizes: Sequence[int], total: float) -> str:
    """That a total does not keep one record from becoming likelier than all others together, in one sentence; empty below ln M nats.

    Parameters
    ----------
    sizes : k ints, numbers of categories of the whole record, M combinations
    total : of the whole record, nats

    Examples
    --------
    >>> protects_little((2, 2), 1.0)
    ''
    >>> protects_little((2, 2), 2.0)
    'The whole record protects little: one of 4 records can become likelier than all others together.'
    """
    if total < _log_records(sizes) - 1e-9:
        return ""
    return f"The whole record protects little: one of {_records(sizes)} records can become likelier than all others together."


def total_warning(sizes: Sequence[int], total: float) -> str:
    """What to know about a comparison at this total, in one sentence; empty below ln M nats.

    Parameters
    ----------
    sizes : k ints, numbers of categories of the whole record
    total : the largest record-level budget that is compared, nats

    Examples
    --------
    >>> from rrcore.budget import total_warning
    >>> total_warning((2, 2), 1.0)
    ''
    >>> total_warning((2, 2), 2.0)[-49:]
    'RR-Joint would leave 71.1 % of records untouched.'
    """
    log_records = _log_records(sizes)
    if total < log_records - 1e-9:
        return ""
    return (
        f"A total of {total_text(total)} nats is not below {log_records:.2f}, the logarithm of the {_records(sizes)} possible records, so "
        f"that it protects little: RR-Joint would leave {percent(untouched_share(sizes, total))} of records untouched."
    )


def _records(sizes: Sequence[int]) -> str:
    """M, in words."""
    log_records = _log_records(sizes)
    return count_text(math.prod(sizes)) if log_records < 30 else f"10^{log_records / math.log(10):.0f}"


def _log_records(sizes: Sequence[int]) -> float:
    """ln M."""
    return math.fsum(math.log(a) for a in sizes)
