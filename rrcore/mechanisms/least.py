"""The least certified total for any number of attributes: every method that applies is tried and the best one wins."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from numpy.typing import ArrayLike

from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.blocks import Blocks
from rrcore.mechanisms.closed_form import ClosedForm, Kronecker
from rrcore.mechanisms.conditioned import Conditioned
from rrcore.mechanisms.counted import Counted
from rrcore.mechanisms.optimal import Optimal
from rrcore.mechanisms.thinned import Thinned
from rrcore.progress import Report, quiet
from rrcore.wording import total_text

_SAME = 1e-9  # nats by which rounding may put a total above Kronecker's
_GOOD = 0.05  # A gap, in nats, that is good enough where no method is exact

Closeness = Literal["first", "full"]
"""How near to the least total a mechanism that keeps floors is made: "first" is a few times as fast."""

GAPS: dict[Closeness, float] = {"first": 0.01, "full": 1e-6}
"""Most nats by which the total may be above its certified bound, where it can be had."""
_MARGIN = 0.8  # of that gap, for what holding levels and floors to the last digit costs


def check_closeness(closeness: str) -> None:
    """Raise InputError for none of ``GAPS``."""
    if closeness not in GAPS:
        raise InputError(f"The closeness is {str(closeness)[:40]!r}: choose {' or '.join(GAPS)}.")


def least_total(sizes: Sequence[int], levels: ArrayLike, *, report: Report = quiet) -> Mechanism:
    """The mechanism of least certified total with exactly these levels (nats, shape (k,)).

    Exact up to ``MAX_OPTIMAL_ATTRIBUTES`` attributes, for few kinds of attributes and where the closed form's test holds;
    beyond, conditioned Kronecker or blocks, whichever costs less. Never above Kronecker. ``lower_bound`` is the largest
    one that any method proved; ``tried`` tells what every route gave.
    """
    return _best(_routes(len(sizes), 1, 1.0), sizes, levels, report, [Kronecker.from_levels(sizes, levels)])


def safe(
    sizes: Sequence[int],
    levels: ArrayLike,
    *,
    width: int,
    floor: float = 1.0,
    closeness: Closeness = "full",
    report: Report = quiet,
) -> Mechanism:
    """The least total that keeps every interaction of up to ``width`` attributes at ``floor`` times Kronecker's accuracy or better.

    (P_w) of theory.md section 14: width 1 is the optimum, 2 pair-safe, k all-safe. Exact up to ``MAX_OPTIMAL_ATTRIBUTES`` attributes
    and for few kinds; beyond, the best of thinned mechanisms and of safe blocks. Never above Kronecker where the floor is at most 1.
    Every route that was taken, with its total or its refusal, is in ``tried``. ``closeness`` says how near its bound the total is to be;
    it is reached by iterations, whose number depends on nothing else than what is asked for.

    Raises
    ------
    InputError
        With a floor above 1 that no route could keep.
    """
    width = min(width, len(sizes))
    if width == 1:
        return least_total(sizes, levels, report=report)
    last = [Kronecker.from_levels(sizes, levels)] if floor <= 1 else []
    best = _best(_routes(len(sizes), width, floor, closeness), sizes, levels, report, last)
    return best if best.bound is not None else replace(best, bound=least_total(sizes, levels, report=report).bound)


def _closed_form(sizes: Sequence[int], levels: ArrayLike, *, report: Report) -> Mechanism:
    report(0.0, "trying the closed form")
    found = ClosedForm.from_levels(sizes, levels)
    if found.bound is None:
        raise InputError("The closed form is not the optimum at these levels: choose the optimum or Kronecker.")
    return found


_FAMILIES: dict[str, Callable[..., Mechanism]] = {
    "the closed form": _closed_form,
    "counts of lies": Counted.from_levels,
    "conditioned Kronecker": Conditioned.from_levels,
    "blocks": Blocks.from_levels,
}

_Route = tuple[str, Callable[..., Mechanism], float]
"""One way to look for a mechanism: its name, a builder, and the gap, in nats, below which no further one is tried."""


def _routes(k: int, width: int, floor: float, closeness: Closeness = "full") -> Iterator[_Route]:
    few, gap = k <= MAX_OPTIMAL_ATTRIBUTES, _MARGIN * GAPS[closeness]
    if few:
        yield "all sets of lies", partial(Optimal.from_levels, width=width, gamma=floor, gap=gap), 1e-6 if width == 1 else _GOOD
    elif width > 1:
        yield "counts of lies", partial(Counted.from_levels, width=width, gamma=floor, gap=gap), _GOOD
    for name, build in _FAMILIES.items():
        if width == 1:
            yield name, build, _GOOD
        elif not few or name != "counts of lies":
            yield f"{name}, thinned", partial(Thinned.safe, build=build, width=width, floor=floor), _GOOD
    if width > 1 and floor <= 1:
        yield "safe blocks", partial(Blocks.from_levels, width=width), _GOOD


def _best(
    routes: Iterator[_Route], sizes: Sequence[int], levels: ArrayLike, report: Report, last: Sequence[Mechanism]
) -> Mechanism:
    """The cheapest of what the routes find and of ``last``, with the largest lower bound, and what was tried."""
    found: list[Mechanism] = []
    tried: list[str] = []
    refusal: InputError | None = None
    for name, build, good in routes:
        try:
            found.append(build(sizes, levels, report=report))
        except InputError as error:
            refusal = refusal or error
            tried.append(f"{name.capitalize()}: refused, since {str(error)[0].lower()}{str(error)[1:]}")
            continue
        gap = found[-1].gap
        tried.append(f"{name.capitalize()}: {total_text(found[-1].total_level)} nats.")
        if gap is not None and gap < good:
            break
    if refusal is not None and not found and not last:
        raise refusal
    cheapest = min(found, key=lambda mechanism: mechanism.total_level, default=None)
    best = min([*([cheapest] if cheapest else []), *last], key=lambda each: each.total_level - _SAME * (each is cheapest))
    bounds = [mechanism.lower_bound for mechanism in found if mechanism.lower_bound is not None]
    return replace(best, bound=max(bounds) if bounds else best.bound, tried=tuple(tried))
