"""The search for the costs and the threshold of "Kronecker, conditioned on not lying too much" (theory.md sections 2 and 12).

With kappa = w0 / (1 - w0) fixed, the most likely phi with P_U(lie_i | phi) = targets_i = q_i - kappa d_i has the threshold
1 + sum of x_i targets_i and the costs x that minimise the convex E_U[softened (threshold - W)_+]. Its gradient is
P (targets - lies); Newton's steps, damped in the metric of the targets, find the minimum. kappa follows 1 / (x . d) up to its
cap min q_i / d_i, where the attribute that sets the cap hardly ever lies inside phi.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rrcore.arrays import Floats
from rrcore.channel.levels import lie_from_level, retention_from_level
from rrcore.mechanisms.solve.conditioning import LieSums
from rrcore.progress import Report

ROUNDING = 1e-9
"""Nats by which totals are rounded up and lower bounds down: far above the rounding errors of the sums."""

LEAST_ACCEPTANCE = 1e-4
"""Smallest share of proposals that a sampler may accept (usual: .002 to .3): below it drawing would take too long."""

_FIRST_SOFTNESS = 0.2
_SHARPER = 0.4
_SOFTNESSES = 3  # the edge of phi is .2 nats wide, then .08, then .032; an edge of width s leaves a gap of about s^2
_CELLS = 800_000  # size of one evaluation (``LieSums.cells``) up to which the edge is made sharper

_MARGINS = (1e-3, 3e-2)
"""Nats given up so that lies stay below what the levels allow; the second is tried where the first yields no mechanism."""

_ROUNDS = 12
_STEPS = 40
_INNER = 60
"""Most values of kappa for each softness, steps of Newton for each kappa, iterations of the linear solver for each step."""

_WORK = 400_000_000  # complex multiplications, about, after which the search ends with what it has: a few seconds

_OVERHEAD = 500_000
"""Multiplications that an evaluation costs however few its cells are; a step of the linear solver costs a fiftieth of it."""

_SAME_ODDS = 0.01  # relative change of kappa that no longer matters: the total is stationary in kappa

_MAX_DAMPING = 1e6
_LONGEST_STEP = 3.0  # nats by which one step may change a cost


class Candidate(NamedTuple):
    """What defines a phi, costs of shape (k,), and the best lower bound on totals; all in nats."""

    costs: Floats
    threshold: float
    softness: float
    lower_bound: float


def largest_odds(lies: Floats, levels: ArrayLike, sizes: ArrayLike) -> float:
    """Largest kappa with lies_i + kappa d_i <= q_i for every i; negative where phi alone has too many lies."""
    return float(((lie_from_level(levels, sizes) - lies) / _margins(levels, sizes)).min())


def certified_total(sums: LieSums, odds: float) -> float:
    """Total in nats of w0 uniform + (1 - w0) phi / P with odds = w0 / (1 - w0), rounded up.

    X_S is proportional to odds P + phi_S, and phi is largest where nobody lies and smallest where everybody does.
    """
    ends = np.array([sums.threshold, sums.threshold - float(sums.counts @ sums.costs)]) / sums.softness
    high, low = np.logaddexp(np.log(odds) + sums.log_mass, scipy.special.log_ndtr(ends))
    return float(high - low) + ROUNDING


def _margins(levels: ArrayLike, sizes: ArrayLike) -> Floats:
    """d_i = p_i - 1/a_i, without cancellation."""
    return np.asarray(retention_from_level(levels, sizes) * (1 - 1 / np.asarray(sizes, dtype=np.float64)))


def search(sizes: Floats, levels: Floats, report: Report) -> Candidate | None:
    """The best phi found for these sizes and levels (nats), both of shape (k,); None if none has few enough lies and can be drawn from."""
    types, kinds, counts = np.unique(np.column_stack([sizes, levels]), axis=0, return_inverse=True, return_counts=True)
    found = _Search(types[:, 0], types[:, 1], counts.astype(np.float64), report)
    for margin in _MARGINS:
        found.run(margin)
        if found.best is not None:
            costs, threshold, softness = found.best
            return Candidate(costs[kinds.ravel()], threshold, softness, found.lower_bound)
    return None


class _Search:
    """The best phi and the best lower bound found so far, for attributes that come in types."""

    def __init__(self, sizes: Floats, levels: Floats, counts: Floats, report: Report) -> None:
        self.sizes, self.counts, self.report = sizes, counts, report
        self.levels = levels
        self.allowed = lie_from_level(levels, sizes)
        self.margins = _margins(levels, sizes)
        self.total, self.lower_bound = np.inf, float(levels.max()) - ROUNDING
        self.best: tuple[Floats, float, float] | None = None
        self.work = 0

    def run(self, margin: float) -> None:
        """Search with lies reduced so far that ``margin`` nats are given up."""
        slack = margin / max(1.0, float(self.counts @ (self.levels * self.allowed))) * self.allowed
        reduced = self.allowed - slack
        cap = float((reduced / self.margins).min()) * (1 - margin)
        odds = min(1 / float(self.counts @ (self.levels * self.margins)), cap / 2)
        costs = self._shifted(np.log(self.sizes - 1), reduced - odds * self.margins)
        softness, self.work = _FIRST_SOFTNESS, 0
        for _ in range(_SOFTNESSES):
            gain, last = 1.0, 0.0
            for _ in range(_ROUNDS):
                targets = reduced - odds * self.margins
                costs, sums = self._minimise(costs, targets, odds * self.margins / 500 + slack / 2, softness)
                self._certify(costs, sums, odds if odds == cap else 0.0)
                weight = float(self.counts @ (costs * self.margins))
                move = float(np.log(min(cap, sums.excess / sums.mass / weight) / odds))
                if self.work > _WORK or abs(move) < _SAME_ODDS:
                    break
                gain, last = (gain / 2 if move * last < 0 else gain), move
                new = min(cap, odds * float(np.exp(gain * move)))
                costs = self._shifted(costs + scipy.special.logit(targets), reduced - new * self.margins)
                odds = new
            softness *= max(_SHARPER, min(1.0, sums.cells / _CELLS))

    @staticmethod
    def _shifted(log_odds: Floats, targets: Floats) -> Floats:
        """Costs that bring attributes with these log-odds of a lie at no cost to ``targets``."""
        return np.maximum(log_odds - scipy.special.logit(targets), 1e-6)

    def _sums(self, costs: Floats, threshold: float, softness: float) -> LieSums:
        sums = LieSums(self.sizes, costs, self.counts, threshold, softness)
        self._spend(10 * sums.cells + _OVERHEAD)
        return sums

    def _spend(self, work: int) -> None:
        self.work += work
        self.report(min(1.0, self.work / _WORK), "conditioning Kronecker on few lies")

    def _minimise(self, costs: Floats, targets: Floats, tolerance: Floats, softness: float) -> tuple[Floats, LieSums]:
        """Newton's method, damped as Levenberg and Marquardt do; stops where the lies meet their targets to ``tolerance``."""

        def at(x: Floats) -> LieSums:
            return self._sums(x, 1 + float(self.counts @ (x * targets)), softness)

        sums, damping = at(costs), 1e-3
        for _ in range(_STEPS):
            if self.work > _WORK:
                break
            missing = targets - sums.lies
            weights = self.counts * costs
            if (-missing <= tolerance).all() and weights @ np.maximum(missing, 0.0) <= 2 * (weights @ tolerance):
                break
            gradient = self.counts * missing * (sums.mass / sums.excess)
            diagonal, own, pairs = sums.curvature(targets)
            natural = self.counts * targets * (1 - targets)
            while damping < _MAX_DAMPING:
                step = self._solve(diagonal, own + damping * natural, damping * natural, pairs, -gradient, sums.cells)
                slope = float(gradient @ step)
                if slope < 0:
                    x = np.maximum(costs + step, costs / 1000)
                    new = at(x)
                    if new.log_excess <= sums.log_excess + 1e-4 * slope + 1e-13 * abs(sums.log_excess):
                        break
                damping *= 8
            else:
                break
            costs, sums, damping = x, new, max(damping / 4, 1e-6)
        return costs, sums

    def _solve(
        self, diagonal: Floats, own: Floats, added: Floats, pairs: Callable[[Floats], Floats], right: Floats, cells: int
    ) -> Floats:
        from scipy.sparse.linalg import LinearOperator, cg  # heavy

        scale = 1 / np.sqrt(diagonal + added)
        system = LinearOperator(
            (scale.size, scale.size), matvec=lambda v: scale * (pairs(scale * v) + own * scale * v), dtype=np.float64
        )
        solution, _ = cg(
            system, scale * right, rtol=1e-3, maxiter=_INNER, callback=lambda _: self._spend(2 * cells + _OVERHEAD // 50)
        )
        return np.clip(scale * solution, -_LONGEST_STEP, _LONGEST_STEP)

    def _certify(self, costs: Floats, sums: LieSums, capped: float) -> None:
        """Keep phi if its total is the smallest yet, and the lower bound (D) of its costs if it is the largest yet."""
        odds = largest_odds(sums.lies + sums.error, self.levels, self.sizes)
        if odds > 0 and sums.mass >= LEAST_ACCEPTANCE:
            total = certified_total(sums, odds)
            if total < self.total:
                self.total, self.best = total, (costs, sums.threshold, sums.softness)
        direction = costs.copy()
        weight = float(self.counts @ (costs * self.margins))
        if capped and 1 / capped > weight:  # the multiplier of the cap belongs to the attribute that sets it
            first = int(np.argmin(self.allowed / self.margins))
            direction[first] += (1 / capped - weight) / (self.margins[first] * self.counts[first])
        bound = self._sums(direction, float(self.counts @ (direction * self.allowed)), sums.softness)
        slope = float(self.counts @ (direction * self.margins))
        self.lower_bound = max(self.lower_bound, float(np.logaddexp(0.0, np.log(slope) - bound.log_excess)) - ROUNDING)
