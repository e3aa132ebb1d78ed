"""Lowest certified epsilon of the record for any number of attributes.

Every applicable method is tried, and the best result is used.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from numpy.typing import ArrayLike

from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.blocks import Blocks
from rrcore.mechanisms.closed_form import ClosedForm, Kronecker
from rrcore.mechanisms.conditioned import Conditioned
from rrcore.mechanisms.optimal import Optimal, optimum_by_counts
from rrcore.mechanisms.thinned import Thinned
from rrcore.progress import Report, quiet

_SAME = 1e-9  # nats by which rounding may put a total above Kronecker's
_GOOD = 0.05  # A gap, in nats, that is good enough where no method is exact

GAP = 1e-6
"""Most nats by which the total of a mechanism that keeps floors may be above its certified bound, where it can be had."""
_MARGIN = 0.8  # of that gap, for what holding levels and floors to the last digit costs


def least_total(sizes: Sequence[int], epsilon: ArrayLike, *, report: Report = quiet) -> Mechanism:
    """Return the mechanism with the lowest certified epsilon of the record.

    It has exactly the requested epsilons (in nats, shape (k,)).

    The result is exact for up to ``MAX_OPTIMAL_ATTRIBUTES`` attributes, for few kinds of attributes, and if the test of the closed
    form holds. Otherwise, it is conditioned Kronecker or blocks, whichever has the lower epsilon. It never exceeds Kronecker.
    ``lower_bound`` is the largest bound that any method proved.
    """
    return _best(_routes(len(sizes), 1, 1.0), sizes, epsilon, report, [Kronecker.from_epsilon(sizes, epsilon)])


def safe(sizes: Sequence[int], epsilon: ArrayLike, *, width: int, floor: float = 1.0, report: Report = quiet) -> Mechanism:
    """Return the lowest epsilon that preserves interactions up to ``width``.

    The accuracy of each of these interactions is at least ``floor`` times that of Kronecker.

    This is problem (P_w) of theory.md section 14. Width 1 is the optimized mechanism, width 2 preserves pairs, and width k
    preserves everything. The result is exact for up to ``MAX_OPTIMAL_ATTRIBUTES`` attributes and for few kinds of attributes.
    Otherwise, it is the best of the thinned mechanisms and blocks. It never exceeds Kronecker if the floor is at most 1.

    Raises
    ------
    InputError
        If the floor is above 1 and no method can meet it.
    """
    width = min(width, len(sizes))
    if width == 1:
        return least_total(sizes, epsilon, report=report)
    last = [Kronecker.from_epsilon(sizes, epsilon)] if floor <= 1 else []
    best = _best(_routes(len(sizes), width, floor), sizes, epsilon, report, last)
    return best if best.bound is not None else replace(best, bound=least_total(sizes, epsilon, report=report).bound)


def _closed_form(sizes: Sequence[int], epsilon: ArrayLike, *, report: Report) -> Mechanism:
    report(0.0, "trying the closed form")
    found = ClosedForm.from_epsilon(sizes, epsilon)
    if found.bound is None:
        raise InputError(
            "The closed form does not have the lowest total ε here. Choose the lowest total ε or independent randomization."
        )
    return found


_FAMILIES: tuple[Callable[..., Mechanism], ...] = (
    _closed_form,
    optimum_by_counts,
    Conditioned.from_epsilon,
    Blocks.from_epsilon,
)

_Route = tuple[Callable[..., Mechanism], float]
"""One way to look for a mechanism: a builder, and the gap, in nats, below which no further one is tried."""


def _routes(k: int, width: int, floor: float) -> Iterator[_Route]:
    few, gap = k <= MAX_OPTIMAL_ATTRIBUTES, _MARGIN * GAP
    if few:
        yield partial(Optimal.from_epsilon, width=width, gamma=floor, gap=gap), 1e-6 if width == 1 else _GOOD
    elif width > 1:
        yield partial(optimum_by_counts, width=width, gamma=floor, gap=gap), _GOOD
    for build in _FAMILIES:
        if width == 1:
            yield build, _GOOD
        elif width == 2 and not (few and build is optimum_by_counts):
            yield partial(Thinned.safe, build=build, floor=floor), _GOOD
    if width > 1 and floor <= 1:
        yield partial(Blocks.from_epsilon, width=width), _GOOD


def _best(
    routes: Iterator[_Route], sizes: Sequence[int], epsilon: ArrayLike, report: Report, last: Sequence[Mechanism]
) -> Mechanism:
    """The cheapest of what the routes find and of ``last``, with the largest lower bound."""
    found: list[Mechanism] = []
    refusal: InputError | None = None
    for build, good in routes:
        try:
            found.append(build(sizes, epsilon, report=report))
        except InputError as error:
            refusal = refusal or error
            continue
        gap = found[-1].gap
        if gap is not None and gap < good:
            break
    if refusal is not None and not found and not last:
        raise refusal
    cheapest = min(found, key=lambda mechanism: mechanism.epsilon_total, default=None)
    best = min([*([cheapest] if cheapest else []), *last], key=lambda each: each.epsilon_total - _SAME * (each is cheapest))
    bounds = [mechanism.lower_bound for mechanism in found if mechanism.lower_bound is not None]
    return replace(best, bound=max(bounds) if bounds else best.bound)
