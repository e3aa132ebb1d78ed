"""How likely one particular released record is, for any number of attributes: ln X_S by the set S of false answers (theory.md section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Floats
from rrcore.audit.countpart import CountPart
from rrcore.limits import MAX_OPTIMAL_ATTRIBUTES
from rrcore.mechanisms import Counted, Listed, Mechanism


class _Weighed(Protocol):
    """ln X of every row of false answers, shape (n, k)."""

    def log_of(self, lies: Booleans) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Outputs:
    """Groups of attributes that are randomised independently of each other.

    Parameters
    ----------
    groups : positions of the attributes of a group, and what weighs their lie sets
    """

    groups: tuple[tuple[list[int], _Weighed], ...]

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


def _weighed(own: Mechanism) -> _Weighed:
    if own.k <= MAX_OPTIMAL_ATTRIBUTES:
        return _Table(own.marginal_channel(range(own.k)).log_weights.ravel())
    kinds = own.by_counts()
    return CountPart(Counted(own.sizes, *kinds)) if kinds is not None else _Sets(Listed(own.sizes, *own.listing()))


@dataclass(frozen=True, eq=False)
class _Table:
    """``logs``, shape (2^k,): ln X of every lie set, the first attribute in the highest binary place."""

    logs: Floats

    def log_of(self, lies: Booleans) -> Floats:
        key: NDArray[np.int64] = np.zeros(len(lies), dtype=np.int64)
        for column in lies.T:
            key *= 2
            key += column
        return self.logs[key]


@dataclass(frozen=True, eq=False)
class _Sets:
    """Few lie sets with a weight of their own among more than can be numbered."""

    listed: Listed

    def log_of(self, lies: Booleans) -> Floats:
        known, asked = (_names(rows) for rows in (self.listed.lying, lies))
        if not known.size:
            return np.full(len(lies), self.listed.log_floor)
        order = np.argsort(known)
        place = order[np.minimum(np.searchsorted(known, asked, sorter=order), known.size - 1)]
        return np.where(known[place] == asked, self.listed.log_outputs[place], self.listed.log_floor)


def _names(rows: Booleans) -> NDArray[np.bytes_]:
    """One string of bytes for each row."""
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    return packed.view(f"S{packed.shape[1]}").ravel()
