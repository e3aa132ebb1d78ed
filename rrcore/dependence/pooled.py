"""A pattern common to all pairs of attributes, read through the known channel: latent classes, fitted to the released pairs by EM.

One pair of attributes released under strong protection says little about its many cells. All pairs together say more: a few latent
classes, within which attributes are independent, describe them with far fewer numbers. What the pattern misses in a pair is left
to ``debiased``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.dependence.pairs import PairTables
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet

CLASSES = 4
"""Latent classes: with more of them the pattern follows noise, which ranks pairs worse (theory.md section 17)."""

_PRIOR_PEOPLE = 3.0  # A Dirichlet prior worth so many people pulls the shares within each class towards the shares of everybody
_STEPS = 1_500  # EM steps after which the fit stops in any case
_STILL = 1e-9  # the fit stops once ten rounds gain less log-likelihood per person than this


@dataclass(frozen=True, eq=False)
class _Channel:
    """What a mechanism makes of the shares of all pairs, one block per pair."""

    tables: PairTables
    mechanism: Mechanism

    @cached_property
    def off_diagonal(self) -> Booleans:
        owner = self.tables.owner
        return np.asarray(owner[:, None] != owner[None, :])

    @cached_property
    def _mean(self) -> Floats:
        """Replaces each block's entries by their mean."""
        return np.where(self.off_diagonal, 0.0, 1 / np.array(self.tables.sizes)[self.tables.owner][:, None])

    @cached_property
    def _single(self) -> Floats:
        """Randomises every attribute on its own."""
        kept = self.mechanism.retentions[self.tables.owner]
        return np.diag(kept) + (1 - kept)[:, None] * self._mean

    @cached_property
    def _coupling(self) -> Floats | None:
        """mu_ij - r_i r_j on every entry of block (i, j); None for Kronecker, where it is 0."""
        r = self.mechanism.retentions
        extra = self.mechanism.pair_factors() - np.multiply.outer(r, r)
        if np.abs(extra).max() < 1e-14:
            return None
        return np.where(self.off_diagonal, extra[np.ix_(self.tables.owner, self.tables.owner)], 0.0)

    @cached_property
    def _residual(self) -> Floats:
        return np.asarray(np.eye(len(self._mean)) - self._mean)

    def __call__(self, shares: Floats) -> Floats:
        """Expected released shares; its own transpose, since every channel here is symmetric."""
        out = self._single @ shares @ self._single
        if self._coupling is not None:
            out = out + self._residual @ (self._coupling * shares) @ self._residual
        return np.where(self.off_diagonal, out, 0.0)


def pooled_pairs(released: PairTables, mechanism: Mechanism, margins: Floats, *, report: Report = quiet) -> PairTables:
    """The pairs of the latent-class model that makes the released pairs likeliest (composite likelihood, maximum a posteriori).

    Parameters
    ----------
    released : PairTables of the release
    mechanism : the Mechanism that released them; only its retentions r_i and pair factors mu_ij are used
    margins : ndarray of shape (K,), estimated shares of every category, positive, summing to 1 per attribute
    """
    channel = _Channel(released, mechanism)
    classes = max(2, min(CLASSES, max(released.sizes)))
    member = (released.owner[None, :] == np.arange(released.k)[:, None]).astype(np.float64)
    prior = _PRIOR_PEOPLE / released.n * margins[:, None]

    def step(weights: Floats, within: Floats) -> tuple[Floats, Floats, float]:
        """One EM step, and the objective before it."""
        expected = np.maximum(channel((within * weights) @ within.T), 1e-300)
        value = float((released.shares * np.log(expected)).sum()) / 2 + float((prior * np.log(within)).sum()) / 2
        ratio = np.divide(released.shares, expected, out=np.zeros_like(expected), where=released.shares > 0)
        mass = within * weights * (channel(ratio) @ within) + prior
        total = member @ mass
        return _proper(total.mean(axis=0)), mass / (member.T @ total), value

    def proper(weights: Floats, within: Floats) -> tuple[Floats, Floats]:
        within = np.maximum(within, 1e-12)
        return _proper(np.maximum(weights, 1e-12)), within / (member.T @ (member @ within))

    rng = np.random.default_rng(0)  # only breaks the tie between classes: the fit is the same at every call
    now = proper(np.full(classes, 1 / classes), margins[:, None] * rng.gamma(20, 1 / 20, (len(margins), classes)))
    values: list[float] = []
    for done in range(0, _STEPS, 3):
        first = step(*now)
        second = step(*first[:2])
        third = step(*proper(*_extrapolate(now, first[:2], second[:2])))
        best = third if third[2] >= second[2] else second
        now = best[:2]
        values.append(best[2])
        report(done / _STEPS, "looking for what pairs have in common")
        if len(values) > 10 and values[-1] - values[-10] < _STILL:
            break
    weights, within = now
    return replace(released, shares=np.where(channel.off_diagonal, (within * weights) @ within.T, 0.0))


def _proper(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum())


def _extrapolate(
    start: tuple[Floats, Floats], first: tuple[Floats, Floats], second: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Where the steps are heading (SQUAREM, Varadhan and Roland 2008)."""
    rise = [b - a for a, b in zip(start, first, strict=True)]
    bend = [c - 2 * b + a for a, b, c in zip(start, first, second, strict=True)]
    length = np.sqrt(sum(float((b**2).sum()) for b in bend))
    reach = min(256.0, max(1.0, np.sqrt(sum(float((r**2).sum()) for r in rise)) / length)) if length > 0 else 1.0
    weights, within = (a + 2 * reach * r + reach**2 * b for a, r, b in zip(start, rise, bend, strict=True))
    return weights, within
