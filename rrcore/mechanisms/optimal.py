"""The mechanism with the lowest epsilon of the record, with a certified bound.

The program runs over all sets of changes, or over their counts (section 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats, outer
from rrcore.channel.channels import SubsetChannel
from rrcore.channel.epsilon import lie_from_epsilon, retention_from_epsilon
from rrcore.errors import InputError
from rrcore.limits import MAX_COUNT_VECTORS, MAX_OPTIMAL_ATTRIBUTES, MAX_PROGRAMME_ATTRIBUTES
from rrcore.mechanisms.base import Counted, Mechanism, Tabulated, hold_caps
from rrcore.mechanisms.solve.countgrid import SHRINK, CountGrid, count_of_vectors, hold_levels, log_multiplicities
from rrcore.mechanisms.solve.floors import Interactions
from rrcore.mechanisms.solve.interior_point import ENOUGH, solve_guarded
from rrcore.mechanisms.solve.linear_program import UNSOLVED, Floor, solve_capped, solve_counts
from rrcore.progress import Report, quiet

_LEVEL_ERROR = 1e-6  # most, in nats, by which an achieved level may stay below the requested one
_MAX_GAP = 0.01  # largest gap, in nats, with which a result is given out at all, its gap shown
_ROUNDING = 1e-15  # of a mu_T added up from the probabilities of all sets of changes
_HELD = 1e-9  # rounding allowed when floors (relative) and caps (nats) are checked on the finished mechanism


@dataclass(frozen=True, eq=False)
class Optimal(Tabulated):
    """Minimize the epsilon of the record among all mechanisms with these epsilons.

    The mechanism also respects the floors and caps, if any.

    If several mechanisms attain the minimum and there are no floors, this is the one that preserves pairs best overall. It has the
    largest sum of mu_ij / (r_i r_j) that the solver finds. For up to 12 attributes, the solver considers all of them.

    Parameters
    ----------
    sizes, subsets : as in ``Tabulated``
    """

    @classmethod
    def from_epsilon(
        cls,
        sizes: Sequence[int],
        epsilon: ArrayLike,
        *,
        floors: Sequence[Floor] = (),
        caps: ArrayLike | None = None,
        width: int = 1,
        gamma: float = 1.0,
        gap: float = ENOUGH,
        report: Report = quiet,
    ) -> Optimal:
        """Solve (P), or (P_w) of section 14, for the requested epsilons.

        The epsilons are in nats, shape (k,).

        Parameters
        ----------
        floors : any number of Floor objects on positions of attributes
        width, gamma : the floor gamma for all sets of 2 to ``width`` attributes, instead of ``floors``
        gap : tolerated distance from the certified bound in nats, if there are floors but no caps
        caps : k floats, optional, in nats: the largest epsilon_informed of each attribute, at least its epsilon and infinite
            without a cap

        Raises
        ------
        InputError
            If there are too many attributes, if floors and caps cannot be met (the message states what is possible), or if the
            solver does not attain the epsilons. Without floors, also if it leaves a gap above ``_MAX_GAP``, which can happen for
            epsilons above about 10.
        """
        eps, a = np.asarray(epsilon, dtype=np.float64), np.asarray(sizes)
        limits = None if caps is None or np.isinf(caps).all() else np.asarray(caps, dtype=np.float64)
        _check(len(a), limits)
        family = symmetric_family(floors, len(a))
        if family is not None and width == 1:
            width, gamma, floors = family[0], family[1], ()
        width = min(width, len(a))
        q, bound = _solve(tuple(int(size) for size in a), eps, floors, (width, gamma), limits, gap, report)
        if limits is not None:
            q = hold_levels(hold_caps(q, sizes, limits), sizes, lie_from_epsilon(eps, sizes) * (1 + SHRINK))
        numbers = tuple(int(size) for size in a)
        optimum = cls(numbers, SubsetChannel(numbers, q), bound=bound)
        _check_solved(optimum, eps, guarded=bool(floors) or width > 1)
        if not optimum._keeps(retention_from_epsilon(eps, sizes), floors, limits, width, gamma):
            raise InputError(UNSOLVED)
        return optimum

    def _keeps(self, kept: Floats, floors: Sequence[Floor], caps: Floats | None, width: int, gamma: float) -> bool:
        """Whether this very mechanism, not only the solver's output, keeps floors and caps, ``kept`` being the r_i."""
        if width > 1:
            wanted, members = outer([np.array([1.0, r]) for r in kept]), outer([np.arange(2.0)] * self.k, np.add)
            safe = (self.subsets.factors >= gamma * wanted * (1 - _HELD) - _ROUNDING) | (members < 2) | (members > width)
            if not safe.all():
                return False
        met = all(self.factor(f.axes) >= f.gamma * kept[list(f.axes)].prod() * (1 - _HELD) for f in floors)
        return met and (caps is None or bool((self.epsilon_informed <= caps + _HELD).all()))


