"""IOH: all keys of a user in one index, sent as 3^d randomised bits (Key-Value, section V, Algorithm 6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_INDEX_KEYS
from rrcore.research.keyvalue.data import KeyValueData
from rrcore.research.keyvalue.privkv import keep
from rrcore.research.keyvalue.protocol import check_eps


def index_of(states: NDArray[np.integer]) -> Integers:
    """The index I of Algorithm 6 of every user: the states -1, none, +1 (0, 1, 2) read as a number to base 3, the first key highest.

    Parameters
    ----------
    states : ndarray of shape (n, d), 0..2
    """
    found = np.zeros(len(states), dtype=np.int64)
    for column in states.T:
        found = found * 3 + column
    return found


@dataclass(frozen=True)
class IOH:
    """Indexing one-hot encoding of d keys at level ``eps`` (nats).

    Raises
    ------
    InputError
        Above ``MAX_INDEX_KEYS`` keys: every user would send 3^d bits.
    """

    eps: float
    d: int

    def __post_init__(self) -> None:
        check_eps(self.eps)
        if not 1 <= self.d <= MAX_INDEX_KEYS:
            raise InputError(
                f"IOH over {self.d} keys would send 3^{self.d} = {3**self.d:,} bits per user: at most {MAX_INDEX_KEYS} keys are allowed, so "
                "choose fewer keys or another method."
            )

    def simulate(self, data: KeyValueData, *, rng: np.random.Generator) -> Integers:
        """How often every bit is reported as 1, shape (3,) * d: for trying it out, not for collecting.

        The bits of different users are independent, so their sums are drawn: a binomial number of kept and of flipped ones.
        """
        return self.report(np.bincount(index_of(data.states(rng=rng)), minlength=3**self.d), rng=rng)

    def report(self, users: Integers, *, rng: np.random.Generator) -> Integers:
        """The same from the number of users with every combination of states, in the order of ``index_of``."""
        p = keep(self.eps / 2)
        return (rng.binomial(users, p) + rng.binomial(users.sum() - users, 1 - p)).reshape((3,) * self.d)

    def table(self, sums: Integers, n: int) -> Floats:
        """Unbiased shares of users with every combination of states, eq. (9) divided by N; shape (3,) * d."""
        half = math.exp(self.eps / 2)
        return ((half + 1) * sums - n) / (half - 1) / n

    def variance(self, sums: Integers, n: int) -> Floats:
        """Estimated variance of every share, for these users: each is flipped with probability 1 - p, whatever its true bit."""
        p = keep(self.eps / 2)
        return np.full(sums.shape, p * (1 - p) / (n * (2 * p - 1) ** 2))

    def marginal(self, table: Floats, variance: Floats, axes: Sequence[int]) -> tuple[Floats, Floats]:
        """Shares and variances of the states of the keys at ``axes``, in that order: sums over all other keys."""
        others = tuple(i for i in range(self.d) if i not in axes)
        kept = sorted(axes)
        order = [kept.index(i) for i in axes]
        return table.sum(axis=others).transpose(order), variance.sum(axis=others).transpose(order)
