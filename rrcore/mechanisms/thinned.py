"""Joint thinning: buy interactions back by making a mechanism a little too truthful, then hiding whole groups of answers at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations_with_replacement

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.channel.factors import kernel_from_factors
from rrcore.channel.levels import level_from_lie, lie_from_level
from rrcore.channel.liesets import LieSets, log_lie_set_counts
from rrcore.errors import InputError
from rrcore.limits import MAX_LEVEL, MAX_THINNED_SETS
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.solve.countgrid import log_uniform
from rrcore.progress import Report, part, quiet

_ROUNDS = 12  # most times the mechanism below is rebuilt
_TIGHT = 2e-3  # the search ends when no pair is kept better than this above its floor
_ALIKE = 1e-9  # attributes of one kind whose chances to be hidden differ by less are hidden equally often, by the larger chance
_SHRINK = 1e-12  # relative margin by which lies are more frequent than requested, so that no level is exceeded by rounding


@dataclass(frozen=True, eq=False)
class Thinned(Mechanism):
    """``base``, then one uniform u per respondent: every attribute with u < hidden_i is reported as a uniform value.

    The hiding does not look at the true answers, so no level, leakage or total of ``base`` grows. Because one u serves all
    attributes, mu_T is multiplied by the smallest 1 - hidden_i of T and not by their product: pairs gain on single attributes.

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
        levels: ArrayLike,
        build: Callable[..., Mechanism],
        *,
        width: int = 2,
        floor: float = 1.0,
        report: Report = quiet,
    ) -> Thinned:
        """Exactly these levels (nats, shape (k,)), with mu_T >= ``floor`` prod r_i for every T of 2 to ``width`` attributes.

        Attribute i is hidden with probability theta (1 - r_i) on top of ``build(sizes, levels, report=report)`` at accordingly
        higher levels; theta grows until every T stands.

        Raises
        ------
        InputError
            If some T cannot be bought back this way, or if there are too many to look at.
        """
        larger = _representatives(sizes, levels, width)
        kept_pairs = np.triu_indices(len(sizes), 1)
        loss = lie_from_level(levels, sizes) / (1 - 1 / np.asarray(sizes, dtype=np.float64))  # 1 - r_i
        weakest = np.r_[np.minimum.outer(loss, loss)[kept_pairs], [np.sort(loss[list(axes)])[:-1].sum() for axes in larger]]
        kept = [float((1 - loss)[list(axes)].prod()) for axes in larger]
        safe, bound, low, high, theta = None, None, 0.0, 1.0, 0.0
        for round_ in range(_ROUNDS):
            found = cls._thinned(sizes, levels, theta, build, part(report, round_, _ROUNDS))
            bound = found.base.lower_bound if theta == 0 else bound
            above = [found.factor(axes) / own for axes, own in zip(larger, kept, strict=True)]
            ratios = np.r_[found.pair_ratios()[kept_pairs], above] / floor
            if ratios.min() >= 1:
                safe, high = found, theta
            else:
                low = theta
            if safe is not None and (theta == 0 or ratios.min() - 1 < _TIGHT or high - low < _TIGHT * high):
                break
            ahead = theta + 1.1 * float(((1 - ratios) / weakest).max()) + 1e-6
            theta = min(ahead, (1 + low) / 2) if safe is None else (low + high) / 2
            if safe is None and (level_from_lie((1 - theta) * lie_from_level(levels, sizes), sizes) > MAX_LEVEL).any():
                break
        if safe is None:
            what = "pair" if width == 2 else f"set of up to {width} attributes"
            raise InputError(f"Not every {what} can be kept as well as under Kronecker at these levels: choose Kronecker.")
        return replace(safe, bound=bound)

    @classmethod
    def _thinned(
        cls, sizes: Sequence[int], levels: ArrayLike, theta: float, build: Callable[..., Mechanism], report: Report
    ) -> Thinned:
        """Attribute i hidden with probability theta (1 - r_i), on top of a ``build`` truthful enough that r_i is left."""
        lies = lie_from_level(levels, sizes) * (1 + _SHRINK)
        hidden = theta * lies / (1 - 1 / np.asarray(sizes, dtype=np.float64))
        below = (1 - theta) * lies / (1 - hidden)
        base = build(sizes, level_from_lie(below, sizes) if theta else levels, report=report)
        return cls(tuple(int(a) for a in sizes), base, hidden)

    @property
    def method(self) -> str:
        if not self.hidden.any():
            return self.base.method
        return f"{self.base.method}, a little more truthful; then groups of answers are hidden until enough survives"

    @property
    def lies(self) -> Floats:
        return np.asarray(self.base.lies * (1 - self.hidden) + self.hidden * self.uniform_lies)

    @property
    def total_level(self) -> float:
        """The total of ``base``: an upper bound, since what follows looks at no answer."""
        return self.base.total_level

    @property
    def leakage(self) -> Floats:
        """The leakage of ``base``: an upper bound, for the same reason."""
        return self.base.leakage

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        below = self.base.marginal_channel(axes)
        kept = [np.array([1.0, 1 - share]) for share in self.hidden[list(axes)]]
        smallest = reduce(np.minimum.outer, kept, np.ones(()))
        weights = kernel_from_factors(below.factors * smallest, below.sizes)
        q = np.maximum(weights, 0.0) * np.exp(log_lie_set_counts(below.sizes))
        return LieSets(below.sizes, q / q.sum())

    def by_counts(self) -> tuple[Integers, Floats] | None:
        """Attributes of one kind are hidden equally often, so each step of u hides whole kinds: their gains become the mean gain."""
        below = self.base.by_counts()
        if below is None:
            return None
        kind, gains = below
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
        return kind, np.asarray(scipy.special.logsumexp(mixed, axis=0))

    @property
    def _pair_factors(self) -> Floats:
        pairs = self.base.pair_factors() * (1 - np.maximum.outer(self.hidden, self.hidden))
        np.fill_diagonal(pairs, self.retentions**2)
        return np.asarray(pairs)

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        lies = self.base._draw_lies(n, rng)
        u = rng.random(n)
        for i, (share, chance) in enumerate(zip(self.hidden, self.uniform_lies, strict=True)):
            hidden = np.flatnonzero(u < share)
            lies[i, hidden] = rng.random(hidden.size) < chance
        return lies


def _representatives(sizes: Sequence[int], levels: ArrayLike, width: int) -> list[tuple[int, ...]]:
    """The sets of 3 to ``width`` attributes, one of those that share numbers of categories and levels."""
    if width < 3:
        return []
    kinds = list(zip(sizes, np.asarray(levels, dtype=np.float64).tolist(), strict=True))
    first = {kind: [i for i, other in enumerate(kinds) if other == kind] for kind in kinds}
    found: list[tuple[int, ...]] = []
    for size in range(3, width + 1):
        for members in combinations_with_replacement(sorted(first), size):
            counts = Counter(members)
            if all(number <= len(first[kind]) for kind, number in counts.items()):
                found.append(tuple(i for kind, number in counts.items() for i in first[kind][:number]))
            if len(found) > MAX_THINNED_SETS:
                raise InputError(f"There are over {MAX_THINNED_SETS:,} kinds of sets of {width} attributes: choose smaller sets.")
    return found