def _solve(
    sizes: tuple[int, ...],
    epsilon: Floats,
    floors: Sequence[Floor],
    family: tuple[int, float],
    caps: Floats | None,
    gap: float,
    report: Report,
) -> tuple[Floats, float]:
    """q over all sets of randomized attributes, shape (2,) * k, and the certified lower bound."""
    (width, gamma), k = family, len(sizes)
    marks = np.zeros((k, 2))
    for i in {i for floor in floors for i in floor.axes}:
        marks[i, 0] = i + 1
    marks[:, 1] = 0.0 if caps is None else caps
    grid = CountGrid(sizes, epsilon, marks=np.unique(marks, axis=0, return_inverse=True)[1].ravel())
    wanted = listed_floors(grid, floors) if floors else Interactions(grid, width, gamma) if width > 1 else None
    if caps is None and wanted is None:
        found = solve_counts(grid, report=report)
    elif wanted is not None and (k > MAX_PROGRAMME_ATTRIBUTES or (caps is None and wanted.gamma.max() <= 1)):
        found = solve_guarded(wanted, gap=gap, report=report)
    else:
        limits = None if caps is None else caps[np.unique(grid.kind, return_index=True)[1]]
        found = solve_capped(grid, wanted, limits, report=report)
    logs = found.log_gains.ravel() + grid.log_uniform.ravel() - log_multiplicities(grid.numbers).ravel()
    q = grid.expand(np.exp(logs))
    return q / q.sum(), found.bound


def optimum_by_counts(
    sizes: Sequence[int],
    epsilon: ArrayLike,
    *,
    width: int = 1,
    gamma: float = 1.0,
    gap: float = ENOUGH,
    report: Report = quiet,
) -> Counted:
    """Solve (P), or (P_w) of section 14, over count vectors.

    The requested epsilons are in nats, shape (k,).

    Parameters
    ----------
    width, gamma : every interaction of 2 to ``width`` attributes is at least gamma times as accurate as under Kronecker
    gap : tolerated distance from the certified bound in nats, if there are floors

    Raises
    ------
    InputError
        If there are more than ``MAX_COUNT_VECTORS`` count vectors, if the solver does not attain the epsilons, or if it leaves a
        gap above 0.01 nats at width 1.
    """
    vectors = count_of_vectors(sizes, epsilon)
    if vectors > MAX_COUNT_VECTORS:
        many = f"{vectors:,}" if vectors < 10**12 else "more than a trillion"
        raise InputError(
            f"These attributes are of too many kinds (numbers of categories and values of ε). They need {many} counts of "
            f"replaced answers, but at most {MAX_COUNT_VECTORS:,} are allowed. Give more attributes the same ε, or "
            "choose independent randomization."
        )
    grid = CountGrid(sizes, epsilon)
    floors = Interactions(grid, width, gamma) if width > 1 else None
    solution = solve_counts(grid, report=report) if floors is None else solve_guarded(floors, gap=gap, report=report)
    numbers = tuple(int(size) for size in sizes)
    counted = Counted(numbers, grid.kind, solution.log_gains, bound=solution.bound)
    _check_solved(counted, epsilon, guarded=floors is not None)
    if floors is not None:
        factors = floors.factors(counted._probabilities)
        if not (factors >= floors.gamma * floors.kronecker * (1 - _HELD) - _ROUNDING)[floors.wanted].all():
            raise InputError(UNSOLVED)
    return counted


def _check_solved(mechanism: Mechanism, epsilon: ArrayLike, *, guarded: bool) -> None:
    """Raise InputError where the solver missed the levels or, without floors, left too large a gap."""
    missed = np.abs(mechanism.epsilon - np.asarray(epsilon, dtype=np.float64)).max()
    if not (missed < _LEVEL_ERROR and (guarded or (mechanism.gap is not None and mechanism.gap <= _MAX_GAP))):
        raise InputError(UNSOLVED)


def _check(k: int, caps: Floats | None) -> None:
    if k > MAX_OPTIMAL_ATTRIBUTES:
        raise InputError(
            f"The lowest total ε can be found for at most {MAX_OPTIMAL_ATTRIBUTES} attributes, got {k}. Choose fewer."
        )
    if caps is not None and k > MAX_PROGRAMME_ATTRIBUTES:
        raise InputError(
            f"Caps on an attacker are possible for at most {MAX_PROGRAMME_ATTRIBUTES} attributes, got {k}. "
            "Choose fewer attributes."
        )


def symmetric_family(floors: Sequence[Floor], k: int) -> tuple[int, float] | None:
    """Return (w, gamma) if all sets of 2 to w of k attributes have floors at gamma.

    Return (1, 1.0) without floors, and None if the floors have another form.
    """
    if not floors:
        return 1, 1.0
    width, gamma = max(len(floor.axes) for floor in floors), floors[0].gamma
    alike = all(floor.gamma == gamma for floor in floors)
    number = sum(comb(k, size) for size in range(2, width + 1))
    whole = len(floors) == number and len({frozenset(floor.axes) for floor in floors}) == number
    return (width, gamma) if alike and whole else None


def listed_floors(grid: CountGrid, floors: Sequence[Floor]) -> Interactions:
    """Return the interactions of ``floors``.

    Each of their attributes must form its own kind in ``grid``.
    """
    gammas: dict[tuple[int, ...], float] = {}
    for floor in floors:
        counts = np.zeros(grid.numbers.size, dtype=np.int64)
        counts[grid.kind[list(floor.axes)]] = 1
        key = tuple(int(t) for t in counts)
        gammas[key] = max(floor.gamma, gammas.get(key, 0.0))
    return Interactions(grid, max(len(floor.axes) for floor in floors), gammas)
