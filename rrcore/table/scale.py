"""Rounded edges for intervals of numbers, from a public scale, and what the intervals are called."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.limits import FEW_PEOPLE

_OUTER = 0.1  # share of people on either side who have no say in the edges
_STEPS = 5  # most steps of an even scale between those
_RATIO = 50.0  # most that an uneven scale spans
_SKEWED = 2.0  # the upper part of the people spreads so many times as far as the lower
_WHOLE = 0.95  # share of people with whole numbers from which edges are whole
_LOGARITHMS = (1, 2, 5)
_YEARS = (1800, 2100)
_BELOW, _TO, _BEYOND = "below ", " to below ", " and more"  # in names of intervals
_LARGEST, _SMALLEST = 1e15, 1e-100  # beyond these numbers count as these, or as 0


def rounded_edges(numbers: Floats, people: Integers) -> tuple[float, ...]:
    """Edges of a few intervals with open ends, to be proposed for a column of numbers.

    They are multiples of 1, 2 or 5 times a power of ten, or, for amounts of which few are large, these numbers themselves. Where they
    lie is told by the middle eight of ten people: what the lowest and the highest tenth gave, and at least ``FEW_PEOPLE`` people on
    either side, can be anything beyond without another edge. So edges tell an order of magnitude, and nobody's number.

    Parameters
    ----------
    numbers : ndarray of shape (m,), different finite numbers
    people : ndarray of shape (m,), how many people gave each, at least 1

    Examples
    --------
    >>> import numpy as np
    >>> from rrcore.table.scale import rounded_edges
    >>> rounded_edges(np.arange(18.0, 91.0), np.ones(73, int))
    (40.0, 60.0, 80.0)
    >>> rounded_edges(np.array([400.0, 900, 1400, 2300, 4000, 7000, 18424]), np.array([90, 100, 400, 210, 100, 99, 1]))
    (1000.0, 2000.0)
    """
    order = np.argsort(numbers)
    numbers, people = np.clip(np.asarray(numbers, dtype=np.float64)[order], -_LARGEST, _LARGEST), np.asarray(people)[order]
    numbers[np.abs(numbers) < _SMALLEST] = 0.0
    whole = float(people[numbers == np.floor(numbers)].sum()) >= _WHOLE * float(people.sum())
    low, middle, high = _bulk(numbers, people)
    if middle in (low, high):  # about half the people, or more, gave the same number: the others say what there is beside it
        alone, others = middle, numbers != middle
        if int(people[others].sum()) >= 4 * FEW_PEOPLE:
            low, middle, high = _bulk(numbers[others], people[others])
            low = max(alone, _down(low) * (1 - 1e-9)) if 0 <= alone < low else low
        elif low == high:
            return (_next(low, whole),)
    edges = _uneven(low, high) if low >= 0 and high - middle > _SKEWED * (middle - low) else _even(low, high, whole)
    kept = [edge for edge in edges if low < edge <= high and math.isfinite(edge) and (not whole or edge == math.floor(edge))]
    return tuple(kept) or (_next(middle, whole),)


def interval_names(edges: Sequence[float]) -> tuple[str, ...]:
    """What the intervals between ``edges`` and beyond them are called, with both ends open, whoever is in them.

    Examples
    --------
    >>> from rrcore.table.scale import interval_names
    >>> interval_names((1000, 18000))
    ('below 1,000', '1,000 to below 18,000', '18,000 and more')
    >>> interval_names((1960, 1980))[1]
    '1960 to below 1980'
    """
    years = all(edge == math.floor(edge) and _YEARS[0] <= edge <= _YEARS[1] for edge in edges)
    words = [format(edge + 0.0, ".15g" if years else ",.15g") for edge in edges]
    return (f"{_BELOW}{words[0]}", *(f"{low}{_TO}{high}" for low, high in pairwise(words)), f"{words[-1]}{_BEYOND}")


def edges_named(names: Sequence[str]) -> tuple[float, ...]:
    """The edges of the intervals that ``names`` begin with: ``interval_names`` read backwards; empty where they begin with none.

    Examples
    --------
    >>> from rrcore.table.scale import edges_named
    >>> edges_named(("below 1,000", "1,000 to below 18,000", "18,000 and more", "(missing)")), edges_named(("no", "yes"))
    ((1000.0, 18000.0), ())
    """
    last = next((place for place, name in enumerate(names) if name.endswith(_BEYOND)), 0)
    words = [names[0].removeprefix(_BELOW), *(name.partition(_TO)[2] for name in names[1:last])] if last else []
    try:
        edges = tuple(float(word.replace(",", "")) for word in words)
    except ValueError:
        return ()
    return edges if edges and interval_names(edges) == tuple(names[: last + 1]) else ()


def _bulk(numbers: Floats, people: Integers) -> tuple[float, float, float]:
    """The lowest number, the middle one and the highest when as many people on either side are set aside as ``rounded_edges`` says."""
    n = int(people.sum())
    aside = min(max(math.ceil(_OUTER * n), FEW_PEOPLE), (n - 1) // 2)
    low, middle, high = np.searchsorted(np.cumsum(people), [aside, n // 2, n - 1 - aside], side="right")
    return float(numbers[low]), float(numbers[middle]), float(numbers[high])


def _even(low: float, high: float, whole: bool) -> list[float]:
    """Multiples of one step between two numbers."""
    step = _up(high / _STEPS - low / _STEPS)
    if whole:
        step = max(step, 1.0)
    first = math.floor(low / step) + 1
    return [_clean((first + i) * step) for i in range(_STEPS + 1)]


def _uneven(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten between two numbers of which the first is not below 0."""
    edges, edge = [], _up(max(low, high / _RATIO))
    while edge <= high:
        edges.append(edge)
        edge = _up(edge * 1.5)
    return edges


def _next(number: float, whole: bool) -> float:
    """A number of the scale that is larger."""
    if number < 0:
        smaller = _down(-number * (1 - 1e-9))
        return -smaller if smaller >= 1 or not whole else 0.0
    return _up(number * (1 + 1e-9)) if number else 1.0


def _up(number: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below a positive number."""
    power = math.floor(math.log10(number))
    scale = [_clean(float(f"{digit}e{power + more}")) for more in (-1, 0, 1) for digit in _LOGARITHMS]
    return next(each for each in scale if each >= number)


def _down(number: float) -> float:
    """The largest of them that is not above a positive number."""
    power = math.floor(math.log10(number))
    scale = [_clean(float(f"{digit}e{power + more}")) for more in (-1, 0, 1) for digit in _LOGARITHMS]
    return next(each for each in reversed(scale) if each <= number)


def _clean(number: float) -> float:
    """A number without float noise."""
    return float(f"{number:.12g}")
