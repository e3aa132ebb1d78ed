"""Mechanisms in closed form: Kronecker, at most one change, and RR-Joint.

Section 3 of theory.md describes the mechanism with at most one change. RR-Joint replaces the whole record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike

from rrcore.arrays import Booleans, Floats
from rrcore.channel.channels import SubsetChannel
from rrcore.channel.epsilon import lie_from_epsilon
from rrcore.errors import InputError
from rrcore.mechanisms.base import Listed, Mechanism


@dataclass(frozen=True, eq=False)
class Kronecker(Mechanism):
    """Randomize each answer independently with exactly the requested epsilon.

    The epsilon of the record is the sum over the attributes, and L_i = eps_i.

    Parameters
    ----------
    sizes : tuple of k ints
    requested : ndarray of shape (k,), the epsilons eps_i in nats
    """

    requested: Floats

    @classmethod
    def from_epsilon(cls, sizes: Sequence[int], epsilon: ArrayLike) -> Kronecker:
        """Return independent randomization with the requested epsilons, shape (k,)."""
        return cls(tuple(sizes), np.asarray(epsilon, dtype=np.float64))

    @property
    def lies(self) -> Floats:
        return lie_from_epsilon(self.requested, self.sizes)

    @property
    def epsilon(self) -> Floats:
        return self.requested

    @property
    def epsilon_total(self) -> float:
        return float(np.sum(self.requested))

    @property
    def epsilon_informed(self) -> Floats:
        return self.requested

    def apart(self) -> list[tuple[tuple[int, ...], Mechanism]]:
        halves = zip(self.sizes, self.lies, strict=True)
        alone = (Listed.at_most_one((size,), lie * size / (size - 1), np.zeros(1)) for size, lie in halves)
        return [((i,), own) for i, own in enumerate(alone)]

    def channel(self, axes: Sequence[int]) -> SubsetChannel:
        chosen = list(axes)
        return SubsetChannel.product([self.sizes[i] for i in chosen], self.lies[chosen])

    @cached_property
    def pair_factors(self) -> Floats:
        return np.asarray(np.multiply.outer(self.retentions, self.retentions))

    def _draw_lies(self, n: int, rng: np.random.Generator) -> Booleans:
        return np.asarray(rng.random((self.k, n)) < self.lies[:, None])


_SLACK = 1e-12  # relative rounding allowed when linear inequalities are compared
_TIE = 1e-10  # attributes whose right ends agree to this relative precision bind together


@dataclass(frozen=True, eq=False)
class ClosedForm(Listed):
    """Change at most one answer deliberately, or draw a uniform record.

    The mechanism takes O(k) time and works for any number of attributes.

    If the optimality test of section 3 holds, ``bound`` equals the epsilon of the record. Otherwise, that epsilon can far exceed
    Kronecker's.
    """

    @classmethod
    def from_epsilon(cls, sizes: Sequence[int], epsilon: ArrayLike) -> ClosedForm:
        """Return the mechanism of this family with the lowest epsilon of the record.

        It has exactly the requested epsilons (in nats, shape (k,)).

        Raises
        ------
        InputError
            If no mechanism of this family has these epsilons.
        """
        a = np.asarray(sizes, dtype=np.float64)
        lies = lie_from_epsilon(epsilon, sizes)
        loss = lies * a / (a - 1)  # 1 - r_i
        low, ends = 1 / float(loss.min()), _right_ends(a, loss)
        high = float(ends.min())
        if low > high * (1 + _SLACK):
            raise InputError(
                "The closed form does not exist for these values of ε. Choose the lowest total ε or independent randomization."
            )
        expected_lies = float(lies.sum())
        turns = low if expected_lies <= 1 else high
        tied = lies[ends <= high * (1 + _TIE)]
        optimal = expected_lies <= 1 or expected_lies - 1 <= max(float(tied.max()), float(tied.sum()) / 2) + _SLACK
        single = np.maximum((a - 1) * (loss - 1 / turns) / a, 0.0)
        found = cls.at_most_one(sizes, 1 / turns, single)
        return replace(found, bound=found.epsilon_total) if optimal else found


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
    """Keep the whole record with probability rho, or replace it by a uniform one.

    See Multi-Dimensional RR, section 3.2, and theory.md section 1.

    All attributes have the same r_i = rho, so unequal epsilons cannot all be met. ``from_epsilon`` never exceeds any of them.
    """

    @classmethod
    def from_epsilon(cls, sizes: Sequence[int], epsilon: ArrayLike) -> Joint:
        """Return the RR-Joint with the largest rho that exceeds no requested epsilon.

        The epsilons are in nats, shape (k,), and rho is the smallest r_i.
        """
        others = np.asarray(sizes, dtype=np.float64) - 1
        uniform = float((lie_from_epsilon(epsilon, sizes) * (1 + 1 / others)).max())  # 1 - min r_i, without cancellation
        return cls.at_most_one(sizes, uniform, np.zeros(len(sizes)))

    @classmethod
    def from_total(cls, sizes: Sequence[int], total: float) -> Joint:
        """Return RR-Joint with ``total`` as the epsilon of the record, in nats.

        The probability is rho = (e^total - 1) / (e^total + M - 1).
        """
        log_odds = total + np.log(-np.expm1(-total)) - np.log(sizes).sum()  # of keeping: (e^total - 1) / M
        return cls.at_most_one(sizes, float(scipy.special.expit(-log_odds)), np.zeros(len(sizes)))
