"""Sums over all 2^k lie sets behind "Kronecker, conditioned on not lying too much" (theory.md section 12).

A lie about attribute i costs x_i; W is the sum of a record's costs, phi = Phi((threshold - W) / softness) with the normal
distribution function Phi: 1 where W is clearly below the threshold, 0 where it is clearly above, decreasing in between.
Under any product distribution of lies the expectation of a function h of W is one Fourier sum,

    E[h(W)] = (1/T) sum over omega of H(omega) prod_i (1 - w_i + w_i e^(-i omega x_i)),     omega = 2 pi j / T,

and a lie of i only replaces the factor of i. W is taken under the product that costs e^(-tilt x_i) for a lie, so that h is
about 1 where W is likely, and no sum is ever small. The normal edge makes H fall like a Gaussian: a few thousand
frequencies at most, a few dozen where W is spread widely. Nothing is rounded to a grid; errors are those of double precision
(about 1e-14 of a sum): the period T and the frequencies left out are chosen by Chernoff bounds at e^-44.
"""

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import NDArray

from rrcore.arrays import Floats
from rrcore.limits import MAX_MARGINAL

_NEGLIGIBLE = 44.0  # terms below e^-44 of the largest are left out
_SMALLEST_LIE = 35.0  # lie probabilities down to e^-35 keep full relative precision
_BLOCK = 8  # attributes multiplied at a time before negligible frequencies are dropped


class LieSums:
    """Sums of phi over all lie sets of attributes that come in types (equal size and cost).

    Parameters
    ----------
    sizes : ndarray of shape (types,), numbers of categories
    costs : ndarray of shape (types,), positive: x_i
    counts : ndarray of shape (types,), how many attributes are of this type
    threshold : float > 0
    softness : float > 0, width of the edge of phi, in the unit of the costs

    Attributes
    ----------
    tilt : float, the factor theta of the product under which sums are taken: a lie has weight (a_i - 1) e^(-theta x_i)
    tilted : ndarray of shape (types,), lie probabilities of that product
    mass : float, E[e^(theta (W - threshold)) phi] under it, in (0, 1]: the share of proposals a sampler accepts
    log_mass, log_excess : float
        ln E_U[phi] and ln E_U[softened (threshold - W)_+] under a uniform record; rounding errors make the first too small
        and the second too large, never the other way round. The softened part is never below the hard one.
    lies : ndarray of shape (types,), P_U(lie_i | phi)
    error : ndarray of shape (types,)
        Largest rounding error of ``lies``: usually 1e-13 of it, more where lies inside phi are far rarer than tilted ones.
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
        """P_U(lies among attributes of these types | phi), shape (2,) * len(types), index 1 for a lie.

        Half of the attributes at a time, so that 2^(k/2) and not 2^k numbers are kept for each frequency.
        """
        half, frequencies = len(types) // 2, len(self.inside)
        left = _products(self.share[:, types[:half]], self.inside).reshape(-1, frequencies)
        right = _products(self.share[:, types[half:]], np.ones_like(self.inside)).reshape(-1, frequencies)
        found = np.maximum((left @ right.T).real.reshape((2,) * len(types)), 0.0)
        return np.asarray(found / found.sum())

    def pairs(self) -> Floats:
        """P_U(lies of two attributes | phi), shape (types, types); on the diagonal two different ones of the same type."""
        left = self.share * self.inside[:, None]
        return np.asarray((left.real.T @ self.share.real - left.imag.T @ self.share.imag) / self.mass)

    def curvature(self, targets: Floats) -> tuple[Floats, Floats, Callable[[Floats], Floats]]:
        """E_U[f f' h] / E_U[softened (threshold - W)_+] with f_i = targets_i - lie_i and h the density of the edge.

        Returns
        -------
        diagonal : ndarray of shape (types,)
        own : ndarray of shape (types,)
            Its part that comes from each attribute alone, not from pairs.
        pairs : function of an ndarray of shape (types,)
            The product of the rest with a vector.
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
        """What one evaluation costs: frequencies times types, and as much as 8 types for what is done once per frequency."""
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
