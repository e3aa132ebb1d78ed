"""Two stages as mechanism files: what a device remembers, what chance does to it in every wave, one report of both (theory.md section 23).

All in exact arithmetic, and nothing here knows how the weights were found. One report of two stages is randomised by an ordinary mechanism
file, by which it is certified, collected and read like any other.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from rrcore.errors import InputError
from rrcore.limits import MAX_PROGRAMME_ATTRIBUTES
from rrcore.promise.certificate import Ratio
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights, Weights
from rrcore.wording import exact_odds_text

Blend = Callable[[Any, Any, int], Any]
"""Own entries, the sum over all entries that a category might be, and their number -> entries after a stage, in integers."""


def in_two_stages(permanent: MechanismFile, redrawn: Fraction) -> MechanismFile:
    """The mechanism file of one report, where every remembered answer is replaced in every wave by a uniformly drawn one.

    Parameters
    ----------
    permanent : MechanismFile, by which answers are randomised once and remembered
    redrawn : Fraction, between 0 and 1, how often a remembered answer is replaced

    Raises
    ------
    InputError
        For another probability, more than ``MAX_PROGRAMME_ATTRIBUTES`` attributes that are randomised together, or weights that become too
        large.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rrcore.answers import nigeria
    >>> file = nigeria().mechanism  # a die: odds of at most 5
    >>> in_two_stages(file, Fraction(1, 4)).certificate.total
    Fraction(3, 1)
    """
    part, of = check_redrawn(redrawn).as_integer_ratio()
    return _through(permanent, lambda own, whole, size: (of - part) * size * own + part * whole)


def remembered(report: MechanismFile, redrawn: Fraction) -> MechanismFile:
    """The mechanism file of what is remembered, where ``report`` is that of one report: ``in_two_stages`` undone.

    Raises
    ------
    InputError
        As ``in_two_stages``, and where no such file gives these reports.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rrcore.answers import nigeria
    >>> file = nigeria().mechanism
    >>> remembered(in_two_stages(file, Fraction(1, 4)), Fraction(1, 4)).certificate == file.certificate
    True
    """
    part, of = check_redrawn(redrawn).as_integer_ratio()
    try:
        return _through(report, lambda own, whole, size: of * size * own - part * whole)
    except ValueError:
        raise InputError(
            f"This mechanism file cannot be that of a report whose answer is redrawn with probability {redrawn}: it keeps too little. Make "
            "it with 'rrcore mechanism --redrawn', or give the probability that it was made with."
        ) from None


def every_wave(file: MechanismFile, redrawn: Fraction) -> MechanismFile:
    """The mechanism file of the second stage, from what is remembered of ``file`` to what is reported."""
    part, of = check_redrawn(redrawn).as_integer_ratio()
    groups = (((i,), LieWeights((size,), part, (("0", of - part),))) for i, size in enumerate(file.reports.sizes))
    return MechanismFile(file.reports, tuple(groups))


def ever_sentence(report: MechanismFile, redrawn: Fraction) -> str:
    """What all waves of two stages together give away at most, where ``report`` is the mechanism file of one report.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from rrcore.answers import nigeria
    >>> print(ever_sentence(in_two_stages(nigeria().mechanism, Fraction(1, 4)), Fraction(1, 4)))
    In two stages, one report shifts odds at most 3.00 times; all waves together, of a record that stays the same, at most 5.00 times.
    """
    one, ever = (at_most_times(file.certificate.total) for file in (report, remembered(report, redrawn)))
    return f"In two stages, one report shifts odds {one}; all waves together, of a record that stays the same, {ever}."


def waves_sentence(report: MechanismFile, redrawn: Fraction | None = None) -> str:
    """What memoised answers give away however often they are asked for; empty where there is no bound.

    Parameters
    ----------
    report : MechanismFile of one report
    redrawn : how often a remembered answer is replaced in every wave; None where it never is

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> waves_sentence(nigeria().mechanism).partition("answers ")[2]
    'shift the odds of the whole record at most 5.00 times. A record that changes gives away more.'
    """
    total = (report if redrawn is None else remembered(report, redrawn)).certificate.total
    if total is None:
        return ""
    return (
        "However often people whose record stays the same are asked, their memoised answers shift the odds of the whole record "
        f"{at_most_times(total)}. A record that changes gives away more."
    )


def at_most_times(ratio: Ratio) -> str:
    """How often odds are multiplied at most, in words."""
    return "without limit" if ratio is None else f"at most {exact_odds_text(ratio)} times"


def output_table(weights: LieWeights | CountWeights) -> Any:
    """The weight of one output of a group of lie sets by where it is false: ndarray of int, shape (2,) * its attributes."""
    table = np.empty((2,) * len(weights.sizes), dtype=object)
    for lies in np.ndindex(table.shape):
        table[lies] = weights.output(lies)
    return table


def check_redrawn(redrawn: Fraction) -> Fraction:
    """``redrawn``. Raises InputError where it is not between 0 and 1."""
    if not isinstance(redrawn, Rational) or not 0 < redrawn < 1:
        raise InputError(f"The probability {redrawn} of redrawing is not between 0 and 1: give for example 1/4.")
    return redrawn


def _through(file: MechanismFile, blend: Blend) -> MechanismFile:
    groups = tuple((places, _blended(weights, blend)) for places, weights in file.groups)
    return MechanismFile(file.schema, groups, file.made_by, file.note, reports=file.reports)


def _blended(weights: Weights, blend: Blend) -> Weights:
    """The weights of one group after a stage. Raises ValueError where one is negative."""
    if weights.rows is not None:
        entries = np.array(weights.rows, dtype=object)
        return MatrixWeights(tuple(map(tuple, _reduced(blend(entries, weights.whole, entries.shape[1])).tolist())))
    m = len(weights.sizes)
    if m > MAX_PROGRAMME_ATTRIBUTES:
        raise InputError(
            f"{m} attributes are randomised together: two stages are worked out for at most {MAX_PROGRAMME_ATTRIBUTES}. Choose fresh or "
            "memoised answers, or randomise in smaller groups."
        )
    table = output_table(weights)
    for axis, size in enumerate(weights.sizes):
        true, false = np.moveaxis(table, axis, 0)
        whole = true + (size - 1) * false
        both = (blend(true, whole, size), blend(false, whole, size))
        table = np.stack([np.asarray(each, dtype=object) for each in both], axis=axis)
    table = _reduced(table)
    named = []
    for lies in np.ndindex(table.shape):  # all outputs with these lies together
        weight = table[lies] * math.prod(size - 1 for size, lie in zip(weights.sizes, lies, strict=True) if lie)
        named += [("".join(map(str, lies)), weight)] if weight else []
    divisor = math.gcd(*(weight for _, weight in named))
    return LieWeights(weights.sizes, 0, tuple((name, weight // divisor) for name, weight in named))


def _reduced(entries: Any) -> Any:
    """Entries over their greatest common divisor. Raises ValueError for a negative one."""
    flat = entries.ravel().tolist()
    if min(flat) < 0:
        raise ValueError
    return entries // math.gcd(*flat)
