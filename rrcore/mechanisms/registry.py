"""The mechanisms, by the names the command line and the files use. Each is built from sizes and requested levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rrcore.channel.levels import check_levels
from rrcore.errors import InputError
from rrcore.limits import MAX_COLUMNS, MAX_PROGRAMME_ATTRIBUTES
from rrcore.mechanisms.base import Floats, Mechanism
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.mechanisms.joint import Joint
from rrcore.mechanisms.kronecker import Kronecker
from rrcore.mechanisms.least import least_total, pair_safe
from rrcore.mechanisms.optimal import Optimal
from rrcore.mechanisms.published import Published
from rrcore.mechanisms.solve.programme import Floor
from rrcore.progress import Report, quiet
from rrcore.wording import total

__all__ = ["MECHANISMS", "Recipe", "Safeguards", "build", "safeguarded"]


@dataclass(frozen=True)
class Safeguards:
    """What the optimum must keep beside the levels (theory.md section 5).

    Parameters
    ----------
    floor : float or None
        Accuracy of ``marginals`` as a multiple gamma of Kronecker's: mu_T >= floor * prod r_i; None for no floor.
    marginals : tuple of tuples of positions
        The interactions T that the floor is for; empty for all pairs.
    slacks : tuple of k floats or None
        How far the leakage of each attribute may be above its level, in nats; infinite where it does not matter.
    """

    floor: float | None = None
    marginals: tuple[tuple[int, ...], ...] = ()
    slacks: tuple[float, ...] | None = None

    def floors(self, k: int) -> list[Floor]:
        """One floor an interaction."""
        if self.floor is None:
            return []
        return [Floor(axes, self.floor) for axes in self.marginals or combinations(range(k), 2)]

    def caps(self, levels: Floats) -> Floats | None:
        """Largest leakage of each attribute, in nats, shape (k,)."""
        if self.slacks is None or np.isinf(self.slacks).all():
            return None
        return np.asarray(levels + np.asarray(self.slacks, dtype=np.float64))


@dataclass(frozen=True)
class Recipe:
    """One mechanism: its name on a page, the same everywhere, one line on what it does, and how it is made.

    ``make(sizes, levels, report=report)`` returns the mechanism or raises InputError.
    """

    title: str
    summary: str
    make: Callable[..., Mechanism]


def _instant(from_levels: Callable[[Sequence[int], Floats], Mechanism]) -> Callable[..., Mechanism]:
    """A builder that needs no time, so has nothing to report."""

    def make(sizes: Sequence[int], levels: Floats, *, report: Report) -> Mechanism:
        return from_levels(sizes, levels)

    return make


def _closed_form(sizes: Sequence[int], levels: Floats) -> Mechanism:
    mechanism = ClosedForm.from_levels(sizes, levels)
    if mechanism.total_level > levels.sum() + 1e-9:
        raise InputError(
            f"The closed form would cost {total(mechanism.total_level)} nats here, more than Kronecker's {total(levels.sum())}: "
            "choose the optimum or Kronecker."
        )
    return mechanism


MECHANISMS: dict[str, Recipe] = {
    "kronecker": Recipe("Kronecker", "Every answer is randomised on its own.", _instant(Kronecker.from_levels)),
    "pair-safe": Recipe(
        "Pair-safe", "The least total that keeps every pair of attributes at least as accurate as Kronecker does.", pair_safe
    ),
    "optimal": Recipe("Optimum", "The least total for these levels; what attributes have in common may be lost.", least_total),
    "closed-form": Recipe(
        "Closed form", "At most one lie on purpose, else a uniform record; for strong budgets.", _instant(_closed_form)
    ),
    "joint": Recipe("RR-Joint", "The whole record is kept, or all of it replaced.", _instant(Joint.from_levels)),
    "published": Recipe(
        "Published heuristic",
        "Algorithm 3 of Yamamoto and Shibuya's paper as printed; it may exceed the levels asked.",
        _instant(Published.from_levels),
    ),
}
"""Name on the command line and in files -> recipe."""


def safeguarded(sizes: Sequence[int], levels: Floats, safeguards: Safeguards, *, report: Report = quiet) -> Mechanism:
    """The least total that also keeps ``safeguards``. Raises InputError where no mechanism can."""
    caps, floors = safeguards.caps(levels), safeguards.floors(len(sizes))
    if caps is None and not floors:
        return least_total(sizes, levels, report=report)
    if caps is None and not safeguards.marginals and len(sizes) > MAX_PROGRAMME_ATTRIBUTES:
        return pair_safe(sizes, levels, floor=floors[0].gamma, report=report)
    try:
        return Optimal.from_levels(sizes, levels, floors=floors, caps=caps, report=report)
    except InputError:
        if len(sizes) > MAX_PROGRAMME_ATTRIBUTES or any(floor.gamma > 1 for floor in floors):
            raise
        return Kronecker.from_levels(sizes, levels)  # which keeps every cap, and every floor up to its own accuracy


def build(
    name: str,
    sizes: Sequence[int],
    levels: Sequence[object] | ArrayLike,
    *,
    names: Sequence[str] = (),
    report: Report = quiet,
) -> Mechanism:
    """The mechanism called ``name`` for the requested levels.

    Parameters
    ----------
    name : a key of ``MECHANISMS``
    sizes : k ints >= 2
    levels : k numbers in nats
    names : k attribute names for the messages; "attribute 1", ... if left out
    report : called now and then by the mechanisms that take time

    Raises
    ------
    InputError
        For an unknown name, a bad level, or levels that the mechanism cannot meet.
    """
    if name not in MECHANISMS:
        raise InputError(f"There is no mechanism '{name}': choose among {', '.join(MECHANISMS)}.")
    if len(sizes) > MAX_COLUMNS:
        raise InputError(f"There are {len(sizes):,} attributes: use at most {MAX_COLUMNS:,}.")
    checked = check_levels(levels, list(names) or [f"attribute {i}" for i in range(1, len(sizes) + 1)])
    return MECHANISMS[name].make(tuple(int(a) for a in sizes), checked, report=report)
