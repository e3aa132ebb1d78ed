"""The exact optimum of the linear programme (P) over all 2^k lie sets, with a certified lower bound (theory.md section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from rrcore.errors import InputError
from rrcore.levels import lie_probability, retention
from rrcore.liesets import LieSets, log_lie_counts
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms.base import Floats, Mechanism

__all__ = ["PROVED", "Optimal", "dual_bound"]

_GAP = 1e-9
"""Primal and dual totals must agree to this, in nats, before the programme is scaled anew."""

_SCALINGS = 5
"""Most times the programme is scaled and solved."""

_SLACK = 1e-10
"""Relative part of c given up for the choice among mechanisms of the same total: as many nats at most."""

_WELL_SCALED = 0.01
"""Least c' = c / scale at which the solver's tolerances are small beside the solution."""

_LEVEL_ERROR = 1e-6
"""Most, in nats, by which an achieved level may stay below the requested one."""

PROVED = 1e-6
"""Below this gap, in nats, between the total and its lower bound the result counts as the optimum."""

_MAX_GAP = 0.01
"""Largest gap, in nats, with which a result is given out at all, its gap shown."""

_UNSOLVED = (
    "The optimum could not be solved for these levels within the precision of the solver. "
    "Lower the highest levels, or choose Kronecker."
)

_SHRINK = 1e-12
"""Relative margin by which lies are more frequent than requested, so that no level is exceeded by rounding."""


@dataclass(frozen=True, eq=False)
class Optimal(Mechanism):
    """The mechanism of least record-level budget among all with the requested levels.

    Where several cost the same, the one whose pairs survive best on the whole: the largest sum of mu_ij / (r_i r_j).

    Parameters
    ----------
    sizes : tuple of k ints, k <= MAX_OPTIMAL_ATTRIBUTES
    lie_sets : LieSets
        q over all 2^k lie sets.
    lower_bound : float
        Certified lower bound (D) on the record-level budget of every mechanism with these levels, in nats.
    """

    title: ClassVar[str] = "Optimum"
    lie_sets: LieSets
    lower_bound: float

    @classmethod
    def from_levels(cls, sizes: Sequence[int], levels: ArrayLike) -> Optimal:
        """Solve (P) for the requested levels (nats, shape (k,)).

        Raises
        ------
        InputError
            Above ``MAX_OPTIMAL_ATTRIBUTES`` attributes, or where the solver misses the levels or leaves a gap above
            ``_MAX_GAP`` (possible at levels above about 10 nats).
        """
        if len(sizes) > MAX_OPTIMAL_ATTRIBUTES:
            raise InputError(
                f"The optimum is solved exactly for at most {MAX_OPTIMAL_ATTRIBUTES} attributes and there are {len(sizes)}: "
                "choose fewer attributes, the closed form or Kronecker."
            )
        eps, a = np.asarray(levels, dtype=np.float64), np.asarray(sizes)
        order = np.lexsort((eps, a))  # one order, so that that of the columns does not matter
        q, bound = _Programme(tuple(a[order]), eps[order]).solve()
        q = q.transpose(np.argsort(order))
        lies = lie_probability(levels, sizes)
        optimum = cls(tuple(sizes), LieSets(tuple(sizes), _hold_levels(q, sizes, lies * (1 + _SHRINK))), bound)
        if not (np.abs(optimum.levels - np.asarray(levels, dtype=np.float64)) < _LEVEL_ERROR).all() or optimum.gap > _MAX_GAP:
            raise InputError(_UNSOLVED)
        return optimum

    @property
    def lies(self) -> Floats:
        return self.lie_sets.lies

    @property
    def total_level(self) -> float:
        return self.lie_sets.total_level

    @property
    def gap(self) -> float:
        """Record-level budget minus its certified lower bound, in nats, >= 0 up to rounding."""
        return self.total_level - self.lower_bound

    @property
    def is_optimal(self) -> bool:
        """Whether the gap is below ``PROVED``."""
        return self.gap < PROVED

    @cached_property
    def leakage(self) -> Floats:
        return self.lie_sets.leakage

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        return self.lie_sets.marginal(list(axes))

    @cached_property
    def _pair_factors(self) -> Floats:
        lying = _members(np.arange(2**self.k, dtype=np.uint16), self.k)
        v = np.where(lying, -1 / (np.asarray(self.sizes, dtype=np.float64)[:, None] - 1), 1.0)
        pairs = (v * self.lie_sets.probabilities.ravel()) @ v.T
        np.fill_diagonal(pairs, self.retentions**2)
        return np.asarray(pairs)

    def pair_factors(self) -> Floats:
        return self._pair_factors

    def _draw_lies(self, n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        ends = np.cumsum(self.lie_sets.probabilities.ravel())
        drawn = np.searchsorted(ends[:-1], rng.random(n) * ends[-1], side="right").astype(np.uint16)
        return _members(drawn, self.k)


def _members(lie_sets: NDArray[np.uint16], k: int) -> NDArray[np.bool_]:
    """Row i tells which of ``lie_sets`` (positions in a raveled ``(2,) * k`` array) contain attribute i; shape (k, n)."""
    return np.asarray(lie_sets & (1 << np.arange(k, dtype=np.uint16))[::-1, None], dtype=bool)


def dual_bound(sizes: Sequence[int], levels: ArrayLike, direction: Floats) -> float:
    """Certified lower bound on the record-level budget, from any ``direction`` lambda with lambda.d > 0 (equation D).

    Parameters
    ----------
    sizes : k ints; levels : k floats, nats; direction : ndarray of shape (k,)

    Returns
    -------
    float, nats
    """
    programme = _Programme(tuple(sizes), levels)
    return float(np.log1p(1 / programme.dual_value(direction)))


class _Programme:
    """(P) in the variables psi_S = U_S phi_S / scale and c' = c / scale, rows divided by the smaller of d_i and sqrt(p_i (1 - p_i)).

    In these variables the matrix entries stay near 1 however small U_S or 1 - p_i are, and so does c' once ``scale``
    comes from a dual bound: a solver's tolerance then means the same at every eps_total.
    """

    def __init__(self, sizes: tuple[int, ...], levels: ArrayLike) -> None:
        self.k = len(sizes)
        others = 1 - 1 / np.asarray(sizes, dtype=np.float64)
        lies = lie_probability(levels, sizes)
        lying = _members(np.arange(2**self.k, dtype=np.uint16), self.k)
        self.lies = lies
        self.uniform = np.exp(log_lie_counts(sizes) - np.log(sizes).sum()).ravel()
        self.margin = retention(levels, sizes) * others  # d_i, without cancellation
        self.row = np.minimum(self.margin, np.sqrt(lies * (1 - lies)))
        self.deviation = np.where(lying, -(1 - lies)[:, None], lies[:, None])  # f_i(S)
        kept = np.where(lying, -1 / (np.asarray(sizes, dtype=np.float64)[:, None] - 1), 1.0) / retention(levels, sizes)[:, None]
        gain = (kept.sum(axis=0) ** 2 - (kept**2).sum(axis=0)) / 2  # sum over pairs of v_i v_j / (r_i r_j)
        self.pair_gain = gain / max(1.0, float(np.abs(gain).max()))

    def dual_value(self, direction: Floats) -> float:
        """E_U[(lambda.f)_+] with ``direction`` scaled to lambda.d = 1: an upper bound on c."""
        slope = float(direction @ self.margin)
        if not slope > 0:
            return np.inf
        return float(self.uniform @ np.maximum(direction @ self.deviation, 0)) / slope

    def solve(self) -> tuple[Floats, float]:
        """The optimal q, shape (2,) * k, and the certified lower bound on the total."""
        scale = self.dual_value(np.eye(self.k)[int(np.argmin(self.lies))])
        for _ in range(_SCALINGS):
            result = self._solve_scaled(scale, np.r_[np.zeros(self.uniform.size), 1.0])
            if result is None or not result.x[-1] > 0:
                raise InputError(_UNSOLVED)
            c, bound = float(result.x[-1]), self.dual_value(result.eqlin.marginals / self.row)
            if c > _WELL_SCALED and np.log1p(1 / (c * scale)) - np.log1p(1 / bound) <= _GAP:
                break
            scale = min(scale, bound)
        kind = self._solve_scaled(scale, np.r_[self.pair_gain, 0.0], at_least=c * (1 - _SLACK)) or result
        q = kind.x[-1] * self.uniform + np.clip(kind.x[:-1], 0, self.uniform / scale)
        return (q / q.sum()).reshape((2,) * self.k), float(np.log1p(1 / min(scale, bound)))

    def _solve_scaled(self, scale: float, gain: Floats, *, at_least: float = 0.0) -> Any:
        """Maximise ``gain`` over (psi, c') with c' >= ``at_least``; the solver's result, or None where it found none."""
        result = linprog(
            -gain,
            A_eq=np.hstack([self.deviation / self.row[:, None], -(self.margin / self.row)[:, None]]),
            b_eq=np.zeros(self.k),
            bounds=np.column_stack([np.r_[np.zeros(self.uniform.size), at_least], np.r_[self.uniform / scale, 2.0]]),
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        return result if result.success else None


def _hold_levels(q: Floats, sizes: Sequence[int], lies: Floats) -> Floats:
    """``q`` after replacing attribute i by a uniform draw just often enough that it lies with at least ``lies[i]``.

    This is post-processing, so no level and no total grows; it only removes the solver's rounding.
    """
    for i, (size, target) in enumerate(zip(sizes, lies, strict=True)):
        others = q.sum(axis=i, keepdims=True)
        found = float(np.take(q, 1, axis=i).sum() / q.sum())
        chance = (target - found) / (1 - 1 / size - found)
        if 0 < chance <= 1:
            shape = [1] * len(sizes)
            shape[i] = 2
            q = (1 - chance) * q + chance * others * np.array([1 / size, 1 - 1 / size]).reshape(shape)
    return q / q.sum()
