"""The least certified total for any number of attributes: every method that applies is tried and the best one wins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations

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

__all__ = ["least_total", "pair_safe"]

_SAME = 1e-9
"""Nats by which rounding may put a total above Kronecker's."""

_GOOD = 0.05
"""A gap, in nats, below which no further method is tried."""


def least_total(sizes: Sequence[int], levels: ArrayLike, *, report: Report = quiet) -> Mechanism:
    """The mechanism of least certified total with exactly these levels (nats, shape (k,)).

    Exact up to ``MAX_OPTIMAL_ATTRIBUTES`` attributes, for few kinds of attributes and where the closed form's test holds;
    beyond, conditioned Kronecker or blocks, whichever costs less. Never above Kronecker. ``lower_bound`` is the largest
    one that any method proved.
    """
    found: list[Mechanism] = []
    for method in _methods(len(sizes)):
        try:
            found.append(method(sizes, levels, report=report))
        except InputError:
            continue
        if found[-1].gap is not None and found[-1].gap < (1e-8 if isinstance(found[-1], Optimal) else _GOOD):
            break
    found.append(Kronecker.from_levels(sizes, levels))
    best = min(found, key=lambda mechanism: mechanism.total_level)
    bounds = [mechanism.lower_bound for mechanism in found if mechanism.lower_bound is not None]
    if not bounds or best.lower_bound == max(bounds):
        return best
    return Blocks(best.sizes, (best,), (tuple(range(best.k)),), max(bounds))


def _methods(k: int) -> Iterator[Callable[..., Mechanism]]:
    if k <= MAX_OPTIMAL_ATTRIBUTES:
        yield Optimal.from_levels
    yield _closed_form
    yield Counted.from_levels
    yield Conditioned.from_levels
    yield Blocks.from_levels


def _closed_form(sizes: Sequence[int], levels: ArrayLike, *, report: Report) -> Mechanism:
    report(0.0, "trying the closed form")
    return ClosedForm.from_levels(sizes, levels)


def pair_safe(sizes: Sequence[int], levels: ArrayLike, *, floor: float = 1.0, report: Report = quiet) -> Mechanism:
    """The least total that keeps every pair at ``floor`` times Kronecker's accuracy or better (theory.md section 5).

    Solved exactly up to ``MAX_PROGRAMME_ATTRIBUTES`` attributes. Beyond, ``least_total`` at slightly higher levels, jointly
    thinned; where even that fails, Kronecker, which keeps its own accuracy.
    """
    safe = _first(_pair_safe_methods(len(sizes), floor), sizes, levels, report)
    kronecker = Kronecker.from_levels(sizes, levels)
    if floor > 1:
        if isinstance(safe, InputError):
            raise safe
        return safe
    return kronecker if isinstance(safe, InputError) or safe.total_level > kronecker.total_level + _SAME else safe


def _pair_safe_methods(k: int, floor: float) -> Iterator[Callable[..., Mechanism]]:
    if k <= MAX_PROGRAMME_ATTRIBUTES:
        yield partial(Optimal.from_levels, floors=[Floor(pair, floor) for pair in combinations(range(k), 2)])
    yield partial(Thinned.pair_safe, build=_smooth, floor=floor)


def _smooth(sizes: Sequence[int], levels: ArrayLike, *, report: Report) -> Mechanism:
    """Near the least total, by the methods that lose little of any pair."""
    refusal = InputError("No method for many attributes works at these levels: choose Kronecker.")
    for method in (_closed_form, Counted.from_levels, Conditioned.from_levels):
        try:
            found = method(sizes, levels, report=report)
        except InputError as error:
            refusal = error
            continue
        if found.gap is not None:
            return found
    raise refusal


def _first(
    methods: Iterator[Callable[..., Mechanism]], sizes: Sequence[int], levels: ArrayLike, report: Report
) -> Mechanism | InputError:
    """What the first method that succeeds returns, else the first refusal."""
    refusals = []
    for method in methods:
        try:
            return method(sizes, levels, report=report)
        except InputError as error:
            refusals.append(error)
    return refusals[0]
