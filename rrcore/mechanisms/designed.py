"""A mechanism designed for the marginals that matter, at a given record-level budget (theory.md section 13)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.channel.levels import lie_from_level, retention_from_level
from rrcore.channel.liesets import LieSets
from rrcore.errors import InputError
from rrcore.limits import MAX_PROGRAMME_ATTRIBUTES, MAX_TOTAL, MIN_LEVEL
from rrcore.mechanisms.closed_form import Kronecker
from rrcore.mechanisms.solve.least_gain import AttributeKinds, Demand, raise_least
from rrcore.mechanisms.tabulated import Tabulated
from rrcore.progress import Report, part, quiet

_SPARE = 1e-3  # part of the least gain given up, so that other marginals survive far better at no visible loss
_CLOSE = 1e-3  # relative precision at which the gains of those other marginals are settled
_ACCEPTED = 1e-2  # largest relative distance between the least gain and its upper bound with which a design is given out
_SHRINK = 1e-12  # nats by which the programme stays below the total, so that rounding never exceeds it

_FAINT = 1e-8
"""Every listed interaction is asked to keep this part of the most it could: a smaller target is below the solver's precision."""

_UNSOLVED = (
    "No design was found for this total and these marginals within the precision of the solver. "
    "Raise the total, or list fewer or smaller marginals."
)

Workload = tuple[tuple[int, ...], ...]


def closure(workload: Iterable[Sequence[int]]) -> Workload:
    """Every non-empty subset of every marginal: what their estimates need, for the error of a marginal sums over them.

    Parameters
    ----------
    workload : marginals, each a few positions of attributes in any order

    Returns
    -------
    tuple of ascending tuples without repeats, the small ones first

    Examples
    --------
    >>> closure([(2, 0)])
    ((0,), (2,), (0, 2))
    """
    subsets = (combinations(sorted(axes), size) for axes in map(set, workload) for size in range(1, len(axes) + 1))
    return tuple(sorted(set(chain.from_iterable(subsets)), key=lambda axes: (len(axes), axes)))


@dataclass(frozen=True, eq=False)
class ForQuestions(Tabulated):
    """A table of lie sets made for the marginals that matter, at a given total.

    Parameters
    ----------
    sizes, lie_sets : as in ``Tabulated``
    requested_total : float, the record-level budget in nats that ``total_level`` stays below
    workload : tuple of ascending tuples of positions, the interactions T listed
    """

    requested_total: float
    workload: Workload

    @cached_property
    def reference(self) -> Kronecker:
        """Kronecker with the same total, split equally."""
        return Kronecker.from_levels(self.sizes, np.full(self.k, self.requested_total / self.k))

    def gains(self, axes: Sequence[int]) -> float:
        """mu_T beside Kronecker's at equal split, for T = ``axes`` (distinct positions): 3 means as accurate as nine times as many people."""
        chosen = list(axes)
        where = tuple(int(i in chosen) for i in range(self.k))
        return float(self.lie_sets.factors[where] / np.prod(self.reference.retentions[chosen]))


@dataclass(frozen=True, eq=False)
class Designed(ForQuestions):
    """Of all mechanisms with a given total, the one whose listed interactions survive best beside Kronecker at equal split.

    The levels eps_i come out instead of going in. What is made as large as it can be is the least gain, so one that was
    not listed may be lost: list the ``closure`` of the marginals wanted unless that is meant.

    Parameters
    ----------
    sizes, lie_sets, requested_total, workload : as in ``ForQuestions``, with at most MAX_PROGRAMME_ATTRIBUTES attributes
    weights : tuple of floats > 0, one for each of them: each listed T is asked for ``weight`` times the gain of one of weight 1
    gamma_bound : float, certified upper bound on the ``gamma`` of every mechanism with this total
    """

    weights: tuple[float, ...]
    gamma_bound: float

    @classmethod
    def for_questions(
        cls,
        sizes: Sequence[int],
        total: float,
        workload: Iterable[Sequence[int]],
        *,
        weights: Sequence[float] | None = None,
        report: Report = quiet,
    ) -> Designed:
        """Maximise gamma subject to mu_T >= gamma weight_T g_T for every listed T, g_T being Kronecker's mu_T at eps_i = total / k.

        Up to a thousandth of gamma is then given up: first for the least gain of the other single attributes and pairs,
        then for the sum of the gains of all of them. Attributes that may be swapped are treated alike.

        Parameters
        ----------
        sizes : k ints >= 2
        total : float, nats, from k * MIN_LEVEL to MAX_TOTAL
        workload : the interactions T, exactly as listed: each 1 to k distinct positions, in any order
        weights : one number > 0 for each T; all 1 if left out
        report : called with how far the work is before every linear programme

        Raises
        ------
        InputError
            For a bad total, too many attributes, or where the solver stays short of its own bound.
        """
        total = check_total(total, len(sizes))
        sizes = tuple(int(a) for a in sizes)
        listed = tuple(tuple(sorted(axes)) for axes in workload)
        asked = (1.0,) * len(listed) if weights is None else tuple(weights)
        wanted: dict[frozenset[int], float] = {}
        for axes, weight in zip(listed, asked, strict=True):
            wanted[frozenset(axes)] = max(weight, wanted.get(frozenset(axes), 0.0))
        q, bound = _search(sizes, total, wanted, report)
        q = _turned(q, sizes, frozenset().union(*wanted))
        designed = cls(sizes, LieSets(sizes, q), total, listed, asked, bound)
        if not designed.gamma >= (1 - _ACCEPTED) * bound:
            raise InputError(_UNSOLVED)
        return designed

    @property
    def method(self) -> str:
        return "least gain made as large as it can be, by linear programming"

    @cached_property
    def gamma(self) -> float:
        """The least gain over the workload, each divided by its weight."""
        return min(self.gains(axes) / weight for axes, weight in zip(self.workload, self.weights, strict=True))


