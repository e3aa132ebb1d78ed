"""Why one scheme is closer than another: noise against blindness, and what can be said of errors beforehand."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats, count_cells
from rrcore.estimate import (
    cell_variance,
    expected_error,
    independent_shares,
    published_absolute_error,
    published_independent_bound,
    published_joint_bound,
    published_relative_error,
)
from rrcore.mechanisms import Kronecker, Mechanism
from rrcore.progress import Report, quiet
from rrcore.table.dataset import Dataset


@dataclass(frozen=True)
class Reason:
    """What inversion and independence are off by on one joint distribution of a table: roots of sums of squares over its cells.

    Parameters
    ----------
    noise : of inversion, on average over releases (theory.md section 7); infinite where the mechanism erases an interaction
    blindness : of the product of the true marginals, which no number of people removes
    """

    noise: float
    blindness: float


def reason(dataset: Dataset, mechanism: Mechanism, axes: Sequence[int], *, n: int | None = None) -> Reason:
    """Noise and blindness on the joint distribution of the attributes at ``axes``, exactly, from the true table.

    Parameters
    ----------
    n : number of people, those of the table by default
    """
    sizes = [dataset.schema.sizes[i] for i in axes]
    truth = count_cells(dataset.codes[:, list(axes)], sizes) / dataset.n
    singles = [truth.sum(axis=tuple(j for j in range(len(sizes)) if j != i)) for i in range(len(sizes))]
    blindness = float(np.sqrt(np.square(truth - independent_shares(singles, [(i,) for i in range(len(sizes))])).sum()))
    channel = mechanism.marginal_channel(axes)
    if channel.lost():
        return Reason(np.inf, blindness)
    variance = cell_variance(channel.push(truth), truth, channel, n or dataset.n, population=False)
    return Reason(float(np.sqrt(variance.sum())), blindness)


def mean_reasons(
    dataset: Dataset,
    mechanisms: Mapping[str, Mechanism],
    sets: Sequence[tuple[int, ...]],
    *,
    n: int | None = None,
    report: Report = quiet,
) -> dict[int, dict[str, Reason]]:
    """Number of attributes -> name of the mechanism -> mean of ``reason`` over those of the ``sets`` with so many attributes."""
    found: dict[int, dict[str, Reason]] = {}
    groups = _by_ways(sets)
    for done, (ways, mine) in enumerate(groups.items()):
        found[ways] = {}
        for name, mechanism in mechanisms.items():
            reasons = []
            for axes in mine:
                report(done / len(groups), "weighing noise and blindness")
                reasons.append(reason(dataset, mechanism, axes, n=n))
            found[ways][name] = Reason(*np.mean([(one.noise, one.blindness) for one in reasons], axis=0).tolist())
    return found


RELATIVE = "Released shares: relative error (Multi-Dimensional RR, eq. 6)"
"""What ``reasons_beforehand`` says as a part of the share itself; all else it says in shares of the people."""


def reasons_beforehand(
    sizes: Sequence[int], levels: Floats, sets: Sequence[tuple[int, ...]], n: int
) -> dict[int, dict[str, float]]:
    """What papers print about errors before any answer is collected, beside the exact error of RR-Ind-Joint, for equal shares.

    Parameters
    ----------
    sizes, levels : of the attributes; levels in nats
    sets : positions of attributes whose joint distributions are looked at
    n : number of people

    Returns
    -------
    Number of attributes -> what is said -> its mean over the sets with so many attributes
    """
    mechanism = Kronecker.from_levels(tuple(sizes), levels)
    found = {}
    for ways, mine in _by_ways(sets).items():
        figures = [_figures(mechanism, axes, levels, n) for axes in mine]
        found[ways] = {name: float(np.mean([one[name] for one in figures])) for name in figures[0]}
    return found


def _figures(mechanism: Mechanism, axes: tuple[int, ...], levels: Floats, n: int) -> dict[str, float]:
    sizes = [mechanism.sizes[i] for i in axes]
    equal = np.full(math.prod(sizes), 1 / math.prod(sizes))
    return {
        "RR-Independent: published bound (Castell, Theorem 5)": published_independent_bound(sizes),
        "RR-Ind-Joint: published bound (Castell, Theorem 6)": published_joint_bound(sizes, levels[list(axes)].tolist(), n),
        "RR-Ind-Joint: exact standard error of a share": expected_error(mechanism.marginal_channel(axes), n),
        "Released shares: absolute error (Multi-Dimensional RR, eq. 5)": published_absolute_error(equal, n),
        RELATIVE: published_relative_error(equal, n),
    }


def _by_ways(sets: Sequence[tuple[int, ...]]) -> dict[int, list[tuple[int, ...]]]:
    groups: dict[int, list[tuple[int, ...]]] = {}
    for axes in sets:
        groups.setdefault(len(axes), []).append(axes)
    return groups
