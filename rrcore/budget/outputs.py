"""How likely one particular released record is: ln X_S by the set S of false answers, for any number of attributes (theory.md section 1).

Enumeration writes it out again by itself, from the integers of the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms import Counted, Listed, Mechanism

_NUMBERED = 62  # most attributes of which a lie set is a number; of more it is a string of bytes


class LogOutputs(Protocol):
    """Attributes that are randomised together by lie sets."""

    def log_of(self, lies: Booleans) -> Floats:
        """ln X of every row of ``lies``, shape (n, k), True where the released answer is false."""
        ...


@dataclass(frozen=True, eq=False)
class Outputs:
    """Groups of attributes that are randomised independently of each other.

    Parameters
    ----------
    groups : positions of the attributes of a group, and what weighs their lie sets
    """

    groups: tuple[tuple[list[int], LogOutputs], ...]

    @classmethod
    def of(cls, mechanism: Mechanism) -> Outputs:
        """Those of ``mechanism``. Raises InputError where its lie sets are too many to list, and their counts as well."""
        return cls(tuple((list(places), _weighed(own)) for places, own in mechanism.apart()))

    def log_of(self, lies: Booleans) -> Floats:
        """ln X of every row of ``lies``, shape (n, k), True where the released answer is false."""
        found = np.zeros(len(lies))
        for places, own in self.groups:
            found += own.log_of(lies[:, places])
        return found


def _weighed(own: Mechanism) -> LogOutputs:
    if own.k <= MAX_OPTIMAL_ATTRIBUTES:
        return _EverySet(own.marginal_channel(range(own.k)).log_weights.ravel())
    return lie_outputs(own)


def lie_outputs(own: Mechanism) -> SetOutputs | CountOutputs:
    """By counts of lies where there are few kinds of attributes, by lie sets otherwise. Raises InputError where both are too many."""
    kinds = own.by_counts()
    return CountOutputs(Counted(own.sizes, *kinds)) if kinds is not None else SetOutputs(Listed(own.sizes, *own.listing()))


@dataclass(frozen=True, eq=False)
class _EverySet:
    """``logs``, shape (2^k,): ln X of every lie set, the first attribute in the highest binary place."""

    logs: Floats

    def log_of(self, lies: Booleans) -> Floats:
        key: NDArray[np.int64] = np.zeros(len(lies), dtype=np.int64)
        for column in lies.T:
            key *= 2
            key += column
        return self.logs[key]


@dataclass(frozen=True, eq=False)
class SetOutputs:
    """Lie sets with a weight of their own; all others are alike.

    Parameters
    ----------
    mechanism : Listed
    """

    mechanism: Listed

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(_names(self.mechanism.lying))

    @cached_property
    def _known(self) -> NDArray:
        """Names of the listed lie sets, increasing."""
        return np.asarray(_names(self.mechanism.lying)[self._order])

    @cached_property
    def _logs(self) -> Floats:
        """ln of the probability of one particular output with each of them."""
        return self.mechanism.log_outputs[self._order]

    def log_of(self, lies: Booleans) -> Floats:
        """As in ``LogOutputs``."""
        floor, asked = self.mechanism.log_floor, _names(lies)
        if not self._known.size:
            return np.full(len(asked), floor)
        place = np.minimum(np.searchsorted(self._known, asked), self._known.size - 1)
        return np.where(self._known[place] == asked, self._logs[place], floor)


def _names(rows: Booleans) -> NDArray:
    """One number for each row of at most ``_NUMBERED`` columns, the first in the highest place; one string of bytes for each longer row."""
    k = rows.shape[1]
    if k <= _NUMBERED:
        return np.asarray(rows @ (np.int64(1) << np.arange(k)[::-1].astype(np.int64)))
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    return packed.view(f"S{packed.shape[1]}").ravel()


@dataclass(frozen=True, eq=False)
class CountOutputs:
    """Attributes of few kinds: what counts is how many of each kind are false.

    Parameters
    ----------
    mechanism : Counted
    """

    mechanism: Counted

    @cached_property
    def _logs(self) -> Floats:
        """ln of the probability of one particular output, by the number of lies of each kind."""
        return np.asarray(self.mechanism.log_gains - np.log(self.mechanism.sizes).sum())

    def log_of(self, lies: Booleans) -> Floats:
        """As in ``LogOutputs``."""
        counts: tuple[Integers, ...] = tuple(lies[:, self.mechanism.kind == t].sum(axis=1) for t in range(self._logs.ndim))
        return np.asarray(self._logs[counts])
