"""Methods of the papers and of RR Workbench, by their names in files.

Each method combines a mechanism and an estimator.

An estimator is created once for a release and then returns any number of joint distributions.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rrcore.arrays import Codes, Floats, cell_numbers, check_cells
from rrcore.budget import build, epsilon_for_total, preserved_width, recipe
from rrcore.errors import InputError
from rrcore.estimate import Release, clip_and_rescale, estimated_blend, independent_shares, maximum_likelihood
from rrcore.limits import MAX_EM_CELLS
from rrcore.mechanisms import Joint, Kronecker, Mechanism
from rrcore.mechanisms.blocks import Blocks
from rrcore.papers.printed_formulas import published_choice, published_truncation
from rrcore.progress import Report, quiet

Reader = Callable[[tuple[int, ...]], Floats]
"""Positions of w attributes -> estimated shares of their joint distribution, with axes in that order."""

Spend = Literal["total", "epsilon"]

SPENDS: dict[Spend, str] = {"total": "ε of the whole record", "epsilon": "ε per answer"}
"""Quantity that is equal for all methods -> its name."""

# RR-Adjustment stops when a round moves no marginal share by more than this
_TOLERANCE = 1e-9


def adjust(
    codes: Codes, sizes: Sequence[int], groups: Sequence[Sequence[int]], targets: Sequence[Floats], *, most: int = 500
) -> Floats:
    """Weight released records so that their marginals are the targets.

    See Multi-Dimensional RR, Algorithm 2.

    Return weights of shape (n,), non-negative with sum 1. This is iterative proportional fitting of the released table, without
    building that table.

    Parameters
    ----------
    codes : ndarray of shape (n, k)
        Released codes.
    sizes : sequence of int
        Numbers of categories.
    groups : sequence of sequences of int
        Positions of the attributes of each group: single attributes, or clusters.
    targets : sequence of ndarrays
        Estimated shares of each group, non-negative with sum 1.
    most : int
        Most rounds.
    """
    numbers = [cell_numbers(codes[:, list(group)], [sizes[i] for i in group]) for group in groups]
    pairs = [(number, target.ravel()) for number, target in zip(numbers, targets, strict=True)]
    weights, before = np.full(len(codes), 1 / len(codes)), math.inf
    for _ in range(most):
        mismatch = 0.0
        for number, goal in pairs:
            present = np.bincount(number, weights=weights, minlength=goal.size)
            mismatch = max(mismatch, float(np.abs(present - goal).max()))
            weights = weights * np.divide(goal, present, out=np.zeros_like(goal), where=present > 0)[number]
            weights = weights / weights.sum()
        if mismatch <= _TOLERANCE or abs(before - mismatch) <= _TOLERANCE / 100:
            break
        before = mismatch
    return weights


def _counts(release: Release[Mechanism], axes: Sequence[int]) -> Floats:
    return np.asarray(release.counts([release.dataset.schema.names[i] for i in axes]), dtype=np.float64)


def inverted(release: Release[Mechanism]) -> Reader:
    """Invert the channel without bias.

    The method is castell for RR-Ind-Joint and the spectral inversion for other mechanisms.
    """
    names = release.dataset.schema.names
    return lambda axes: release.estimate([names[i] for i in axes]).shares


def multiplied(release: Release[Mechanism]) -> Reader:
    """Multiply inverted marginals of single attributes.

    If the mechanism has clusters, the marginals of these are multiplied.
    """
    single = inverted(release)

    def read(axes: tuple[int, ...]) -> Floats:
        check_cells([release.dataset.schema.sizes[i] for i in axes])
        groups = [tuple(i for i in axes if i in block) for block in release.mechanism.clusters]
        asked = [group for group in groups if group]
        return independent_shares([single(group) for group in asked], [[axes.index(i) for i in group] for group in asked])

    return read


def hybrid(release: Release[Mechanism]) -> Reader:
    """Invert, or multiply marginals, depending on the expected error.

    Inversion is used if its exact variance is below the error of independence.
    """
    joint, product = inverted(release), multiplied(release)

    def read(axes: tuple[int, ...]) -> Floats:
        channel, n = release.mechanism.channel(axes), release.n
        return (joint if estimated_blend(_counts(release, axes) / n, channel, n).pays else product)(axes)

    return read


def shrunk(release: Release[Mechanism]) -> Reader:
    """Shrink each joint distribution toward smaller ones (theory.md section 25)."""
    return release.shrinkage.shares


def published_hybrid(release: Release[Mechanism]) -> Reader:
    """Invert or multiply marginals, by the bounds printed in Castell, appendix C."""
    joint, product = inverted(release), multiplied(release)
    sizes, epsilon, n = release.dataset.schema.sizes, release.mechanism.epsilon, release.n

    def read(axes: tuple[int, ...]) -> Floats:
        invert = published_choice([sizes[i] for i in axes], epsilon[list(axes)].tolist(), n)
        return (joint if invert else product)(axes)

    return read


def truncated(release: Release[Mechanism]) -> Reader:
    """Invert and truncate at 0 and at the inverted marginals of one attribute less."""
    return lambda axes: published_truncation(_counts(release, axes) / release.n, release.mechanism.channel(axes))


def likeliest(release: Release[Mechanism]) -> Reader:
    """Estimate joint distributions with EM."""

    def read(axes: tuple[int, ...]) -> Floats:
        counts = _counts(release, axes)
        if counts.size > MAX_EM_CELLS:
            raise InputError(f"EM can process at most {MAX_EM_CELLS:,} cells, got {counts.size:,}. Choose fewer attributes.")
        return maximum_likelihood(counts / release.n, release.mechanism.channel(axes)).shares

    return read


def adjusted(release: Release[Mechanism]) -> Reader:
    """Weight the records by RR-Adjustment, after RR-Independent or RR-Clusters."""
    groups, single = release.mechanism.clusters, inverted(release)
    codes, every = release.dataset.codes, release.dataset.schema.sizes
    weights = adjust(codes, every, groups, [clip_and_rescale(single(group)) for group in groups])

    def read(axes: tuple[int, ...]) -> Floats:
        sizes = [every[i] for i in axes]
        check_cells(sizes)
        shares = np.bincount(cell_numbers(codes[:, list(axes)], sizes), weights, math.prod(sizes))
        return np.asarray(shares, dtype=np.float64).reshape(sizes)

    return read


def design(
    key: str,
    sizes: Sequence[int],
    epsilon: Floats,
    *,
    spend: Spend = "total",
    clusters: Sequence[Sequence[int]] = (),
    report: Report = quiet,
) -> Mechanism:
    """Make the mechanism of a method.

    Parameters
    ----------
    key : str
        "independent", "joint", "clusters", "optimal" or "preserving-2" and so on.
    sizes : sequence of int
        Numbers of categories.
    epsilon : ndarray of shape (k,)
        ε of each attribute.
    spend : {"total", "epsilon"}
        With "total", the ε of the record is the sum of ``epsilon``, and the ε of the attributes keep their proportions. With
        "epsilon", no attribute exceeds its ε, and the ε of the record differ between mechanisms.
    clusters : sequence of sequences of int
        Partition of the attributes, for "clusters". By default each attribute is a cluster.
    report : callable
        Called with the progress.

    Raises
    ------
    InputError
        If no such mechanism exists.
    """
    whole = float(epsilon.sum())
    if key == "independent":
        return Kronecker.from_epsilon(sizes, epsilon)
    if key == "joint":
        return Joint.from_total(sizes, whole) if spend == "total" else Joint.from_epsilon(sizes, epsilon)
    if key == "clusters":
        members = tuple(tuple(block) for block in clusters) or tuple((i,) for i in range(len(sizes)))
        if spend == "total":
            return Blocks.rr_clusters(sizes, epsilon, members)
        parts = tuple(Joint.from_epsilon([sizes[i] for i in block], epsilon[list(block)]) for block in members)
        return Blocks(tuple(sizes), parts, members)
    if spend == "total":
        return epsilon_for_total(sizes, whole, epsilon / epsilon.mean(), mechanism=key, report=report).mechanism
    return build(key, sizes, epsilon, report=report)


@dataclass(frozen=True)
class Scheme:
    """A method: a mechanism and an estimator.

    Parameters
    ----------
    title : str
        Its name.
    paper : str
        Where it is published.
    mechanism : str
        A key of ``design``.
    reader : callable
        Makes the estimator of a release.
    projected : bool
        If True, the method replaces estimates by the nearest probabilities.
    """

    title: str
    paper: str
    mechanism: str
    reader: Callable[[Release[Mechanism]], Reader]
    projected: bool = False


_CASTELL, _MULTI, _OPTIMIZED, _OURS = "Castell", "Multi-Dimensional RR", "Privacy-Optimized RR", "RR Workbench"

SCHEMES: dict[str, Scheme] = {
    "rr-independent": Scheme("RR-Independent", _MULTI, "independent", multiplied),
    "rr-ind-joint": Scheme("RR-Ind-Joint", _CASTELL, "independent", inverted),
    "hybrid-published": Scheme("Hybrid as published", _CASTELL, "independent", published_hybrid),
    "hybrid": Scheme("Hybrid by exact variance", _OURS, "independent", hybrid),
    "truncated": Scheme("Truncated", _CASTELL, "independent", truncated),
    "em": Scheme("EM", _MULTI, "independent", likeliest),
    "shrinkage": Scheme("Independent with shrinkage", _OURS, "independent", shrunk),
    "adjustment": Scheme("RR-Adjustment", _MULTI, "independent", adjusted),
    "rr-clusters": Scheme("RR-Clusters", _MULTI, "clusters", multiplied),
    "clusters-adjustment": Scheme("RR-Clusters + Adjustment", _MULTI, "clusters", adjusted),
    "rr-joint": Scheme("RR-Joint", _MULTI, "joint", inverted),
}
"""Name in files and commands -> method. ``find_scheme`` also knows optimized mechanisms, such as "preserving-3-em"."""

_ESTIMATORS = {"": ("inversion", inverted), "-em": ("EM", likeliest), "-shrinkage": ("shrinkage", shrunk)}
OPTIMIZED = tuple(f"{key}{end}" for key in ("preserving-2", "optimal") for end in _ESTIMATORS)
"""Names of optimized mechanisms with each estimator."""


def find_scheme(name: str) -> Scheme:
    """Return the method called ``name``.

    Examples
    --------
    >>> find_scheme("truncated").paper, find_scheme("preserving-4-shrinkage").mechanism
    ('Castell', 'preserving-4')
    """
    if name in SCHEMES:
        return SCHEMES[name]
    key, end = next(((name.removesuffix(end), end) for end in _ESTIMATORS if end and name.endswith(end)), (name, ""))
    if preserved_width(key) is None:
        raise InputError(
            f"There is no method '{name}'. Choose one of {', '.join((*SCHEMES, *OPTIMIZED))}, or preserving-w, such as "
            "preserving-3."
        )
    title, reader = _ESTIMATORS[end]
    return Scheme(f"{recipe(key).title} with {title}", _OPTIMIZED, key, reader, projected=not end)


GROUPS: dict[str, tuple[str, ...]] = {
    "One of each kind": ("rr-independent", "rr-ind-joint", "adjustment", "rr-clusters", "preserving-2-shrinkage"),
    "Castell": ("rr-independent", "rr-ind-joint", "hybrid-published", "hybrid", "truncated"),
    "Multi-Dimensional RR": ("rr-independent", "adjustment", "rr-clusters", "clusters-adjustment", "rr-joint"),
    "Privacy-Optimized RR": ("rr-ind-joint", "preserving-2", "optimal", "rr-joint"),
    "Estimators": ("rr-ind-joint", "em", "shrinkage", "preserving-2", "preserving-2-em", "preserving-2-shrinkage"),
}
"""Name on a page -> methods to compare."""

DEFAULT_SCHEMES = GROUPS["One of each kind"]
"""The methods of a first comparison."""
