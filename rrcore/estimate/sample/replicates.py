"""Replicate weights: the same sample weighted anew many times, so that estimates vary as they would from sample to sample (Wolter 2007)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError

Method = Literal["BRR", "Fay", "JK1", "JKn", "bootstrap"]
METHODS: tuple[Method, ...] = ("BRR", "Fay", "JK1", "JKn", "bootstrap")


@dataclass(frozen=True, eq=False)
class Replicates:
    """R replicate weights of every person, and how their estimates make a variance: sum_r scale_r (estimate_r - estimate)^2.

    Parameters
    ----------
    weights : ndarray of shape (n, R), float64, finite; each column a whole set of weights, what the full weight was multiplied by included
    scales : ndarray of shape (R,), float64, >= 0

    Raises
    ------
    InputError
        For fewer than two replicates, a weight that is not finite or below 0, or a replicate in which nobody counts.

    Examples
    --------
    >>> replicates = Replicates.of("BRR", np.array([[2.0, 0.0], [0.0, 2.0], [2.0, 0.0], [0.0, 2.0]]))
    >>> replicates.scales.tolist()
    [0.5, 0.5]
    """

    weights: Floats
    scales: Floats

    def __post_init__(self) -> None:
        weights, scales = np.asarray(self.weights, dtype=np.float64), np.asarray(self.scales, dtype=np.float64)
        if weights.ndim != 2 or weights.shape[1] < 2:
            raise InputError(
                f"The replicate weights have the shape {weights.shape}: give one row for each record and at least two columns."
            )
        if scales.shape != (weights.shape[1],):
            raise InputError(f"There are {scales.size} scales for {weights.shape[1]} replicates: give one for each.")
        bad = np.argwhere(~(np.isfinite(weights) & (weights >= 0)))
        if bad.size:
            row, column = bad[0].tolist()
            raise InputError(
                f"Replicate weight {column + 1} of record {row + 1} is {weights[row, column]:g}: give numbers of 0 or more."
            )
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "scales", scales)

    @classmethod
    def of(cls, method: Method, weights: Floats, *, full: Floats | None = None, rho: float = 0.5) -> Replicates:
        """Replicate weights as data files have them, with the scales of their method.

        Parameters
        ----------
        method : "BRR", balanced half-samples: 1 / R each; "Fay", those with a factor ``rho`` in place of 0: 1 / (R (1 - rho)^2); "JK1",
            each leaves out one cluster: (R - 1) / R; "JKn", each leaves out one cluster of a stratum of m: (m - 1) / m; "bootstrap"
            (Rao and Wu): 1 / R
        weights : ndarray of shape (n, R)
        full : ndarray of shape (n,), the full weights: "JKn" reads from them how many clusters a stratum has
        rho : Fay's factor, 0 to below 1
        """
        weights = np.asarray(weights, dtype=np.float64)
        r = weights.shape[-1]
        if method not in METHODS:
            raise InputError(f"There is no kind of replicate weights '{method}': choose among {', '.join(METHODS)}.")
        if not 0 <= rho < 1:
            raise InputError(f"Fay's factor is {rho:g}: give a number from 0 to below 1, for example 0.5.")
        if method == "JKn":
            if full is None:
                raise InputError("Replicates of kind JKn need the full weights beside them: give the column of weights too.")
            ratio = np.divide(weights, full[:, None], out=np.ones_like(weights), where=full[:, None] > 0).max(axis=0)
            return cls(weights, 1 / np.maximum(ratio, 1.0))
        scale = {"BRR": 1 / r, "Fay": 1 / (r * (1 - rho) ** 2), "JK1": (r - 1) / r, "bootstrap": 1 / r}[method]
        return cls(weights, np.full(r, scale))

    @cached_property
    def freedom(self) -> float:
        """Rank of the replicate weights less 1, at least 1. Records that are weighted alike in all replicates count once."""
        top = self.weights.max(axis=1, keepdims=True)
        pattern = np.divide(self.weights, top, out=np.zeros_like(self.weights), where=top > 0)
        mark = pattern @ np.random.default_rng(0).standard_normal(
            pattern.shape[1]
        )  # equal for equal rows, all but surely for no others
        _, first = np.unique(mark.round(9), return_index=True)
        return float(max(int(np.linalg.matrix_rank(pattern[first])) - 1, 1))

    def take(self, rows: Integers) -> Replicates:
        """Those of the records ``rows``; degrees of freedom stay those of the whole sample at most."""
        return replace(self, weights=self.weights[rows])

    def deviations(self, cells: Integers, size: int, released: Floats) -> Floats:
        """How far the shares of every cell lie from ``released`` in every replicate, by the root of its scale: shape (size, R).

        Parameters
        ----------
        cells : ndarray of shape (n,), the cell of every record, 0..size-1
        released : ndarray of shape (size,), shares by the full weights
        """
        found = np.zeros((size, self.weights.shape[1]))
        np.add.at(found, cells, self.weights)
        total = found.sum(axis=0)
        empty = np.flatnonzero(total <= 0)
        if empty.size:
            raise InputError(
                f"Replicate {empty[0] + 1} gives nobody of these people a weight: choose a larger group, or read it without replicate "
                "weights."
            )
        return np.asarray((found / total - released[:, None]) * np.sqrt(self.scales))
