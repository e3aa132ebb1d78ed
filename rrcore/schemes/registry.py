"""Every scheme of the papers and of this project, by the names files use: a mechanism, and a way to read its releases."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rrcore.arrays import Floats
from rrcore.budget import levels_for_total
from rrcore.errors import InputError
from rrcore.estimate import Release
from rrcore.mechanisms import Joint, Kronecker, Mechanism, build, recipe, safe_recipe_name, safe_recipe_width
from rrcore.mechanisms.blocks import Blocks
from rrcore.progress import Report, quiet
from rrcore.schemes import readers
from rrcore.schemes.readers import Reader

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


@dataclass(frozen=True)
class Scheme:
    """One scheme.

    Parameters
    ----------
    title : its name, the same everywhere
    summary : one line on what it does
    source : where it comes from
    mechanism : key of ``design``
    reader : makes the Reader of a release
    projected : whether its estimates are put back to probabilities (nearest in Euclidean distance) as part of the scheme
    """

    title: str
    summary: str
    source: str
    mechanism: str
    reader: Callable[[Release[Mechanism]], Reader]
    projected: bool = False


_CASTELL, _MULTI, _OURS = "Castell paper", "Multi-Dimensional RR paper", "this workbench"

SCHEMES: dict[str, Scheme] = {
    "rr-independent": Scheme(
        "RR-Independent",
        "Each answer on its own; the joint distribution is taken to be the product of the marginals.",
        _MULTI,
        "kronecker",
        readers.multiplied,
    ),
    "rr-ind-joint": Scheme(
        "RR-Ind-Joint",
        "Each answer on its own; the joint table is inverted axis by axis.",
        _CASTELL,
        "kronecker",
        readers.inverted,
    ),
    "naive": Scheme(
        "RR-Ind-Joint (naive)",
        "The same through the inverse of one big matrix; small tables only.",
        _CASTELL,
        "kronecker",
        readers.by_naive_matrix,
    ),
    "reduced": Scheme(
        "RR-Ind-Joint (reduced)",
        "The same through a product of small inverses; small tables only.",
        _CASTELL,
        "kronecker",
        readers.by_reduced_matrix,
    ),
    "hybrid-published": Scheme(
        "Hybrid, as published",
        "RR-Ind-Joint or RR-Independent, by printed bounds on their errors.",
        _CASTELL,
        "kronecker",
        readers.published_hybrid,
    ),
    "hybrid": Scheme(
        "Hybrid, by exact variance",
        "RR-Ind-Joint or RR-Independent, whichever is expected to be closer from exact variances.",
        _OURS,
        "kronecker",
        readers.hybrid,
    ),
    "blend": Scheme(
        "Blend",
        "A mean of RR-Ind-Joint and RR-Independent, weighted by their expected errors.",
        _OURS,
        "kronecker",
        readers.blended,
    ),
    "shrinkage": Scheme(
        "Shrinkage",
        "Each answer on its own; the whole table is read at once, drawn toward what smaller joint distributions say.",
        _OURS,
        "kronecker",
        readers.shrunk,
    ),
    "truncated": Scheme(
        "Truncated", "RR-Ind-Joint, no share above any of its marginals.", _CASTELL, "kronecker", readers.truncated
    ),
    "em": Scheme(
        "EM", "The likeliest distribution behind RR-Ind-Joint's release, by iteration.", _MULTI, "kronecker", readers.likeliest
    ),
    "adjustment": Scheme(
        "RR-Adjustment",
        "Released records weighted until they have RR-Independent's marginals.",
        _MULTI,
        "kronecker",
        readers.adjusted,
    ),
    "rr-clusters": Scheme(
        "RR-Clusters",
        "RR-Joint within clusters of dependent attributes; clusters taken as independent.",
        _MULTI,
        "clusters",
        readers.multiplied,
    ),
    "clusters-adjustment": Scheme(
        "RR-Clusters + Adjustment",
        "Released records weighted until they have RR-Clusters' marginals.",
        _MULTI,
        "clusters",
        readers.adjusted,
    ),
    "rr-joint": Scheme(
        "RR-Joint", "The whole record is kept, or all of it replaced; inverted.", _MULTI, "joint", readers.inverted
    ),
    "rr-joint-shrinkage": Scheme(
        "RR-Joint, shrunk", "RR-Joint; the whole table is read at once.", _OURS, "joint", readers.shrunk
    ),
    "pair-safe": Scheme(
        "Pair-safe",
        "The least total that keeps every pair; inverted and put back to probabilities.",
        _OURS,
        "pair-safe",
        readers.inverted,
        projected=True,
    ),
    "pair-safe-blend": Scheme(
        "Pair-safe, blended",
        "Pair-safe; a mean of inversion and independence, put back to probabilities.",
        _OURS,
        "pair-safe",
        readers.blended,
        projected=True,
    ),
    "pair-safe-shrinkage": Scheme(
        "Pair-safe, shrunk", "Pair-safe; the whole table is read at once.", _OURS, "pair-safe", readers.shrunk
    ),
    "pair-safe-em": Scheme(
        "Pair-safe, EM", "Pair-safe; the likeliest distribution behind its release.", _OURS, "pair-safe", readers.likeliest
    ),
}
"""Name on the command line and in files -> scheme; ``find_scheme`` also knows "3-safe", "3-safe-shrinkage", "optimal-shrinkage" and so on."""

_SAFE = re.compile(r"(optimal|[0-9]+-safe)(|-blend|-em|-shrinkage)")


def find_scheme(name: str) -> Scheme:
    """The scheme called ``name``: a key of ``SCHEMES``, or one of pair-safe's with another width. Raises InputError for an unknown name.

    Examples
    --------
    >>> find_scheme("4-safe-blend").title, find_scheme("optimal").mechanism
    ('4-safe, blended', 'optimal')
    """
    if name in SCHEMES:
        return SCHEMES[name]
    found = _SAFE.fullmatch(name)
    if found is None or (width := safe_recipe_width(found[1])) is None:
        raise InputError(f"There is no scheme '{name}': choose among {', '.join(SCHEMES)}, or 3-safe, 3-safe-blend and so on.")
    made, base = recipe(found[1]), SCHEMES[f"pair-safe{found[2]}"]
    kept = "for these levels" if width == 1 else f"that keeps joint distributions of up to {width} attributes"
    title, summary = (
        text.replace("Pair-safe", made.title) for text in (base.title, base.summary.replace("that keeps every pair", kept))
    )
    return replace(base, title=title, summary=summary, mechanism=found[1])


def schemes_of_width(schemes: Sequence[str], width: int) -> tuple[str, ...]:
    """``schemes`` with pair-safe's replaced by those that are safe for joint distributions of up to ``width`` attributes.

    Examples
    --------
    >>> schemes_of_width(("blend", "pair-safe-em"), 3)
    ('blend', '3-safe-em')
    """
    return tuple(name.replace("pair-safe", safe_recipe_name(width), 1) for name in schemes)


DEFAULT_SCHEMES = ("rr-independent", "rr-ind-joint", "blend", "shrinkage", "pair-safe-shrinkage")
"""What a first comparison shows."""
