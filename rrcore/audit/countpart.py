"""What weights by counts of lies say about single outputs: a part like those of ``rrcore.audit.parts``, for any number of attributes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Codes, Floats, Integers
from rrcore.audit.parts import SymmetricPart
from rrcore.audit.trials import Record
from rrcore.mechanisms import Counted


@dataclass(frozen=True, eq=False)
class CountPart(SymmetricPart):
    """Attributes of few kinds that are randomised together by counts of lies.

    Parameters
    ----------
    mechanism : Counted, over these m attributes
    """

    mechanism: Counted

    @cached_property
    def logs(self) -> Floats:
        """ln of the probability of one particular output, by the number of lies of each kind."""
        return np.asarray(self.mechanism.log_gains - np.log(self.sizes).sum())

    def far_apart(self) -> tuple[Record, Record]:
        """As in ``LiePart``: an output that has a likeliest count of lies from the first record, a least likely one from the second."""
        likeliest, least = (np.unravel_index(place, self.logs.shape) for place in (self.logs.argmax(), self.logs.argmin()))
        differ = [0] * len(self.sizes)
        for t, (many, few) in enumerate(zip(likeliest, least, strict=True)):
            # lies of the first come first and lies of the second directly after them, so that they overlap as little as they can
            members = np.flatnonzero(self.mechanism.kind == t)
            first, second = np.zeros(members.size, dtype=np.bool_), np.zeros(members.size, dtype=np.bool_)
            first[: int(many)] = True
            second[(np.arange(int(few)) + int(many)) % members.size] = True
            for place in members[first != second]:
                differ[int(place)] = 1
        return (0,) * len(self.sizes), tuple(differ)

    def log_likelihood(self, true: NDArray, released: Codes) -> Floats:
        return self.log_of(released != true)

    def guess_knowing(self, i: int, true: Codes, released: Codes) -> Codes:
        lies = np.asarray(released != true)
        without, beside = lies.copy(), lies.copy()
        without[:, i], beside[:, i] = False, True
        return np.where(self.log_of(without) >= self.log_of(beside), released[:, i], self._another(i, released[:, i]))

    def log_of(self, lies: NDArray[np.bool_]) -> Floats:
        """ln of the probability of one particular output, for every row of ``lies``: which answers are false."""
        counts: tuple[Integers, ...] = tuple(lies[:, self.mechanism.kind == t].sum(axis=1) for t in range(self.logs.ndim))
        return np.asarray(self.logs[counts])