def _search(sizes: tuple[int, ...], total: float, wanted: dict[frozenset[int], float], report: Report) -> tuple[Floats, float]:
    """q over all 2^k lie sets, and the certified bound on the least gain per weight."""
    kinds = AttributeKinds(sizes, wanted)
    odds = math.expm1(total - _SHRINK)
    equal = np.full(len(sizes), total / len(sizes))
    kronecker = kinds.products(retention_from_level(equal, sizes))
    goals = np.zeros(kinds.shape)
    for axes, weight in wanted.items():
        goals[kinds.where(axes)] = weight * kronecker[kinds.where(axes)]
    listed = goals > 0
    reach = np.minimum(1.0, odds * kinds.products(2 / np.asarray(sizes, dtype=np.float64)) / 2)  # no mu_T is larger
    targets = np.maximum(goals, _FAINT * reach / (reach[listed] / goals[listed]).min())
    independent = kinds.independent(lie_from_level(equal - _SHRINK / len(sizes), sizes))
    demand = Demand(kinds, _over(targets, listed), goals)
    best = raise_least(demand, independent, odds=odds, report=part(report, 0, 3))
    least = max(best.least * (1 - _SPARE), min(best.least, float(demand.gains(independent).min())))  # never below Kronecker's
    small = (kinds.order == 1) | (kinds.order == 2)
    rest = Demand(kinds, _over(kronecker, small & ~listed))
    floors = np.where(listed, least * targets, 0.0)
    q, raised = best.q, True
    if rest.inverse.any():
        kept = Demand(kinds, _over(floors, listed))
        second = raise_least(rest, q, odds=odds, floors=kept, close=_CLOSE, report=part(report, 1, 3))
        raised = second.least >= np.abs(rest.gains(q)).min()  # a negative factor is inverted as well as a positive one
        if raised:
            q, floors = second.q, np.where(rest.inverse > 0, second.least * (1 - _SPARE) * kronecker, floors)
    if raised:
        every = Demand(kinds, _over(kronecker, small) * kinds.number / kinds.number[small].sum(), summed=True)
        kept = Demand(kinds, _over(floors, floors > 0))
        q = raise_least(every, q, odds=odds, floors=kept, close=_CLOSE, report=part(report, 2, 3)).q
    return kinds.spread(q), best.bound


def _turned(q: Floats, sizes: tuple[int, ...], listed: frozenset[int]) -> Floats:
    """``q`` with both answers of an attribute exchanged where the lie would be the likelier one: the same |mu_T| and the same total.

    Only for an attribute in no listed interaction; with more than two answers a lie is not undone, and its level stays below 0.
    """
    for i, size in enumerate(sizes):
        if size == 2 and i not in listed and np.take(q, 1, axis=i).sum() > 0.5:
            q = np.flip(q, axis=i)
    return q


def _over(targets: Floats, chosen: Booleans) -> Floats:
    """1 / target where ``chosen``, else 0."""
    return np.divide(1.0, targets, out=np.zeros(targets.shape), where=chosen)


def check_total(total: float, k: int) -> float:
    """``total`` as a number. Raises InputError where a design for k attributes cannot spend it."""
    if not 1 <= k <= MAX_PROGRAMME_ATTRIBUTES:
        raise InputError(
            f"A design for joint distributions needs 1 to {MAX_PROGRAMME_ATTRIBUTES} attributes and there are {k}: choose fewer attributes."
        )
    least = k * MIN_LEVEL
    if not least <= total <= MAX_TOTAL:
        raise InputError(
            f"The total is {total:g} nats for {k} attributes: give a number from {least:g} (below, every answer is noise) "
            f"to {MAX_TOTAL:g} (above, nothing is protected)."
        )
    return float(total)
