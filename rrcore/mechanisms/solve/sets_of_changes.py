"""Sums over all 2^k sets of changes, for conditioned Kronecker.

See theory.md section 12.

Changing the answer to attribute i costs x_i, and W is the sum of these costs over a record. With the normal distribution function
Phi, phi = Phi((threshold - W) / softness) is 1 if W is clearly below the threshold and 0 if it is clearly above, and it decreases
in between. Under any product distribution of changes, the expectation of a function h of W is a single Fourier sum,

    E[h(W)] = (1/T) sum over omega of H(omega) prod_i (1 - w_i + w_i e^(-i omega x_i)),     omega = 2 pi j / T,

and a change of attribute i replaces only its own factor. W is taken under the product distribution in which a change costs e^(-tilt
x_i). There, h is about 1 where W is likely, so no sum is ever small. Because the edge of phi is normal, H decays like a Gaussian.
The sum needs at most a few thousand frequencies, and a few dozen if W is spread widely. Nothing is rounded to a grid, so only
double-precision errors remain (about 1e-14 of a sum). Chernoff bounds at e^-44 determine the period T and the frequencies that are
omitted.

The search fixes kappa = w0 / (1 - w0). The most likely phi with P_U(change_i | phi) = targets_i = q_i - kappa d_i then has the
threshold 1 + sum of x_i targets_i and the costs x that minimize the convex function E_U[softened (threshold - W)_+]. The gradient
of this function is P (targets - changes). Newton steps, damped in the metric of the targets, find the minimum. kappa follows 1 / (x
. d) up to its cap min q_i / d_i. At the cap, the attribute that determines it is hardly ever changed inside phi.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from rrcore.arrays import Floats
from rrcore.channel.epsilon import lie_from_epsilon, retention_from_epsilon
from rrcore.limits import MAX_MARGINAL
from rrcore.progress import Report

_NEGLIGIBLE = 44.0  # terms below e^-44 of the largest are left out
_SMALLEST_LIE = 35.0  # lie probabilities down to e^-35 keep full relative precision
_BLOCK = 8  # attributes multiplied at a time before negligible frequencies are dropped
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


class LieSums:
    """Sums of phi over all sets of changes, for attributes grouped by type.

    Attributes of the same type have equal size and cost.

    Parameters
    ----------
    sizes : ndarray of shape (types,), numbers of categories
    costs : ndarray of shape (types,), positive: x_i
    counts : ndarray of shape (types,), numbers of attributes of each type
    threshold : float > 0
    softness : float > 0, width of the edge of phi, in the units of the costs

    Attributes
    ----------
    tilt : float, the factor theta of the product distribution used for sums: a change has weight (a_i - 1) e^(-theta x_i)
    tilted : ndarray of shape (types,), probabilities of changes under this distribution
    mass : float, E[e^(theta (W - threshold)) phi] under this distribution, in (0, 1]: the share of proposals that a sampler accepts
    log_mass, log_excess : float
        ln E_U[phi] and ln E_U[softened (threshold - W)_+] under a uniform record. Rounding errors can make the first too small and
        the second too large, but not the reverse. The softened part is never below the hard one.
    lies : ndarray of shape (types,), P_U(lie_i | phi)
    error : ndarray of shape (types,)
        Largest rounding error of ``lies``. The relative error is usually 1e-13. It is larger if changes inside phi are far rarer
        than under the tilted distribution.
    """

    def __init__(self, sizes: Floats, costs: Floats, counts: Floats, threshold: float, softness: float) -> None:
        self.costs, self.counts, self.threshold, self.softness = costs, counts, threshold, softness
        others = np.log(sizes - 1)
        self.tilt = self._find_tilt(others)
        self.tilted = scipy.special.expit(others - self.tilt * costs)
        log_true, log_lie = (
            scipy.special.log_expit(self.tilt * costs - others),
            scipy.special.log_expit(others - self.tilt * costs),
        )
        self.frequencies, period = self._frequencies(log_true, log_lie)
        turn = np.exp(-1j * np.outer(self.frequencies, costs))
        factor = 1 - self.tilted + self.tilted * turn
        factor[factor == 0] = 1e-17
        self.share = self.tilted * turn / factor
        """Factor of a lie over the whole factor, complex, shape (frequencies, types)."""
        slope = self.tilt + 1j * self.frequencies
        edge = (
            np.exp((softness * slope) ** 2 / 2 + 1j * self.frequencies * threshold) * np.prod(factor**counts, axis=1) * 2 / period
        )
        edge[0] /= 2
        self.edge = edge
        """Weights whose real sum is E[e^(theta (W - threshold)) h(W)], h the density of the edge."""
        self.inside = edge / slope
        """Weights whose real sum is E[e^(theta (W - threshold)) phi]."""
        noise = np.abs(self.inside) * (8 + float(counts.sum()) + self.frequencies * threshold) * np.finfo(np.float64).eps
        self.mass = float(self.inside.sum().real)
        self.excess = float((self.inside / slope).sum().real)
        self.lies = np.asarray((self.inside @ self.share).real / self.mass)
        self.error = np.asarray(noise @ np.abs(self.share) / self.mass)
        log_scale = self.tilt * threshold - float(counts @ (log_true + np.log(sizes)))
        with np.errstate(divide="ignore"):
            self.log_mass = log_scale + float(np.log(max(self.mass - float(noise.sum()), 0.0)))
        self.log_excess = log_scale + float(np.log(max(self.excess, 0.0) + float((noise / np.abs(slope)).sum())))

    def _find_tilt(self, others: Floats) -> float:
        """The saddle point of E_U[softened (threshold - W)_+]: theta (threshold - mean of W) + (theta softness)^2 = 1."""
        from scipy.optimize import brentq  # heavy

        def excess(log_tilt: float) -> float:
            tilt = float(np.exp(log_tilt))
            mean = float(self.counts @ (self.costs * scipy.special.expit(others - tilt * self.costs)))
            return tilt * (self.threshold - mean) + (tilt * self.softness) ** 2 - 1

        low, high = -1.0, 1.0
        while excess(low) > 0:
            low -= 2
        while excess(high) < 0:
            high += 2
        return float(np.exp(brentq(excess, low, high, xtol=1e-4)))

    def _frequencies(self, log_true: Floats, log_lie: Floats) -> tuple[Floats, float]:
        """The frequencies that matter and the period T."""
        costs, counts, softness, tilt = self.costs, self.counts, self.softness, self.tilt
        small = _NEGLIGIBLE + min(_SMALLEST_LIE, -float(log_lie.min()))

        def log_moment(s: float) -> float:
            return float(counts @ np.logaddexp(log_true, log_lie + s * costs)) - s * self.threshold

        above = min((log_moment(s) + small) / s for s in tilt * 2.0 ** -np.arange(12))
        below = min((log_moment(-s) + (softness * (tilt + s)) ** 2 / 2 + small) / s for s in tilt * 2.0 ** np.arange(-10, 5))
        period = max(above, min(below, self.threshold + 10 * softness), 1 / tilt)
        last = np.sqrt(2 * _NEGLIGIBLE) / softness
        omega = 2 * np.pi / period * np.arange(int(np.ceil(last * period / (2 * np.pi))) + 1)
        log_size = ((softness * tilt) ** 2 - (softness * omega) ** 2) / 2 - np.log1p((omega / tilt) ** 2) / 2
        spread = 4 * self.tilted * (1 - self.tilted)
        order = np.argsort(-counts * spread * costs**2)
        for start in range(0, order.size, _BLOCK):
            block = order[start : start + _BLOCK]
            # up to MAX_MARGINAL factors may be divided out again, so each counts as e^-1 at least
            squares = 1 - spread[block] * np.sin(np.multiply.outer(omega / 2, costs[block])) ** 2
            log_size += np.log(np.maximum(squares, np.exp(-2))) @ counts[block] / 2
            kept = log_size > -_NEGLIGIBLE - MAX_MARGINAL
            omega, log_size = omega[kept], log_size[kept]
        return omega, period

    def joint(self, types: NDArray[np.intp]) -> Floats:
        """Return P_U(changes of attributes of these types | phi).

        The array has shape (2,) * len(types), and index 1 means a change.

        The sum handles half of the attributes at a time and keeps 2^(k/2) numbers instead of 2^k for each frequency.
        """
        half, frequencies = len(types) // 2, len(self.inside)
        left = _products(self.share[:, types[:half]], self.inside).reshape(-1, frequencies)
        right = _products(self.share[:, types[half:]], np.ones_like(self.inside)).reshape(-1, frequencies)
        found = np.maximum((left @ right.T).real.reshape((2,) * len(types)), 0.0)
        return np.asarray(found / found.sum())

    def pairs(self) -> Floats:
        """Return P_U(changes of two attributes | phi), shape (types, types).

        The diagonal refers to two different attributes of the same type.
        """
        left = self.share * self.inside[:, None]
        return np.asarray((left.real.T @ self.share.real - left.imag.T @ self.share.imag) / self.mass)

    def curvature(self, targets: Floats) -> tuple[Floats, Floats, Callable[[Floats], Floats]]:
        """Return E_U[f f' h] / E_U[softened (threshold - W)_+].

        Here, f_i = targets_i - change_i, and h is the density of the edge.

        Returns
        -------
        diagonal : ndarray of shape (types,)
        own : ndarray of shape (types,)
            The part of the diagonal that comes from single attributes instead of pairs.
        pairs : function of an ndarray of shape (types,)
            The product of the remaining matrix with a vector.
        """
        counts, rest = self.counts, targets - self.share
        edge = self.edge / self.excess
        twice = (edge @ rest**2).real
        alone = targets**2 * edge.sum().real - (2 * targets - 1) * (edge @ self.share).real
        own = counts * np.maximum(alone - twice, 0.0)

        def pairs(vector: Floats) -> Floats:
            return np.asarray(counts * ((edge * (rest @ (counts * vector))) @ rest).real)

        return own + counts**2 * np.maximum(twice, 0.0), own, pairs

    @property
    def cells(self) -> int:
        """Cost of one evaluation: frequencies times types, plus a fixed cost.

        The work done once per frequency costs as much as 8 types.
        """
        return self.frequencies.size * (self.costs.size + 8)


def _products(shares: NDArray[np.complex128], start: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """``start`` times the shares of truth or lie of every attribute, shape (2,) * w + (frequencies,).

    Parameters
    ----------
    shares : ndarray of shape (frequencies, w)
    start : ndarray of shape (frequencies,)
    """
    weights = start
    for position in range(shares.shape[1]):
        share = shares[:, position]
        weights = np.stack([weights * (1 - share), weights * share], axis=position)
    return weights


class Candidate(NamedTuple):
    """Parameters of a phi, costs of shape (k,), and the best lower bound, in nats."""

    costs: Floats
    threshold: float
    softness: float
    lower_bound: float


def largest_odds(lies: Floats, epsilon: ArrayLike, sizes: ArrayLike) -> float:
    """Return the largest kappa with lies_i + kappa d_i <= q_i for every i.

    The result is negative if phi alone has too many changes.
    """
    return float(((lie_from_epsilon(epsilon, sizes) - lies) / _margins(epsilon, sizes)).min())


def certified_total(sums: LieSums, odds: float) -> float:
    """Return the epsilon of the record under w0 uniform + (1 - w0) phi / P.

    The mixture has odds = w0 / (1 - w0). The result is in nats and rounded up.

    X_S is proportional to odds P + phi_S. phi is largest if no answer changes and smallest if every answer changes.
    """
    ends = np.array([sums.threshold, sums.threshold - float(sums.counts @ sums.costs)]) / sums.softness
    high, low = np.logaddexp(np.log(odds) + sums.log_mass, scipy.special.log_ndtr(ends))
    return float(high - low) + ROUNDING


def _margins(epsilon: ArrayLike, sizes: ArrayLike) -> Floats:
    """d_i = p_i - 1/a_i, without cancellation."""
    return np.asarray(retention_from_epsilon(epsilon, sizes) * (1 - 1 / np.asarray(sizes, dtype=np.float64)))


def search(sizes: Floats, epsilon: Floats, report: Report) -> Candidate | None:
    """Return the best phi that is found for these sizes and epsilons.

    Both have shape (k,), and epsilons are in nats. The result is None if no phi has few enough changes and can be sampled.
    """
    types, kinds, counts = np.unique(np.column_stack([sizes, epsilon]), axis=0, return_inverse=True, return_counts=True)
    found = _Search(types[:, 0], types[:, 1], counts.astype(np.float64), report)
    for margin in _MARGINS:
        found.run(margin)
        if found.best is not None:
            costs, threshold, softness = found.best
            return Candidate(costs[kinds.ravel()], threshold, softness, found.lower_bound)
    return None


class _Search:
    """The best phi and the best lower bound found so far.

    Attributes are grouped by type.
    """

    def __init__(self, sizes: Floats, epsilon: Floats, counts: Floats, report: Report) -> None:
        self.sizes, self.counts, self.report = sizes, counts, report
        self.epsilon = epsilon
        self.allowed = lie_from_epsilon(epsilon, sizes)
        self.margins = _margins(epsilon, sizes)
        self.total, self.lower_bound = np.inf, float(epsilon.max()) - ROUNDING
        self.best: tuple[Floats, float, float] | None = None
        self.work = 0

    def run(self, margin: float) -> None:
        """Search with fewer changes than allowed, which gives up ``margin`` nats."""
        slack = margin / max(1.0, float(self.counts @ (self.epsilon * self.allowed))) * self.allowed
        reduced = self.allowed - slack
        cap = float((reduced / self.margins).min()) * (1 - margin)
        odds = min(1 / float(self.counts @ (self.epsilon * self.margins)), cap / 2)
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
        self.report(min(1.0, self.work / _WORK), "limiting the number of replaced answers")

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
        odds = largest_odds(sums.lies + sums.error, self.epsilon, self.sizes)
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
