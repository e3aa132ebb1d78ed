"""Safeguards: accuracy floors and leakage caps that the optimum keeps beside its levels (theory.md section 5)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError, check_positions
from rrcore.limits import (
    MAX_FLOOR,
    MAX_OPTIMAL_ATTRIBUTES,
    MAX_PROGRAMME_ATTRIBUTES,
    MAX_QUESTIONS,
    MAX_SLACK,
    MIN_FLOOR,
)
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.closed_form import Kronecker
from rrcore.mechanisms.least import GAPS, Closeness, least_total, safe
from rrcore.mechanisms.optimal import Optimal
from rrcore.mechanisms.solve.programme import Floor
from rrcore.progress import Report, quiet


@dataclass(frozen=True)
class Safeguards:
    """What the optimum must keep beside the levels (theory.md section 5).

    Parameters
    ----------
    floor : float or None, the accuracy of ``marginals`` as a multiple gamma of Kronecker's: mu_T >= floor * prod r_i; None for no floor
    marginals : tuple of tuples of positions, the interactions T that the floor is for; empty for all pairs
    slacks : tuple of k floats or None
        How far the leakage of each attribute may be above its level, in nats; infinite where it does not matter.

    Examples
    --------
    Every pair as accurate as Kronecker's, and leakage at most half a nat above the levels:

    >>> import rrcore as rr
    >>> kept = rr.Safeguards(floor=1.0, slacks=(0.5, 0.5, 0.5))
    >>> schema = rr.Schema(tuple(rr.Attribute(name, ("no", "yes")) for name in "abc"))
    >>> mechanism = rr.Plan.for_levels(schema, 1.0, safeguards=kept, respondents=1000).build()
    >>> bool((mechanism.leakage <= 1.5 + 1e-9).all()), mechanism.total_level < 3
    (True, True)
    """

    floor: float | None = None
    marginals: tuple[tuple[int, ...], ...] = ()
    slacks: tuple[float, ...] | None = None

    def check(self, names: Sequence[str]) -> None:
        """Raise InputError where a floor or a slack is out of its range, for attributes called ``names``."""
        floor = 1.0 if self.floor is None else self.floor
        if not floor > 0:
            raise InputError(f"The accuracy floor is {floor:g}: give a positive number, for example 1.")
        if not MIN_FLOOR <= floor <= MAX_FLOOR:
            raise InputError(
                f"The accuracy floor is {floor:g}: give a number from {MIN_FLOOR:g} to {MAX_FLOOR:g}, for example 1."
            )
        if any(len(axes) < 2 for axes in self.marginals):
            raise InputError("An accuracy floor is asked for fewer than two attributes: give it pairs or larger combinations.")
        if len(self.marginals) > MAX_QUESTIONS:
            raise InputError(f"An accuracy floor is asked for more than {MAX_QUESTIONS:,} combinations: choose fewer.")
        check_positions(self.marginals, len(names), "An accuracy floor")
        if self.slacks is not None and len(self.slacks) != len(names):
            raise InputError(f"There are {len(self.slacks)} leakage slacks for {len(names)} attributes: give one for each.")
        for name, slack in zip(names, self.slacks, strict=True) if self.slacks is not None else ():
            if not slack >= 0:
                raise InputError(
                    f"The leakage slack of '{name}' is {slack:g}: give 0 or a positive number of nats, for example 1."
                )
            if MAX_SLACK < slack < math.inf:
                raise InputError(f"The leakage slack of '{name}' is {slack:g}: give at most {MAX_SLACK:g}, or none at all.")

    def floors(self, k: int) -> list[Floor]:
        """One floor per interaction."""
        if self.floor is None:
            return []
        return [Floor(axes, self.floor) for axes in self.marginals or combinations(range(k), 2)]

    def caps(self, levels: Floats) -> Floats | None:
        """Largest leakage of each attribute, in nats, shape (k,)."""
        if self.slacks is None or np.isinf(self.slacks).all():
            return None
        return np.asarray(levels + np.asarray(self.slacks, dtype=np.float64))


def safeguarded(
    sizes: Sequence[int], levels: Floats, safeguards: Safeguards, *, closeness: Closeness = "full", report: Report = quiet
) -> Mechanism:
    """The least total that also keeps ``safeguards``; ``closeness`` as in ``safe``.

    Where the programme with caps gives up, Kronecker keeps every cap and every floor up to its own accuracy; ``tried`` and ``method``
    of what is returned then say so.

    Raises
    ------
    InputError
        Where no mechanism can keep them, or none that can be solved does.
    """
    caps, floors = safeguards.caps(levels), safeguards.floors(len(sizes))
    if caps is None and not floors:
        return least_total(sizes, levels, report=report)
    if caps is None and not safeguards.marginals:
        return safe(sizes, levels, width=2, floor=floors[0].gamma, closeness=closeness, report=report)
    try:
        return Optimal.from_levels(sizes, levels, floors=floors, caps=caps, gap=GAPS[closeness] / 2, report=report)
    except InputError as error:
        most = MAX_OPTIMAL_ATTRIBUTES if caps is None else MAX_PROGRAMME_ATTRIBUTES
        if len(sizes) > most or any(floor.gamma > 1 for floor in floors):
            raise
        bound = least_total(sizes, levels, report=report).lower_bound
        return replace(Kronecker.from_levels(sizes, levels), bound=bound, tried=(f"The whole programme: refused. {error}",))
