"""The mechanisms that schemes are compared on: at the same levels, or with the same total for the whole record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rrcore.arrays import Floats
from rrcore.budget import levels_for_total
from rrcore.mechanisms import Joint, Kronecker, Mechanism, build
from rrcore.mechanisms.blocks import Blocks
from rrcore.work import Report, quiet

Spend = Literal["total", "levels"]

SPENDS: dict[Spend, str] = {
    "total": "the same total: every scheme may spend what Kronecker costs at these levels",
    "levels": "the same levels: no answer may give away more than its level",
}
"""What is held equal -> how that is said."""


def design(
    key: str,
    sizes: Sequence[int],
    levels: Floats,
    *,
    spend: Spend = "total",
    clusters: Sequence[Sequence[int]] = (),
    report: Report = quiet,
) -> Mechanism:
    """The mechanism of a scheme.

    Parameters
    ----------
    key : "kronecker", "pair-safe", "joint" or "clusters"
    sizes : k ints
    levels : ndarray of shape (k,), nats
    spend : what is held equal. "total": the record costs the sum of the levels, and what single answers give away may differ from
        their levels (pair-safe: levels in the same proportions). "levels": no level is exceeded, and totals differ.
    clusters : partition of the attributes, for "clusters"; every attribute on its own if empty

    Raises
    ------
    InputError
        Where no such mechanism exists.
    """
    whole = float(levels.sum())
    if key == "kronecker":
        return Kronecker.from_levels(sizes, levels)
    if key == "joint":
        return Joint.from_total(sizes, whole) if spend == "total" else Joint.from_levels(sizes, levels)
    if key == "clusters":
        members = tuple(tuple(block) for block in clusters) or tuple((i,) for i in range(len(sizes)))
        if spend == "total":
            return Blocks.rr_clusters(sizes, levels, members)
        parts = tuple(Joint.from_levels([sizes[i] for i in block], levels[list(block)]) for block in members)
        return Blocks(tuple(sizes), parts, members)
    if spend == "total":
        return levels_for_total(sizes, whole, levels / levels.mean(), mechanism=key, report=report).mechanism
    return build(key, sizes, levels, report=report)
