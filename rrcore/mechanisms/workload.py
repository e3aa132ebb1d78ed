"""A mechanism designed for a workload at a given epsilon of the record.

See theory.md section 13.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.channel.channels import SubsetChannel
from rrcore.channel.epsilon import lie_from_epsilon, retention_from_epsilon
from rrcore.errors import InputError
from rrcore.limits import MAX_PROGRAMME_ATTRIBUTES, MAX_TOTAL, MIN_EPSILON
from rrcore.mechanisms.base import Tabulated
from rrcore.mechanisms.closed_form import Kronecker
from rrcore.mechanisms.solve.workload import AttributeKinds, Demand, raise_least
from rrcore.progress import Report, part, quiet

_SPARE = 1e-3  # part of the least gain given up, so that other marginals survive far better at no visible loss
_CLOSE = 1e-3  # relative precision at which the gains of those other marginals are settled
_ACCEPTED = 1e-2  # largest relative distance between the least gain and its upper bound with which a design is given out
_SHRINK = 1e-12  # nats by which the program stays below the total, so that rounding never exceeds it

_FAINT = 1e-8
"""Every listed interaction is asked to keep this part of the most it could: a smaller target is below the solver's precision."""

_UNSOLVED = (
    "No design was found for this total and these marginals within the precision of the solver. "
    "Raise the total, or list fewer or smaller marginals."
)

Workload = tuple[tuple[int, ...], ...]


def closure(workload: Iterable[Sequence[int]]) -> Workload:
    """Return every non-empty subset of every marginal.

    The estimate of a marginal needs all of them because its error is a sum over these subsets.

    Parameters
    ----------
    workload : marginals, each a few positions of attributes in any order

    Returns
    -------
    tuple of ascending tuples without duplicates, smaller ones first

    Examples
    --------
    >>> closure([(2, 0)])
    ((0,), (2,), (0, 2))
    """
    subsets = (combinations(sorted(axes), size) for axes in map(set, workload) for size in range(1, len(axes) + 1))
    return tuple(sorted(set(chain.from_iterable(subsets)), key=lambda axes: (len(axes), axes)))


@dataclass(frozen=True, eq=False)
class ForQuestions(Tabulated):
    """Draw sets of changes from a table designed for a workload.

    The table is designed for a given epsilon of the record.

    Parameters
    ----------
    sizes, subsets : as in ``Tabulated``
    requested_total : float, the upper limit of ``epsilon_total`` in nats
    workload : tuple of ascending tuples of positions, the listed interactions T
    """

    requested_total: float
    workload: Workload

    @cached_property
    def reference(self) -> Kronecker:
        """Kronecker with the same epsilon of the record, split equally."""
        return Kronecker.from_epsilon(self.sizes, np.full(self.k, self.requested_total / self.k))

    def gains(self, axes: Sequence[int]) -> float:
        """Return the gain of T = ``axes`` over independent randomization.

        The gain is the ratio of the factors mu_T when epsilon is split equally. A gain of 3 is worth nine times as many
        respondents.
        """
        chosen = list(axes)
        where = tuple(int(i in chosen) for i in range(self.k))
        return float(self.subsets.factors[where] / np.prod(self.reference.retentions[chosen]))


@dataclass(frozen=True, eq=False)
class Designed(ForQuestions):
    """Maximize the accuracy of the listed interactions at a given epsilon.

    Gains are measured relative to independent randomization with an equal split of epsilon.

    The epsilons eps_i are results instead of inputs. The mechanism maximizes the smallest gain, so an interaction that is not
    listed may be erased. List the ``closure`` of the marginals to avoid this.

    Parameters
    ----------
    sizes, subsets, requested_total, workload : as in ``ForQuestions``, with at most MAX_PROGRAMME_ATTRIBUTES attributes
    weights : tuple of floats > 0, one for each T. The required gain of T is ``weight`` times that of an interaction of weight 1
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
        """Maximize gamma subject to mu_T >= gamma weight_T g_T for every listed T.

        Here, g_T is the mu_T of Kronecker at eps_i = total / k.

        Up to a thousandth of gamma is then sacrificed, first to increase the smallest gain of the other single attributes and
        pairs, and then to increase the sum of all their gains. Attributes that are interchangeable are treated alike.

        Parameters
        ----------
        sizes : k ints >= 2
        total : float, nats, from k * MIN_EPSILON to MAX_TOTAL
        workload : the interactions T, exactly as listed. Each has 1 to k distinct positions in any order
        weights : one number > 0 for each T, all 1 by default
        report : called with the progress before every linear program

        Raises
        ------
        InputError
            If the total is invalid, there are too many attributes, or the solver does not reach its own bound.
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
        designed = cls(sizes, SubsetChannel(sizes, q), total, listed, asked, bound)
        if not designed.gamma >= (1 - _ACCEPTED) * bound:
            raise InputError(_UNSOLVED)
        return designed

    @cached_property
    def gamma(self) -> float:
        """Smallest gain over the workload, after dividing each gain by its weight."""
        return min(self.gains(axes) / weight for axes, weight in zip(self.workload, self.weights, strict=True))


def _search(sizes: tuple[int, ...], total: float, wanted: dict[frozenset[int], float], report: Report) -> tuple[Floats, float]:
    """q over all 2^k sets of changes, and the certified bound on the least gain per weight."""
    kinds = AttributeKinds(sizes, wanted)
    odds = math.expm1(total - _SHRINK)
    equal = np.full(len(sizes), total / len(sizes))
    kronecker = kinds.products(retention_from_epsilon(equal, sizes))
    goals = np.zeros(kinds.shape)
    for axes, weight in wanted.items():
        goals[kinds.where(axes)] = weight * kronecker[kinds.where(axes)]
    listed = goals > 0
    reach = np.minimum(1.0, odds * kinds.products(2 / np.asarray(sizes, dtype=np.float64)) / 2)  # no mu_T is larger
    targets = np.maximum(goals, _FAINT * reach / (reach[listed] / goals[listed]).min())
    independent = kinds.independent(lie_from_epsilon(equal - _SHRINK / len(sizes), sizes))
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
    """Return ``total`` as a number.

    Raises InputError if a design for k attributes cannot have this epsilon.
    """
    if not 1 <= k <= MAX_PROGRAMME_ATTRIBUTES:
        raise InputError(
            f"A plan for a workload needs 1 to {MAX_PROGRAMME_ATTRIBUTES} attributes, got {k}. Choose another number of "
            "attributes."
        )
    least = k * MIN_EPSILON
    if not least <= total <= MAX_TOTAL:
        raise InputError(
            f"The total ε is {total:g} for {k} attributes. Choose a number from {least:g} (below, every answer is noise) "
            f"to {MAX_TOTAL:g} (above, nothing is protected)."
        )
    return float(total)
