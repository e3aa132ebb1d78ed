"""Kronecker conditioned on few changes (theory.md section 12).

This mechanism is nearly optimal for any number of attributes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from rrcore.arrays import Booleans, Floats, Integers, outer
from rrcore.channel.channels import SubsetChannel
from rrcore.channel.epsilon import lie_from_epsilon
from rrcore.channel.interactions import on_each_axis
from rrcore.errors import InputError
from rrcore.limits import MAX_COUNT_VECTORS
from rrcore.mechanisms.base import Counted, Mechanism
from rrcore.mechanisms.solve.sets_of_changes import ROUNDING, LieSums, certified_total, largest_odds, search
from rrcore.progress import Report, quiet

_SHRINK = 1e-12  # nats, about, by which each level is kept below the requested one, so that rounding does not exceed it
_PROPOSED = 1 << 18  # lies proposed at a time by the sampler, so that the work stays in the processor's cache

_NEVER = -36.0
"""A proposal whose acceptance probability is below e^-36 is rejected outright: fewer lies are then inside phi, never more."""

_FEW_VECTORS = 1 << 14
"""Most count vectors that lies are drawn by."""

_MOST_GAIN = 600.0
"""Most, in nats, by which one output may be likelier than another where gains are computed by counts: double precision ends at 700."""

_HALVINGS = 100  # bisections by which the largest leakage is found


@dataclass(frozen=True, eq=False)
class Conditioned(Mechanism):
    """Draw a uniform record or a set of few changes, then replace some answers.

    The record is uniform with probability w0. Otherwise, the set of changes is drawn from U_S phi_S / P. Some answers are then
    replaced by uniform ones.

    phi_S = Phi((threshold - W) / softness), where W is the sum of the costs of the changes in S, and Phi is the normal distribution
    function. phi_S is nearly 1 or nearly 0, as at the optimum (section 2). w0 is as large as the epsilons allow. Each attribute is
    then replaced just often enough to have exactly its epsilon. This last step does not depend on any answer, so it spends no
    privacy budget.

    Parameters
    ----------
    sizes : tuple of k ints
    requested : ndarray of shape (k,), nats
    costs : ndarray of shape (k,), in nats, the amount that changing each attribute adds to W
    threshold, softness : float, nats
    """

    requested: Floats
    costs: Floats
    threshold: float
    softness: float

    @classmethod
    def from_epsilon(cls, sizes: Sequence[int], epsilon: ArrayLike, *, report: Report = quiet) -> Conditioned:
        """Search for the mechanism of this kind with the lowest epsilon of the record.

        It has exactly the requested epsilons.

        Parameters
        ----------
        sizes : k ints, 2 to 10,000
        epsilon : k floats, nats, .001 to 30
        report : called with the progress of the search. It may raise an exception to stop the search.

        Raises
        ------
        InputError
            If no mechanism is found that has a lower epsilon than Kronecker and can be sampled in reasonable time.
        """
        requested = np.asarray(epsilon, dtype=np.float64)
        found = search(np.asarray(sizes, dtype=np.float64), requested, report)
        if found is not None:
            mechanism = cls(
                tuple(int(a) for a in sizes), requested, found.costs, found.threshold, found.softness, bound=found.lower_bound
            )
            if mechanism.epsilon_total <= requested.sum():
                return mechanism
        raise InputError(
            "Limiting the number of replaced answers gains nothing at these values of ε. Choose the closed form, the lowest "
            "total ε or independent randomization."
        )

    @cached_property
    def _kinds(self) -> NDArray[np.intp]:
        """Attributes of equal size and cost share a number."""
        return np.unique(np.column_stack([self.sizes, self.costs]), axis=0, return_inverse=True)[1].ravel()

    @cached_property
    def _sums(self) -> LieSums:
        _, first, counts = np.unique(self._kinds, return_index=True, return_counts=True)
        sizes = np.asarray(self.sizes, dtype=np.float64)[first]
        return LieSums(sizes, self.costs[first], counts.astype(np.float64), self.threshold, self.softness)

    @cached_property
    def _odds(self) -> float:
        """kappa = w0 / (1 - w0)."""
        return largest_odds((self._sums.lies + self._sums.error)[self._kinds], self.requested, self.sizes)

    @cached_property
    def _share(self) -> float:
        """w0, the share of uniform records."""
        return self._odds / (1 + self._odds)

    @cached_property
    def _before(self) -> Floats:
        """Lie probabilities before answers are replaced, rounded down, so that no level is exceeded."""
        inside = np.maximum(self._sums.lies - self._sums.error, 0.0)[self._kinds]
        return np.asarray(self._share * self.uniform_lies + (1 - self._share) * inside)

    @cached_property
    def _replaced(self) -> Floats:
        """How often each attribute is replaced by a uniform value."""
        lies = lie_from_epsilon(self.requested, self.sizes)
        wanted = lies + _SHRINK * lies * (1 - lies)
        return np.asarray(np.clip((wanted - self._before) / (self.uniform_lies - self._before), 0.0, 1.0))

    @cached_property
    def lies(self) -> Floats:
        return np.asarray(self._before + self._replaced * (self.uniform_lies - self._before))

    @cached_property
    def epsilon_total(self) -> float:
        """Certified upper bound on the epsilon of the record.

        The bound is computed from the mechanism itself and rounded up by 1e-9 nats.

        The bound is exact except for the replaced answers, which can only lower epsilon: phi is largest without changes and
        smallest if every answer changes. A single attribute has its own epsilon.
        """
        if self.k == 1:
            return float(self.epsilon[0])
        return certified_total(self._sums, self._odds)

    @cached_property
    def epsilon_informed(self) -> Floats:
        """Upper bounds on L_i in both directions, in nats, shape (k,).

        They are at most the epsilon of the record.

        Given the other attributes, the true answer to attribute i is always the more likely case. The ratio of the two
        probabilities is bounded by its largest value over all W from 0 to the sum of the other costs. Changes of the other
        attributes need not attain each of these W.
        """
        log_floor = np.log(self._odds) + self._sums.log_mass  # X_S is proportional to kappa P + phi_S
        low, high = np.zeros(self.k), np.maximum(self.costs.sum() - self.costs, 0.0)

        def log_weight(w: Floats) -> Floats:
            return np.asarray(np.logaddexp(log_floor, scipy.special.log_ndtr((self.threshold - w) / self.softness)))

        def log_slope(w: Floats) -> Floats:
            """Return the log of the negative derivative of ``log_weight`` up to a constant.

            The function increases to a single peak and then decreases.
            """
            return np.asarray(-(((self.threshold - w) / self.softness) ** 2) / 2 - log_weight(w))

        for _ in range(_HALVINGS):  # the ratio rises while the slope at w + x_i is the larger one
            middle = (low + high) / 2
            rising = log_slope(middle + self.costs) > log_slope(middle)
            low, high = np.where(rising, middle, low), np.where(rising, high, middle)
        largest = np.max([log_weight(w) - log_weight(w + self.costs) for w in (low, high)], axis=0)
        return np.asarray(np.clip(largest + ROUNDING, self.epsilon, self.epsilon_total))

    def channel(self, axes: Sequence[int]) -> SubsetChannel:
        """Return the channel of a marginal of up to 8 attributes, accurate to 1e-12."""
        chosen = list(axes)
        sizes = tuple(self.sizes[i] for i in chosen)
        uniform: Floats = SubsetChannel.product(sizes, self.uniform_lies[chosen]).probabilities
        q: Floats = self._share * uniform + (1 - self._share) * self._sums.joint(self._kinds[chosen])
        shares = zip(self._replaced[chosen], self.uniform_lies[chosen], strict=True)
        q = on_each_axis(q, [np.eye(2) + r * np.array([[-c, 1 - c], [c, c - 1]]) for r, c in shares])
        return SubsetChannel(sizes, q / q.sum())

    @cached_property
    def _alike(self) -> tuple[Floats, Integers, Integers]:
        """Kinds of attributes that are replaced equally often too: (``_kinds``, how often), their first attribute, each attribute's kind."""
        rows = np.column_stack([self._kinds, self._replaced])
        found, first, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return found, first, kind.ravel()

    def by_counts(self) -> Counted | None:
        """Return the mechanism by counts.

        Attributes are of the same kind if they have the same size and cost and are replaced equally often.
        """
        rows, first, kind = self._alike
        numbers = np.bincount(kind)
        if math.prod(int(number) + 1 for number in numbers) > MAX_COUNT_VECTORS:
            return None
        w = outer((np.arange(number + 1) * cost for number, cost in zip(numbers, self.costs[first], strict=True)), np.add)
        inside = np.log1p(-self._share) + scipy.special.log_ndtr((self.threshold - w) / self.softness) - self._sums.log_mass
        with np.errstate(divide="ignore"):
            gains = np.logaddexp(np.log(self._share), inside)
        if not gains.max() - gains.min() <= _MOST_GAIN:
            return None
        for t, (number, replaced, chance) in enumerate(zip(numbers, rows[:, 1], self.uniform_lies[first], strict=True)):
            moved = np.tensordot(_moves(int(number), replaced, chance), np.exp(gains - gains.max()), axes=(1, t))
            gains = np.log(np.moveaxis(moved, 0, t)) + gains.max()
        return Counted(self.sizes, kind, gains)

    @cached_property
    def pair_factors(self) -> Floats:
        together = self._sums.pairs()[np.ix_(self._kinds, self._kinds)]
        loss = self._sums.lies[self._kinds] / self.uniform_lies
        kept = 1 - self._replaced
        pairs = (1 - self._share) * (
            1 - np.add.outer(loss, loss) + together / np.multiply.outer(self.uniform_lies, self.uniform_lies)
        )
        pairs *= np.multiply.outer(kept, kept)
        np.fill_diagonal(pairs, self.retentions**2)
        return np.asarray(pairs)

    @cached_property
    def _counted(self) -> Counted | None:
        """This mechanism by counts of lies, where there are few of them: drawing those takes a fraction of the time of drawing proposals."""
        vectors = math.prod(int(number) + 1 for number in np.bincount(self._alike[2]))
        return self.by_counts() if vectors <= _FEW_VECTORS else None

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        if self._counted is not None:
            return self._counted._draw_lies(n, rng)
        uniform = rng.random(n) < self._share
        lies = np.empty((self.k, n), dtype=np.bool_)
        lies[:, ~uniform] = self._draw_conditioned(n - int(uniform.sum()), rng)
        for i, (chance, replaced) in enumerate(zip(self.uniform_lies, self._replaced, strict=True)):
            probability = np.where(lies[i], 1 - replaced + replaced * chance, replaced * chance)
            lies[i] = rng.random(n) < np.where(uniform, chance, probability)
        return lies

    def _draw_conditioned(self, n: int, rng: np.random.Generator) -> Booleans:
        """n sets of changes from U_S phi_S / P, shape (k, n): tilted products, accepted with e^(tilt (W - threshold)) phi.

        The expected number of proposals is n / mass, and the search takes no mechanism whose mass is below LEAST_ACCEPTANCE.
        """
        sums = self._sums
        tilted = sums.tilted[self._kinds][:, None]
        drawn, missing = [np.empty((self.k, 0), dtype=np.bool_)], n
        while missing > 0:
            proposals = rng.random((self.k, min(_PROPOSED // self.k, int(1.1 * missing / sums.mass) + 20))) < tilted
            w = self.costs @ proposals
            log_accept = sums.tilt * (w - self.threshold) + scipy.special.log_ndtr((self.threshold - w) / self.softness)
            with np.errstate(under="ignore"):
                chance = np.where(log_accept < _NEVER, 0.0, np.exp(log_accept))
            accepted = proposals[:, 1 - rng.random(w.size) <= chance][:, :missing]
            drawn.append(accepted)
            missing -= accepted.shape[1]
        return np.concatenate(drawn, axis=1)


def _moves(number: int, replaced: float, chance: float) -> Floats:
    """Probability that m' lies among ``number`` attributes become m when each is replaced with probability ``replaced`` by a uniform
    value, which lies with probability ``chance``; row m', column m.
    """
    rows = []
    for lies in range(number + 1):
        kept = _binomial(lies, 1 - replaced * (1 - chance))
        rows.append(np.convolve(kept, _binomial(number - lies, replaced * chance)))
    return np.array(rows)


def _binomial(number: int, chance: float) -> Floats:
    """Probability of 0, 1, ..., ``number`` successes, shape (number + 1,)."""
    m = np.arange(number + 1)
    ways = scipy.special.gammaln(number + 1) - scipy.special.gammaln(m + 1) - scipy.special.gammaln(number - m + 1)
    return np.asarray(np.exp(ways + scipy.special.xlogy(m, chance) + scipy.special.xlog1py(number - m, -chance)))
