"""The least certified total for any number of attributes: every method that applies is tried and the best one wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, combinations

from numpy.typing import ArrayLike

from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES, MAX_PROGRAMME_ATTRIBUTES
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.blocks import Blocks
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.mechanisms.conditioned import Conditioned
from rrcore.mechanisms.counted import Counted
from rrcore.mechanisms.kronecker import Kronecker
from rrcore.mechanisms.optimal import Optimal
from rrcore.mechanisms.solve.programme import Floor
from rrcore.mechanisms.thinned import Thinned
from rrcore.progress import Report, quiet

_SAME = 1e-9  # nats by which rounding may put a total above Kronecker's
_GOOD = 0.05  # A gap, in nats, that is good enough where no method is exact


def least_total(sizes: Sequence[int], levels: ArrayLike, *, report: Report = quiet) -> Mechanism:
    """The mechanism of least certified total with exactly these levels (nats, shape (k,)).

    Exact up to ``MAX_OPTIMAL_ATTRIBUTES`` attributes, for few kinds of attributes and where the closed form's test holds;
    beyond, conditioned Kronecker or blocks, whichever costs less. Never above Kronecker. ``lower_bound`` is the largest
    one that any method proved.
    """
    found: list[Mechanism] = []
    for method, good in _methods(len(sizes)):
        try:
            found.append(method(sizes, levels, report=report))
        except InputError:
            continue
        if found[-1].gap is not None and found[-1].gap < good:
            break
    found.append(Kronecker.from_levels(sizes, levels))
    best = min(found, key=lambda mechanism: mechanism.total_level)
    bounds = [mechanism.lower_bound for mechanism in found if mechanism.lower_bound is not None]
    return replace(best, bound=max(bounds)) if bounds and best.lower_bound != max(bounds) else best


def _methods(k: int) -> Iterator[tuple[Callable[..., Mechanism], float]]:
    """The methods in the order they are tried, each with the gap, in nats, below which no further one is."""
    if k <= MAX_OPTIMAL_ATTRIBUTES:
        yield Optimal.from_levels, 1e-8
    for method in (_closed_form, Counted.from_levels, Conditioned.from_levels, Blocks.from_levels):
        yield method, _GOOD


def _closed_form(sizes: Sequence[int], levels: ArrayLike, *, report: Report) -> Mechanism:
    report(0.0, "trying the closed form")
    return ClosedForm.from_levels(sizes, levels)


def safe(sizes: Sequence[int], levels: ArrayLike, *, width: int, floor: float = 1.0, report: Report = quiet) -> Mechanism:
    """The least total that keeps every interaction of up to ``width`` attributes at ``floor`` times Kronecker's accuracy or better.

    (P_w) of theory.md section 14: width 1 is the optimum, 2 pair-safe, k all-safe.
    """
    width = min(width, len(sizes))
    if width == 1:
        return least_total(sizes, levels, report=report)
    kronecker = Kronecker.from_levels(sizes, levels)
    try:
        found = _first(_safe_methods(len(sizes), width, floor), sizes, levels, report)
    except InputError:
        if floor > 1:
            raise
        return kronecker
    return kronecker if floor <= 1 and found.total_level > kronecker.total_level + _SAME else found


def _safe_methods(k: int, width: int, floor: float) -> Iterator[Callable[..., Mechanism]]:
    if k <= MAX_PROGRAMME_ATTRIBUTES:
        sets = chain.from_iterable(combinations(range(k), size) for size in range(2, width + 1))
        yield partial(Optimal.from_levels, floors=[Floor(axes, floor) for axes in sets])
    if width == 2:
        yield partial(Thinned.pair_safe, build=_smooth, floor=floor)


def _smooth(sizes: Sequence[int], levels: ArrayLike, *, report: Report) -> Mechanism:
    """Near the least total, by the methods that lose little of any pair."""
    return _first(iter((_certified_closed_form, Counted.from_levels, Conditioned.from_levels)), sizes, levels, report)


def _certified_closed_form(sizes: Sequence[int], levels: ArrayLike, *, report: Report) -> Mechanism:
    found = ClosedForm.from_levels(sizes, levels)
    if found.bound is None:
        raise InputError("The closed form is not the optimum at these levels: choose the optimum or Kronecker.")
    return found


def _first(methods: Iterator[Callable[..., Mechanism]], sizes: Sequence[int], levels: ArrayLike, report: Report) -> Mechanism:
    """What the first method that succeeds returns. Raises the first refusal where none does."""
    refusal: InputError | None = None
    for method in methods:
        try:
            return method(sizes, levels, report=report)
        except InputError as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal
