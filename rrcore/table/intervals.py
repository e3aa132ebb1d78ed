"""The intervals that the numbers of a column fall into, and what they are called."""

import math
from itertools import pairwise

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.table.reading import is_number, to_numbers
from rrcore.table.rule import ColumnRule, written
from rrcore.table.scale import interval_names


def intervals(name: str, texts: list[str], counts: Integers, rule: ColumnRule) -> tuple[list[str], Integers]:
    """The intervals that numbers fall into.

    Parameters
    ----------
    name : str, of the column
    texts : its different values
    counts : ndarray of shape (len(texts),), how many people gave each
    rule : ColumnRule, with a binning other than "none"

    Returns
    -------
    labels : what the intervals are called
    index : ndarray of shape (len(texts),), int64, the interval of each text

    Raises
    ------
    InputError
        If a text is not a number, or there are too few for the bins asked for.
    """
    numbers = numbers_of(name, texts)
    labels, limits = limits_of(name, numbers, counts, rule)
    return labels, np.searchsorted(limits, numbers, side="right").astype(np.int64)


def limits_of(name: str, numbers: Floats, counts: Integers, rule: ColumnRule) -> tuple[list[str], tuple[float, ...]]:
    """What the intervals are called, and the limits between them: a number that is a limit falls into the interval above it.

    Parameters
    ----------
    name : str, of the column
    numbers : ndarray of shape (m,), what its values say
    counts : ndarray of shape (m,), how many people gave each
    rule : ColumnRule, with a binning other than "none"

    Raises
    ------
    InputError
        If there are too few numbers for the bins asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table import ColumnRule
    >>> from rrcore.table.intervals import limits_of
    >>> limits_of("age", np.array([17.0, 40, 70]), np.ones(3, int), ColumnRule(binning="edges", edges=(18, 65, 90)))
    (['under 18', '18 to <65', '65 to 90'], (18.0, 65.0))
    """
    if rule.binning == "open":
        return list(interval_names(rule.edges)), tuple(map(float, rule.edges))
    distinct, inverse = np.unique(numbers, return_inverse=True)
    if rule.binning == "edges":
        edges = [float(edge) for edge in rule.edges]
        under, over = distinct[0] < edges[0], distinct[-1] > edges[-1]
    else:
        if len(distinct) < 2 or (rule.binning == "equal-width" and len(distinct) < rule.bins):
            action = "leave the column out" if len(distinct) < 2 else f"choose at most {len(distinct)} bins or no binning"
            found = f"{len(distinct)} different number" + ("s" if len(distinct) > 1 else "")
            raise InputError(f"'{name}' has only {found}, too few for {rule.bins} bins: {action}.")
        people = np.bincount(inverse, weights=counts).astype(np.float64)
        edges = _equal_width(distinct, rule.bins) if rule.binning == "equal-width" else _equal_count(distinct, people, rule.bins)
        under = over = np.False_
    words = [written(edge) for edge in edges]
    labels = [f"{low} to <{high}" for low, high in pairwise(words)]
    if not over:
        labels[-1] = f"{words[-2]} to {words[-1]}" if words[-2] != words[-1] else words[-1]
    labels = [f"under {words[0]}"] * bool(under) + labels + [f"{words[-1]} and over"] * bool(over)
    return labels, tuple(edges[0 if under else 1 : len(edges) if over else -1])


def numbers_of(name: str, texts: list[str]) -> Floats:
    """The numbers that ``texts`` of a column say. Raises InputError with the first that says none."""
    numbers = to_numbers(texts)
    if numbers is None:
        wrong = next((text for text in texts if not is_number(text)), "") or (texts[0] if texts else "")
        action = "add it to the missing marks or choose no binning"
        raise InputError(f"'{name}' has the value '{wrong[:40]}', which is not a number: {action}.")
    return numbers


def _equal_width(distinct: Floats, bins: int) -> list[float]:
    """``bins`` + 1 edges at equal distances, rounded to whole or few digits, from at most the least to at least the largest."""
    low, high = float(distinct[0]), float(distinct[-1])
    width = high / bins - low / bins
    digits = 0 if width >= 1 and (distinct == np.floor(distinct)).all() else max(0, 2 - math.floor(math.log10(width)))
    if digits > 12:
        return [low + width * i for i in range(bins)] + [high]
    scale = 10.0**digits
    inner = [math.floor((low + width * i) * scale + 0.5) / scale for i in range(1, bins)]
    return [_down(low, digits), *inner, -_down(-high, digits)]


def _equal_count(distinct: Floats, people: Floats, bins: int) -> list[float]:
    """Edges at the starts of values nearest to the quantiles j / bins, equal ones merged; at least one inner edge."""
    below = np.cumsum(people)[:-1] / people.sum()
    starts = np.unique([1 + int(np.abs(below - j / bins).argmin()) for j in range(1, bins)])
    inner = [_short(float(distinct[i - 1]), float(distinct[i])) for i in starts]
    return [float(distinct[0]), *inner, float(distinct[-1])]


def _down(number: float, digits: int) -> float:
    """``number`` itself if it has at most ``digits`` decimals, else rounded down to them."""
    rounded = round(number, digits)
    exact = math.isclose(rounded, number, rel_tol=1e-15, abs_tol=0)
    return rounded if exact else math.floor(number * 10.0**digits) / 10.0**digits


def _short(previous: float, start: float) -> float:
    """The number with the fewest digits above ``previous`` and not above ``start``."""
    for digits in range(-3, 13):
        candidate = round(math.floor(start * 10.0**digits) / 10.0**digits, digits)
        if previous < candidate <= start:
            return candidate
    return start
