"""The mechanisms, by the names the command line uses. Each is built from sizes and requested levels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numpy.typing import ArrayLike

from rrcore.errors import InputError
from rrcore.levels import check_levels
from rrcore.limits import MAX_COLUMNS
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.closed_form import ClosedForm
from rrcore.mechanisms.joint import Joint
from rrcore.mechanisms.kronecker import Kronecker
from rrcore.mechanisms.optimal import Optimal, dual_bound

__all__ = ["MECHANISMS", "ClosedForm", "Joint", "Kronecker", "Mechanism", "Optimal", "build", "dual_bound"]

MECHANISMS: dict[str, type[Kronecker] | type[Joint] | type[ClosedForm] | type[Optimal]] = {
    "kronecker": Kronecker,
    "joint": Joint,
    "closed-form": ClosedForm,
    "optimal": Optimal,
}
"""Name on the command line and in files -> mechanism."""


def build(name: str, sizes: Sequence[int], levels: Sequence[object] | ArrayLike, *, names: Sequence[str] = ()) -> Mechanism:
    """The mechanism called ``name`` for the requested levels.

    Parameters
    ----------
    name : a key of ``MECHANISMS``
    sizes : k ints >= 2
    levels : k numbers in nats
    names : k attribute names for the messages; "attribute 1", ... if left out

    Raises
    ------
    InputError
        For an unknown name, a bad level, or levels the mechanism cannot meet.
    """
    if name not in MECHANISMS:
        raise InputError(f"There is no mechanism '{name}': choose among {', '.join(MECHANISMS)}.")
    if len(sizes) > MAX_COLUMNS:
        raise InputError(f"There are {len(sizes):,} attributes: use at most {MAX_COLUMNS:,}.")
    checked = check_levels(levels, list(names) or [f"attribute {i}" for i in range(1, len(sizes) + 1)])
    builder: Callable[..., Mechanism] = MECHANISMS[name].from_levels
    return builder(tuple(int(a) for a in sizes), checked)
