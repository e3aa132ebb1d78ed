"""Mechanisms in closed form: Kronecker, at most one lie on purpose (theory.md section 3), or the whole record replaced: RR-Joint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rrcore.arrays import Booleans, Floats
from rrcore.channel.levels import lie_from_level
from rrcore.channel.liesets import LieSets
from rrcore.errors import InputError
from rrcore.mechanisms.base import Mechanism
from rrcore.mechanisms.listed import Listed


@dataclass(frozen=True, eq=False)
class Kronecker(Mechanism):
    """Independent lies with exactly the requested levels; the record costs their sum, and L_i = eps_i.

    Parameters
    ----------
    sizes : tuple of k ints
    requested : ndarray of shape (k,), nats; the levels eps_i
    """

    requested: Floats

    @classmethod
    def from_levels(cls, sizes: Sequence[int], levels: ArrayLike) -> Kronecker:
        """Independent randomization at the requested levels (nats, shape (k,))."""
        return cls(tuple(sizes), np.asarray(levels, dtype=np.float64))

    @property
    def method(self) -> str:
        """Empty where it was asked for; else what was tried before it was all that is left."""
        return f"every answer on its own, since nothing cheaper was found ({' '.join(self.tried)})" if self.tried else ""

    @property
    def lies(self) -> Floats:
        return lie_from_level(self.requested, self.sizes)

    @property
    def levels(self) -> Floats:
        return self.requested

    @property
    def total_level(self) -> float:
        return float(np.sum(self.requested))

    @property
    def leakage(self) -> Floats:
        return self.requested

    def apart(self) -> list[tuple[tuple[int, ...], Mechanism]]:
        halves = zip(self.sizes, self.lies, strict=True)
        alone = (Listed.at_most_one((size,), lie * size / (size - 1), np.zeros(1)) for size, lie in halves)
        return [((i,), own) for i, own in enumerate(alone)]

    def marginal_channel(self, axes: Sequence[int]) -> LieSets:
        chosen = list(axes)
        return LieSets.product([self.sizes[i] for i in chosen], self.lies[chosen])

    @property
    def _pair_factors(self) -> Floats:
        return np.asarray(np.multiply.outer(self.retentions, self.retentions))

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        return np.asarray(rng.random((self.k, n)) < self.lies[:, None])


_SLACK = 1e-12  # relative rounding allowed when linear inequalities are compared
_TIE = 1e-10  # attributes whose right ends agree to this relative precision bind together


@dataclass(frozen=True, eq=False)
class ClosedForm(Listed):
    """At most one lie on purpose, else a uniform record. O(k), any number of attributes.

    ``bound`` is its own total where the optimality test of section 3 holds; elsewhere it can cost far more than Kronecker.
    """

    @property
    def method(self) -> str:
        return "closed form"

    @classmethod
    def from_levels(cls, sizes: Sequence[int], levels: ArrayLike) -> ClosedForm:
        """The cheapest mechanism of this family with exactly the requested levels (nats, shape (k,)).

        Raises
        ------
        InputError
            If no mechanism of this family has these levels.
        """
        a = np.asarray(sizes, dtype=np.float64)
        lies = lie_from_level(levels, sizes)
        loss = lies * a / (a - 1)  # 1 - r_i
        low, ends = 1 / float(loss.min()), _right_ends(a, loss)
        high = float(ends.min())
        if low > high * (1 + _SLACK):
            raise InputError("The closed form does not exist for these levels: choose the optimum or Kronecker.")
        expected_lies = float(lies.sum())
        turns = low if expected_lies <= 1 else high
        tied = lies[ends <= high * (1 + _TIE)]
        optimal = expected_lies <= 1 or expected_lies - 1 <= max(float(tied.max()), float(tied.sum()) / 2) + _SLACK
        single = np.maximum((a - 1) * (loss - 1 / turns) / a, 0.0)
        found = cls.at_most_one(sizes, 1 / turns, single)
        return replace(found, bound=found.total_level) if optimal else found


def _right_ends(a: Floats, loss: Floats) -> Floats:
    """The largest T with y_0 >= y_i, one per attribute.

    y_0 - y_i = slope T - constant; the constant is never positive, so the bound holds for every T unless slope < 0.
    """
    w = 1 - 1 / a
    slope = 1 - float(w @ loss) - loss / a
    constant = 1 - float(w.sum()) - 1 / a
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(slope < 0, constant / slope, np.inf))


@dataclass(frozen=True, eq=False)
class Joint(Listed):
    """Keep the whole record with probability rho, else report a uniform record (Multi-Dimensional RR, section 3.2; theory.md section 1).

    All attributes share r_i = rho, so unequal levels cannot all be met: ``from_levels`` never exceeds any.
    """

    @classmethod
    def from_levels(cls, sizes: Sequence[int], levels: ArrayLike) -> Joint:
        """The most truthful RR-Joint that exceeds no requested level (nats, shape (k,)): rho = min r_i."""
        others = np.asarray(sizes, dtype=np.float64) - 1
        uniform = float((lie_from_level(levels, sizes) * (1 + 1 / others)).max())  # 1 - min r_i, without cancellation
        return cls.at_most_one(sizes, uniform, np.zeros(len(sizes)))

    @classmethod
    def from_total(cls, sizes: Sequence[int], total: float) -> Joint:
        """RR-Joint with record-level budget ``total`` in nats: rho = (e^total - 1) / (e^total + M - 1)."""
        log_odds = total + np.log(-np.expm1(-total)) - np.log(sizes).sum()  # of keeping: (e^total - 1) / M
        return cls.at_most_one(sizes, float(scipy.special.expit(-log_odds)), np.zeros(len(sizes)))
