"""A pattern common to all pairs of attributes, read through the known channel: latent classes, fitted to the released pairs by EM.

One pair of attributes released under strong protection says little about its many cells. All pairs together say more: a few latent
classes, within which attributes are independent, describe them with far fewer numbers. What the pattern misses in a pair is left
to ``debiased``.
"""

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
    """What a mechanism makes of the shares of all pairs, one block per pair; it is its own transpose, since every channel here is symmetric.

    It works on the columns of the factors of a product only, never on the product: randomising an attribute acts within its block.
    """

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
    def single(self) -> Floats:
        """Randomises every attribute on its own."""
        kept = self.mechanism.retentions[self.tables.owner]
        return np.diag(kept) + (1 - kept)[:, None] * self._mean

    @cached_property
    def coupling(self) -> Floats | None:
        """mu_ij - r_i r_j on every entry of block (i, j); None for Kronecker, where it is 0."""
        r = self.mechanism.retentions
        extra = self.mechanism.pair_factors() - np.multiply.outer(r, r)
        if np.abs(extra).max() < 1e-14:
            return None
        return np.where(self.off_diagonal, extra[np.ix_(self.tables.owner, self.tables.owner)], 0.0)

    @cached_property
    def residual(self) -> Floats:
        """Takes each block's mean away."""
        return np.asarray(np.eye(len(self._mean)) - self._mean)

    def expected(self, weights: Floats, within: Floats) -> Floats:
        """Expected released shares if the true ones are those of the classes; positive, of no meaning in the blocks on the diagonal."""
        sent = self.single @ within
        out = (sent * weights) @ sent.T
        if self.coupling is not None:
            rest = self.residual @ within
            out += self.coupling * ((rest * weights) @ rest.T)
        return np.maximum(out, 1e-300)

    def back(self, ratio: Floats, within: Floats) -> Floats:
        """The channel's transpose on ``ratio``, whose blocks on the diagonal are 0, times ``within``."""
        out = self.single @ (ratio @ (self.single @ within))
        if self.coupling is not None:
            out += self.residual @ ((self.coupling * ratio) @ (self.residual @ within))
        return np.asarray(out)


def latent_class_pairs(released: PairTables, mechanism: Mechanism, margins: Floats, *, report: Report = quiet) -> PairTables:
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

    def step(state: Floats) -> tuple[Floats, Floats]:
        """One EM step, and the shares expected before it. The last row of a state holds the weights of the classes."""
        weights, within = state[-1], state[:-1]
        expected = channel.expected(weights, within)
        mass = within * weights * channel.back(released.shares / expected, within) + prior
        return proper(np.concatenate([mass, mass.sum(axis=0, keepdims=True)])), expected

    def objective(state: Floats, expected: Floats) -> float:
        return (float(np.vdot(released.shares, np.log(expected))) + float((prior * np.log(state[:-1])).sum())) / 2

    def proper(state: Floats) -> Floats:
        state[:-1] /= member.T @ (member @ state[:-1])
        state[-1] /= state[-1].sum()
        return state

    rng = np.random.default_rng(0)  # only breaks the tie between classes: the fit is the same at every call
    start = margins[:, None] * rng.gamma(20, 1 / 20, (len(margins), classes))
    now = proper(np.concatenate([np.maximum(start, 1e-12), np.full((1, classes), 1 / classes)]))
    values: list[float] = []
    for done in range(0, _STEPS, 3):
        first, _ = step(now)
        second, expected = step(first)
        ahead = proper(np.maximum(_extrapolate(now, first, second), 1e-12))
        third, further = step(ahead)
        plain, far = objective(first, expected), objective(ahead, further)
        now = third if far >= plain else second
        values.append(max(plain, far))
        report(done / _STEPS, "looking for what pairs have in common")
        if len(values) > 10 and values[-1] - values[-10] < _STILL:
            break
    return replace(released, shares=np.where(channel.off_diagonal, (now[:-1] * now[-1]) @ now[:-1].T, 0.0))


def _extrapolate(start: Floats, first: Floats, second: Floats) -> Floats:
    """Where the steps are heading (SQUAREM, Varadhan and Roland 2008)."""
    rise, bend = first - start, second - 2 * first + start
    length = float(np.linalg.norm(bend))
    reach = min(256.0, max(1.0, float(np.linalg.norm(rise)) / length)) if length > 0 else 1.0
    return np.asarray(start + 2 * reach * rise + reach**2 * bend)
