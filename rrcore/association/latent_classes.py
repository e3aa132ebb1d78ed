"""Latent classes fitted by EM to randomized pairs of attributes.

The fit uses the known channel.

A single pair randomized with a small ε contains little information about its many cells. All pairs together contain more. A few
latent classes, within which attributes are independent, describe the pairs with few parameters. ``debiased`` adds the deviation of
each pair.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rrcore.arrays import Booleans, Floats
from rrcore.association.pairs import PairTables
from rrcore.mechanisms import Mechanism
from rrcore.progress import Report, quiet

CLASSES = 4
"""Number of latent classes. More of them fit noise, which ranks pairs worse (theory.md section 17)."""

# weight, in people, of a Dirichlet prior that draws the shares within each class toward those of everybody
_PRIOR_PEOPLE = 3.0
# most EM steps
_STEPS = 1_500
# the fit stops when ten rounds gain less log-likelihood per person than this
_STILL = 1e-9


@dataclass(frozen=True, eq=False)
class _Channel:
    """The channel of a mechanism on the shares of all pairs, by blocks.

    The channel is its own transpose because every channel here is symmetric. It works on the factors of a product and never forms
    the product, because randomizing an attribute acts only within its block.
    """

    tables: PairTables
    mechanism: Mechanism

    @cached_property
    def off_diagonal(self) -> Booleans:
        owner = self.tables.owner
        return np.asarray(owner[:, None] != owner[None, :])

    @cached_property
    def _mean(self) -> Floats:
        """The matrix that replaces the entries of each block by their mean."""
        return np.where(self.off_diagonal, 0.0, 1 / np.array(self.tables.sizes)[self.tables.owner][:, None])

    @cached_property
    def single(self) -> Floats:
        """The matrix that randomizes every attribute independently."""
        kept = self.mechanism.retentions[self.tables.owner]
        return np.diag(kept) + (1 - kept)[:, None] * self._mean

    @cached_property
    def coupling(self) -> Floats | None:
        """The values mu_ij - r_i r_j on every entry of block (i, j).

        None for independent randomization, for which they are 0.
        """
        r = self.mechanism.retentions
        extra = self.mechanism.pair_factors - np.multiply.outer(r, r)
        if np.abs(extra).max() < 1e-14:
            return None
        return np.where(self.off_diagonal, extra[np.ix_(self.tables.owner, self.tables.owner)], 0.0)

    @cached_property
    def residual(self) -> Floats:
        """The matrix that subtracts the mean of each block."""
        return np.asarray(np.eye(len(self._mean)) - self._mean)

    def expected(self, weights: Floats, within: Floats) -> Floats:
        """Return the expected released shares under the classes, all positive.

        Blocks on the diagonal have no meaning.
        """
        sent = self.single @ within
        out = (sent * weights) @ sent.T
        if self.coupling is not None:
            rest = self.residual @ within
            out += self.coupling * ((rest * weights) @ rest.T)
        return np.maximum(out, 1e-300)

    def back(self, ratio: Floats, within: Floats) -> Floats:
        """Return the transposed channel applied to ``ratio``, times ``within``.

        The diagonal blocks of ``ratio`` are 0.
        """
        out = self.single @ (ratio @ (self.single @ within))
        if self.coupling is not None:
            out += self.residual @ ((self.coupling * ratio) @ (self.residual @ within))
        return np.asarray(out)


def latent_class_pairs(released: PairTables, mechanism: Mechanism, margins: Floats, *, report: Report = quiet) -> PairTables:
    """Fit latent classes to the released pairs and return their pairs.

    The fit maximizes the posterior of a composite likelihood.

    Parameters
    ----------
    released : PairTables
        The randomized pairs.
    mechanism : Mechanism
        Its retentions r_i and pair factors mu_ij are used.
    margins : ndarray of shape (K,)
        Estimated shares of every category, positive, with sum 1 for each attribute.
    report : callable
        Called with the progress.
    """
    channel = _Channel(released, mechanism)
    classes = max(2, min(CLASSES, max(released.sizes)))
    member = (released.owner[None, :] == np.arange(released.k)[:, None]).astype(np.float64)
    prior = _PRIOR_PEOPLE / released.n * margins[:, None]

    def step(state: Floats) -> tuple[Floats, Floats]:
        """Return the state after one EM step, and the expected shares before it.

        The last row of a state holds the class weights.
        """
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

    # breaks the tie between classes, the same at every call
    rng = np.random.default_rng(0)
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
        report(done / _STEPS, "fitting the common pattern of all pairs")
        if len(values) > 10 and values[-1] - values[-10] < _STILL:
            break
    return replace(released, shares=np.where(channel.off_diagonal, (now[:-1] * now[-1]) @ now[:-1].T, 0.0))


def _extrapolate(start: Floats, first: Floats, second: Floats) -> Floats:
    """Extrapolate two EM steps (SQUAREM, Varadhan and Roland 2008)."""
    rise, bend = first - start, second - 2 * first + start
    length = float(np.linalg.norm(bend))
    reach = min(256.0, max(1.0, float(np.linalg.norm(rise)) / length)) if length > 0 else 1.0
    return np.asarray(start + 2 * reach * rise + reach**2 * bend)
