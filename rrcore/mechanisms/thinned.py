"""Joint thinning, which preserves interactions by hiding groups of answers.

The base mechanism is slightly more truthful than required. Groups of answers are then hidden together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rrcore.arrays import Booleans, Floats
from rrcore.channel.channels import SubsetChannel, log_subset_counts
from rrcore.channel.epsilon import epsilon_from_lie, lie_from_epsilon
from rrcore.channel.interactions import kernel_from_factors
from rrcore.errors import InputError
from rrcore.limits import MAX_EPSILON
from rrcore.mechanisms.base import Counted, Mechanism
from rrcore.mechanisms.solve.countgrid import log_uniform
from rrcore.progress import Report, part, quiet

_ROUNDS = 12  # most times the mechanism below is rebuilt
_TIGHT = 2e-3  # the search ends when no pair is kept better than this above its floor
_ALIKE = 1e-9  # attributes of one kind whose chances to be hidden differ by less are hidden equally often, by the larger chance
_SHRINK = 1e-12  # relative margin by which lies are more frequent than requested, so that no level is exceeded by rounding


@dataclass(frozen=True, eq=False)
class Thinned(Mechanism):
    """Apply ``base``, then hide attributes by one uniform number per respondent.

    Every attribute with u < hidden_i is reported as a uniform value.

    The hiding does not depend on the true answers, so no epsilon of ``base`` increases. Because the same u applies to all
    attributes, mu_T is multiplied by the smallest 1 - hidden_i in T instead of by their product. Pairs therefore gain relative to
    single attributes.

    Parameters
    ----------
    sizes : tuple of k ints
    base : Mechanism over the same attributes
    hidden : ndarray of shape (k,), in [0, 1)
    """

    base: Mechanism
    hidden: Floats

    @classmethod
    def safe(
        cls,
        sizes: Sequence[int],
        epsilon: ArrayLike,
        build: Callable[..., Mechanism],
        *,
        floor: float = 1.0,
        report: Report = quiet,
    ) -> Thinned:
        """Return a mechanism with exactly these epsilons that preserves every pair.

        The epsilons are in nats, shape (k,), and mu_ij >= ``floor`` r_i r_j for every pair.

        Attribute i is hidden with probability theta (1 - r_i) after applying ``build(sizes, levels, report=report)`` at
        correspondingly higher epsilons. theta increases until every pair is preserved.

        Raises
        ------
        InputError
            If some pair cannot be preserved in this way.
        """
        kept_pairs = np.triu_indices(len(sizes), 1)
        loss = lie_from_epsilon(epsilon, sizes) / (1 - 1 / np.asarray(sizes, dtype=np.float64))  # 1 - r_i
        weakest = np.minimum.outer(loss, loss)[kept_pairs]
        safe, bound, low, high, theta = None, None, 0.0, 1.0, 0.0
        for round_ in range(_ROUNDS):
            found = cls._thinned(sizes, epsilon, theta, build, part(report, round_, _ROUNDS))
            bound = found.base.lower_bound if theta == 0 else bound
            ratios = found.pair_ratios()[kept_pairs] / floor
            if ratios.min() >= 1:
                safe, high = found, theta
            else:
                low = theta
            if safe is not None and (theta == 0 or ratios.min() - 1 < _TIGHT or high - low < _TIGHT * high):
                break
            ahead = theta + 1.1 * float(((1 - ratios) / weakest).max()) + 1e-6
            theta = min(ahead, (1 + low) / 2) if safe is None else (low + high) / 2
            if safe is None and (epsilon_from_lie((1 - theta) * lie_from_epsilon(epsilon, sizes), sizes) > MAX_EPSILON).any():
                break
        if safe is None:
            raise InputError(
                "At these values of ε, some pairs would be less accurate than under independent randomization. "
                "Choose independent randomization."
            )
        return replace(safe, bound=bound)

    @classmethod
    def _thinned(
        cls, sizes: Sequence[int], epsilon: ArrayLike, theta: float, build: Callable[..., Mechanism], report: Report
    ) -> Thinned:
        """Attribute i hidden with probability theta (1 - r_i), on top of a ``build`` truthful enough that r_i is left."""
        lies = lie_from_epsilon(epsilon, sizes) * (1 + _SHRINK)
        hidden = theta * lies / (1 - 1 / np.asarray(sizes, dtype=np.float64))
        below = (1 - theta) * lies / (1 - hidden)
        base = build(sizes, epsilon_from_lie(below, sizes) if theta else epsilon, report=report)
        return cls(tuple(int(a) for a in sizes), base, hidden)

    @property
    def lies(self) -> Floats:
        return np.asarray(self.base.lies * (1 - self.hidden) + self.hidden * self.uniform_lies)

    @property
    def epsilon_total(self) -> float:
        """Epsilon of the record under ``base``.

        This is an upper bound because the hiding depends on no answer.
        """
        return self.base.epsilon_total

    @property
    def epsilon_informed(self) -> Floats:
        """The epsilon_informed of ``base``.

        This is an upper bound because the hiding depends on no answer.
        """
        return self.base.epsilon_informed

    def channel(self, axes: Sequence[int]) -> SubsetChannel:
        below = self.base.channel(axes)
        kept = [np.array([1.0, 1 - share]) for share in self.hidden[list(axes)]]
        smallest = reduce(np.minimum.outer, kept, np.ones(()))
        weights = kernel_from_factors(below.factors * smallest, below.sizes)
        q = np.maximum(weights, 0.0) * np.exp(log_subset_counts(below.sizes))
        return SubsetChannel(below.sizes, q / q.sum())

    def by_counts(self) -> Counted | None:
        """Return the mechanism by counts.

        Attributes of the same kind are hidden equally often, so each step of u hides whole kinds. Their gains become the mean gain.
        """
        below = self.base.by_counts()
        if below is None:
            return None
        kind, gains = below.kind, below.log_gains
        hidden = np.array([self.hidden[kind == t].max() for t in range(gains.ndim)])
        if (np.abs(hidden[kind] - self.hidden) > _ALIKE).any():
            return None
        sizes = [self.sizes[int(np.argmax(kind == t))] for t in range(gains.ndim)]
        order = np.argsort(-hidden, kind="stable")
        steps = -np.diff(hidden[order], append=0.0)  # how often exactly the first one, two, ... kinds of the order are hidden
        mixed = [np.log1p(-hidden.max()) + gains]
        for t, share in zip(order, steps, strict=True):
            length = [-1 if axis == t else 1 for axis in range(gains.ndim)]
            chances = log_uniform(sizes[t : t + 1], np.array([gains.shape[t] - 1])).reshape(length)
            gains = np.broadcast_to(scipy.special.logsumexp(gains + chances, axis=t, keepdims=True), gains.shape)
            if share > 0:
                mixed.append(np.log(share) + gains)
        return Counted(self.sizes, kind, np.asarray(scipy.special.logsumexp(mixed, axis=0)))

    @cached_property
    def pair_factors(self) -> Floats:
        pairs = self.base.pair_factors * (1 - np.maximum.outer(self.hidden, self.hidden))
        np.fill_diagonal(pairs, self.retentions**2)
        return np.asarray(pairs)

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        lies = self.base._draw_lies(n, rng)
        u = rng.random(n)
        for i, (share, chance) in enumerate(zip(self.hidden, self.uniform_lies, strict=True)):
            hidden = np.flatnonzero(u < share)
            lies[i, hidden] = rng.random(hidden.size) < chance
        return lies
