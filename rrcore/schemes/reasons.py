"""Why one scheme is closer than another: noise against blindness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.estimate import cell_variance, independent_product
from rrcore.mechanisms import Mechanism
from rrcore.table.contingency import count_cells
from rrcore.table.dataset import Dataset

__all__ = ["Reason", "reason"]


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
    blindness = float(np.sqrt(np.square(truth - independent_product(singles, [(i,) for i in range(len(sizes))])).sum()))
    channel = mechanism.marginal_channel(axes)
    if channel.lost():
        return Reason(np.inf, blindness)
    variance = cell_variance(channel.push(truth), truth, channel, n or dataset.n, population=False)
    return Reason(float(np.sqrt(variance.sum())), blindness)
