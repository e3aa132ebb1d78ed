"""The linear programme (P) over all 2^k lie sets, with accuracy floors and leakage caps as extra rows (theory.md sections 2, 5).

Written in psi_S = U_S phi_S / scale and c' = c / scale, so that q_S is proportional to c' U_S + psi_S, with every row divided
by its own size: the matrix entries stay near 1 however small U_S or 1 - p_i are, and so does c' once ``scale`` comes from a
dual bound. A solver's tolerance then means the same at every total.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.channel.levels import lie_from_level, retention_from_level
from rrcore.channel.liesets import LieSets, log_lie_set_counts
from rrcore.errors import InputError
from rrcore.mechanisms.tabulated import members
from rrcore.progress import Report, quiet

if TYPE_CHECKING:
    from scipy import sparse

_GAP = 1e-9  # primal and dual totals must agree to this, in nats, before the programme is rescaled
_SCALINGS = 5  # most times the programme is scaled and solved
_SLACK = 1e-10  # relative part of c given up for the choice among mechanisms of the same total: as many nats at most
_WELL_SCALED = 0.01  # least c' = c / scale at which the solver's tolerances are small beside the solution

_MARGIN = 1e-9
"""Relative amount by which floors are asked for higher and slacks of caps for lower, so that rounding does not break them."""

_NO_CAP = 600.0  # A cap above this, in nats, is none: nothing leaks that much
PIVOTS = 20_000
"""Most iterations on one linear programme: the most that the tests took is 3,700, and a limit by the clock would depend on the machine."""

UNSOLVED = (
    "The optimum could not be solved for these levels within the precision of the solver. "
    "Lower the highest levels, or choose Kronecker."
)


class InfeasibleError(Exception):
    """No mechanism with a finite total keeps all the floors and caps."""


@dataclass(frozen=True)
class Floor:
    """The interaction of the attributes ``axes`` survives at least ``gamma`` times as well as under Kronecker: mu_T >= gamma prod r_i.

    Parameters
    ----------
    axes : tuple of two or more distinct positions
    gamma : float > 0
    """

    axes: tuple[int, ...]
    gamma: float


class Programme:
    """(P) for k attributes.

    Parameters
    ----------
    sizes : k ints; levels : k floats, nats
    floors : Floor, any number
    caps : k floats, nats, optional: largest leakage L_i of each attribute, at least its level; infinite where there is none
    """

    def __init__(
        self, sizes: Sequence[int], levels: ArrayLike, *, floors: Sequence[Floor] = (), caps: ArrayLike | None = None
    ) -> None:
        self.k = len(sizes)
        a = np.asarray(sizes, dtype=np.float64)
        self.lies = lie_from_level(levels, sizes)
        self.kept = retention_from_level(levels, sizes)
        lying = members(np.arange(2**self.k), self.k)
        self.uniform = np.exp(log_lie_set_counts(sizes) - np.log(sizes).sum()).ravel()
        self.margin = self.kept * (1 - 1 / a)  # d_i, without cancellation
        self.spread = np.sqrt(self.lies * (1 - self.lies))
        self.row = np.minimum(self.margin, self.spread)
        self.deviation = np.where(lying, -(1 - self.lies)[:, None], self.lies[:, None])  # f_i(S)
        self.contrast = self.deviation * (a / (a - 1))[:, None]  # v_i - r_i
        self.equalities = np.hstack([self.deviation / self.row[:, None], -(self.margin / self.row)[:, None]])
        self.sizes, self.levels = tuple(sizes), np.asarray(levels, dtype=np.float64)
        self.caps = None if caps is None else np.asarray(caps, dtype=np.float64)
        self.floors = tuple(floors)
        self.reversed: set[int] = set()
        self.inequalities = self._inequalities()
        kept = np.where(lying, -1 / (a - 1)[:, None], 1.0) / self.kept[:, None]
        gain = (kept.sum(axis=0) ** 2 - (kept**2).sum(axis=0)) / 2  # sum over pairs of v_i v_j / (r_i r_j)
        self.pair_gain = gain / max(1.0, float(np.abs(gain).max()))

    def _inequalities(self) -> sparse.csr_array | None:
        from scipy import sparse  # heavy

        floors = [self._floor_row(floor.axes, floor.gamma * (1 + _MARGIN)) for floor in self.floors]
        blocks = [sparse.csr_array(floors)] if floors else []
        blocks += [self._cap_rows(i, reverse=False) for i in self._capped]
        return sparse.vstack(blocks, format="csr") if blocks else None

    @property
    def _capped(self) -> list[int]:
        """Attributes whose cap can bind: where Kronecker keeps the floors, the optimum never leaks more than Kronecker's total."""
        most = self.levels.sum() if all(floor.gamma <= 1 for floor in self.floors) else _NO_CAP
        return [] if self.caps is None else [int(i) for i in np.flatnonzero(self.caps < most)]

    def _floor_row(self, axes: tuple[int, ...], gamma: float) -> Floats:
        """gamma prod r - mu_T <= 0, less multiples of the equalities, so that only products of two and more v_i - r_i are left."""
        own = float(self.kept[list(axes)].prod())
        row = np.full(self.uniform.size + 1, (1 - gamma) * own)
        for subset in chain.from_iterable(combinations(axes, size) for size in range(2, len(axes) + 1)):
            others = [i for i in axes if i not in subset]
            row[:-1] += self.kept[others].prod() * self.contrast[list(subset)].prod(axis=0)
        row[-1] = (len(axes) - gamma) * own
        return row / -min(own, float(self.spread[list(axes)].prod()))

    def largest_share(self) -> float:
        """The part of the floors that can be kept at most: with all gammas times more than this, no mechanism has a finite total."""
        from scipy import sparse  # heavy
        from scipy.optimize import linprog

        per_share = [self._floor_row(f.axes, f.gamma)[0] - self._floor_row(f.axes, 0.0)[0] for f in self.floors]
        rows = np.column_stack([[self._floor_row(f.axes, 0.0)[:-1] for f in self.floors], per_share])
        caps = [self._cap_rows(i, reverse=way)[:, :-1] for i in self._capped for way in (False, True)]
        blocks = [sparse.csr_array(rows), *(sparse.hstack([cap, sparse.csr_array((cap.shape[0], 1))]) for cap in caps)]
        result = linprog(
            -np.r_[np.zeros(self.uniform.size), 1.0],
            A_ub=sparse.vstack(blocks, format="csr"),
            b_ub=np.zeros(sum(block.shape[0] for block in blocks)),
            A_eq=np.vstack([np.hstack([self.equalities[:, :-1], np.zeros((self.k, 1))]), np.r_[np.ones(self.uniform.size), 0.0]]),
            b_eq=np.r_[np.zeros(self.k), 1.0],
            method="highs-ds",
        )
        if not result.success:
            raise InputError(UNSOLVED)
        return float(result.x[-1])

    def _cap_rows(self, axis: int, *, reverse: bool) -> sparse.csr_array:
        """X_S <= e^cap X_{S + axis} for every S without ``axis``; ``reverse``: X_{S + axis} <= e^cap X_S."""
        from scipy import sparse  # heavy

        assert self.caps is not None
        slack = self.caps[axis] - self.levels[axis]
        odds = float(np.exp(self.levels[axis] + slack * (1 - _MARGIN)))
        of_truth, of_lie = (-odds, 1.0) if reverse else (1.0, -odds)
        others = self.sizes[axis] - 1
        sets = np.arange(2**self.k).reshape(2**axis, 2, -1)
        truth, lie = sets[:, 0].ravel(), sets[:, 1].ravel()
        u, one = self.uniform[truth], np.ones(truth.size)
        data = np.r_[of_truth * one, of_lie / others * one, (of_truth + of_lie) * u]
        data /= np.tile(max(abs(of_truth), abs(of_lie) / others) * u**0.25, 3)
        columns = np.r_[truth, lie, np.full(truth.size, self.uniform.size)]
        shape = (truth.size, self.uniform.size + 1)
        return sparse.csr_array((data, (np.tile(np.arange(truth.size), 3), columns)), shape=shape)

    def _add_reverse_caps(self, q: Floats) -> bool:
        """Whether some cap is broken by a lie that is too likely; its rows, seldom needed, are then added to the programme."""
        from scipy import sparse  # heavy

        leaks = LieSets(self.sizes, q).leakage
        broken = [i for i in self._capped if leaks[i] > self.caps[i] and i not in self.reversed]  # type: ignore[index]
        self.reversed.update(broken)
        blocks = [self.inequalities, *(self._cap_rows(i, reverse=True) for i in broken)]
        self.inequalities = sparse.vstack(blocks, format="csr") if broken else self.inequalities
        return bool(broken)

    def dual_value(self, direction: Floats) -> float:
        """E_U[(lambda.f)_+] with ``direction`` scaled to lambda.d = 1: an upper bound on c, with or without floors and caps."""
        slope = float(direction @ self.margin)
        if not slope > 0:
            return np.inf
        return float(self.uniform @ np.maximum(direction @ self.deviation, 0)) / slope

    def solve(self, *, report: Report = quiet) -> tuple[Floats, float]:
        """The optimal q, shape (2,) * k, and the certified lower bound on the total of every mechanism that keeps all rows.

        Raises
        ------
        InfeasibleError
            If floors and caps cannot be kept at once.
        InputError
            If the solver gives up.
        """
        report(0.0, "solving the linear programme")
        best = self._scaled(None, self.dual_value(np.eye(self.k)[int(np.argmin(self.lies))]))
        while self.inequalities is not None:
            report(0.3, "solving it with floors and caps")
            best = self._scaled(self.inequalities, best.bound)
            if not self._add_reverse_caps(best.table):
                break
        if not self.floors:
            report(0.7, "choosing among equals")
            kind = self._maximise(self.inequalities, best.scale, np.r_[self.pair_gain, 0.0], at_least=best.c * (1 - _SLACK))
            best = replace(best, table=self._table(kind, best.scale)) if kind else best
        return best.table, float(np.log1p(1 / best.bound))

    def _scaled(self, rows: sparse.csr_array | None, scale: float) -> _Solution:
        """Maximise c subject to ``rows`` beside the equalities, with a better scale until primal and dual agree."""
        for _ in range(_SCALINGS):
            result = self._maximise(rows, scale, np.r_[np.zeros(self.uniform.size), 1.0])
            if result is None or not result.x[-1] > 0:
                raise InputError(UNSOLVED) if rows is None else InfeasibleError
            c, bound = float(result.x[-1]), self._certified(result, rows)
            solution = _Solution(self._table(result, scale), c, scale, min(scale, bound))
            if c > _WELL_SCALED and np.log1p(1 / (c * scale)) - np.log1p(1 / bound) <= _GAP:
                break
            scale = solution.bound
        return solution

    def _table(self, result: Any, scale: float) -> Floats:
        """q of a solution, shape (2,) * k."""
        q = result.x[-1] * self.uniform + np.clip(result.x[:-1], 0, self.uniform / scale)
        return np.asarray((q / q.sum()).reshape((2,) * self.k))

    def _certified(self, result: Any, rows: sparse.csr_array | None) -> float:
        """An upper bound on c by weak duality from the solver's multipliers, whatever their error."""
        slope = result.eqlin.marginals @ self.equalities
        if rows is not None:
            slope = slope + np.minimum(result.ineqlin.marginals, 0.0) @ rows
        return float(np.maximum(slope[:-1], 0) @ self.uniform / -slope[-1]) if slope[-1] < 0 else np.inf

    def _maximise(self, rows: sparse.csr_array | None, scale: float, gain: Floats, *, at_least: float = 0.0) -> Any:
        """Maximise ``gain`` over (psi, c') with c' >= ``at_least``; the solver's result, or None where it found none."""
        from scipy.optimize import linprog  # heavy

        result = linprog(
            -gain,
            A_ub=rows,
            b_ub=None if rows is None else np.zeros(rows.shape[0]),
            A_eq=self.equalities,
            b_eq=np.zeros(self.k),
            bounds=np.column_stack([np.r_[np.zeros(self.uniform.size), at_least], np.r_[self.uniform / scale, 2.0]]),
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10, "maxiter": PIVOTS},
        )
        return result if result.success else None


@dataclass(frozen=True)
class _Solution:
    """q, c' = c / scale, the scale it was found at, and a certified upper bound on c."""

    table: Floats
    c: float
    scale: float
    bound: float
