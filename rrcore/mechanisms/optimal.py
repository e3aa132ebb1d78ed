"""The mechanism of least record-level budget, with a certified lower bound, for as many attributes as 2^k lie sets allow (section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.channel.factors import outer
from rrcore.channel.levels import lie_from_level, retention_from_level
from rrcore.channel.liesets import LieSets
from rrcore.errors import InputError
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES, MAX_PROGRAMME_ATTRIBUTES
from rrcore.mechanisms.solve.banded import ENOUGH, solve_at_once, solve_banded, symmetric_family
from rrcore.mechanisms.solve.countgrid import hold_levels
from rrcore.mechanisms.solve.programme import UNSOLVED, Floor, InfeasibleError, Programme
from rrcore.mechanisms.tabulated import Tabulated, hold_caps
from rrcore.progress import Report, quiet

_LEVEL_ERROR = 1e-6  # most, in nats, by which an achieved level may stay below the requested one
_MAX_GAP = 0.01  # largest gap, in nats, with which a result is given out at all, its gap shown
_SHRINK = 1e-12  # relative margin by which lies are more frequent than requested, so that no level is exceeded by rounding
_ROUNDING = 1e-15  # of a mu_T added up from the probabilities of all lie sets
_HELD = 1e-9  # rounding allowed when floors (relative) and caps (nats) are checked on the finished mechanism


@dataclass(frozen=True, eq=False)
class Optimal(Tabulated):
    """The mechanism of least record-level budget among all with the requested levels, and with the floors and caps if any.

    Where several cost the same and no floors are to be kept, the one whose pairs survive best on the whole: the largest sum of
    mu_ij / (r_i r_j), as far as the solver looks (everywhere up to 12 attributes).

    Parameters
    ----------
    sizes, lie_sets : as in ``Tabulated``
    """

    @property
    def method(self) -> str:
        return f"solved exactly, over all {2**self.k:,} sets of lies"

    @classmethod
    def from_levels(
        cls,
        sizes: Sequence[int],
        levels: ArrayLike,
        *,
        floors: Sequence[Floor] = (),
        caps: ArrayLike | None = None,
        width: int = 1,
        gamma: float = 1.0,
        gap: float = ENOUGH,
        report: Report = quiet,
    ) -> Optimal:
        """Solve (P), or (P_w) of section 14, for the requested levels (nats, shape (k,)).

        Parameters
        ----------
        floors : Floor, any number, on positions of attributes
        width, gamma : the floor gamma for all sets of 2 to ``width`` attributes, in place of ``floors``
        gap : nats above the certified bound that will do where floors are solved for without caps
        caps : k floats, nats, optional: largest leakage of each attribute, at least its level; infinite where there is none

        Raises
        ------
        InputError
            With too many attributes, with floors and caps that cannot be kept (the sentence says what could be), or where
            the solver misses the levels or, without floors, leaves a gap above ``_MAX_GAP`` (possible at levels above about 10 nats).
        """
        eps, a = np.asarray(levels, dtype=np.float64), np.asarray(sizes)
        limits = None if caps is None or np.isinf(caps).all() else np.asarray(caps, dtype=np.float64)
        _check(len(a), limits)
        family = symmetric_family(floors, len(a))
        if family is not None and width == 1:
            width, gamma, floors = family[0], family[1], () if limits is None else floors
        width = min(width, len(a))
        if limits is not None and width > 1 and not floors:
            floors = [Floor(axes, gamma) for w in range(2, width + 1) for axes in combinations(range(len(a)), w)]
        order = np.lexsort((eps, a))  # one order, so that that of the columns does not matter
        place = np.argsort(order)
        moved = [Floor(tuple(int(place[i]) for i in floor.axes), floor.gamma) for floor in floors]
        held = None if limits is None else limits[order]
        q, bound = _solve(tuple(a[order]), eps[order], moved, (width, gamma), held, gap, report)
        q = q.transpose(place)
        lies = lie_from_level(eps, sizes)
        q = hold_levels(q if limits is None else hold_caps(q, sizes, limits), sizes, lies * (1 + _SHRINK))
        numbers = tuple(int(size) for size in a)
        optimum = cls(numbers, LieSets(numbers, q), bound=bound)
        most = np.inf if floors or width > 1 else _MAX_GAP
        solved = (np.abs(optimum.levels - eps) < _LEVEL_ERROR).all() and optimum.total_level - bound <= most
        if not solved or not optimum._keeps(retention_from_level(eps, sizes), floors, limits, width, gamma):
            raise InputError(UNSOLVED)
        return optimum

    def _keeps(self, kept: Floats, floors: Sequence[Floor], caps: Floats | None, width: int, gamma: float) -> bool:
        """Whether this very mechanism, not only the solver's output, keeps floors and caps, ``kept`` being the r_i."""
        if width > 1:
            wanted, members = outer([np.array([1.0, r]) for r in kept]), outer([np.arange(2.0)] * self.k, np.add)
            safe = (self.lie_sets.factors >= gamma * wanted * (1 - _HELD) - _ROUNDING) | (members < 2) | (members > width)
            if not safe.all():
                return False
        met = all(self.factor(f.axes) >= f.gamma * kept[list(f.axes)].prod() * (1 - _HELD) for f in floors)
        return met and (caps is None or bool((self.leakage <= caps + _HELD).all()))


def _solve(
    sizes: tuple[int, ...],
    levels: Floats,
    floors: Sequence[Floor],
    family: tuple[int, float],
    caps: Floats | None,
    gap: float,
    report: Report,
) -> tuple[Floats, float]:
    """q over all lie sets and the certified lower bound: by the way that fits, else from the whole programme."""
    (width, gamma), k = family, len(sizes)
    guarded = bool(floors) or width > 1
    lenient = caps is None and all(each <= 1 for each in (gamma, *(floor.gamma for floor in floors)))
    if k > MAX_PROGRAMME_ATTRIBUTES or (guarded and lenient):
        return solve_banded(sizes, levels, floors=floors, width=width, gamma=gamma, gap=gap, report=report)
    found = None if guarded or caps is not None else solve_at_once(sizes, levels, report=report)
    if found is not None:
        return found
    every = floors or [Floor(axes, gamma) for w in range(2, width + 1) for axes in combinations(range(k), w)]
    programme = Programme(sizes, levels, floors=every, caps=caps)
    try:
        return programme.solve(report=report)
    except InfeasibleError:
        raise InputError(_impossible(programme)) from None


def _check(k: int, caps: Floats | None) -> None:
    if k > MAX_OPTIMAL_ATTRIBUTES:
        raise InputError(f"The optimum takes at most {MAX_OPTIMAL_ATTRIBUTES} attributes and there are {k}: choose fewer.")
    if caps is not None and k > MAX_PROGRAMME_ATTRIBUTES:
        raise InputError(f"Leakage caps are kept for at most {MAX_PROGRAMME_ATTRIBUTES} attributes and there are {k}.")


def _impossible(programme: Programme) -> str:
    """The sentence for floors and caps that no mechanism keeps."""
    if not programme.floors:
        return UNSOLVED
    share = programme.largest_share()
    gamma = max(floor.gamma for floor in programme.floors)
    together = " together with these leakage caps" if programme.caps is not None else ""
    return (
        f"An accuracy floor of {gamma:g} times Kronecker's cannot be kept at these levels{together}: the largest possible is "
        f"{np.floor(share * gamma * 1000) / 1000:g}. Choose a floor below it, or raise the levels."
    )
