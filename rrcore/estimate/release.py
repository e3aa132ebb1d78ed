"""A release: randomised records with the way they were randomised. Simulated or collected, it is counted and estimated alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from rrcore.arrays import Integers
from rrcore.channel import Channel, Randomization
from rrcore.estimate.marginal import Estimate, estimate_marginal
from rrcore.table import Dataset, Schema, count_cells

How = TypeVar("How", bound=Randomization, covariant=True)


@dataclass(frozen=True, eq=False)
class Release(Generic[How]):
    """Released records and the mechanism they went through. It holds nothing of the truth.

    Parameters
    ----------
    dataset : Dataset, the released records
    mechanism : a Mechanism or a MechanismFile over the same attributes

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> release = rr.perturb(table, rr.Plan.for_levels(table, 2.0).build(), rng=np.random.default_rng(0))
    >>> release.counts(["Survived"]).tolist(), release.estimate(["Sex", "Survived"]).shares.shape
    ([1390, 811], (2, 2))
    """

    dataset: Dataset
    mechanism: How
    _counted: dict[tuple[int, ...], Integers] = field(default_factory=dict, repr=False, kw_only=True)

    @property
    def schema(self) -> Schema:
        """What was asked: categories of the true answers, which estimates are of. ``dataset.schema`` holds those of the released ones."""
        return self.dataset.schema

    @property
    def n(self) -> int:
        """Number of records."""
        return self.dataset.n

    def channel(self, names: Sequence[str]) -> Channel:
        """The channel on the marginal over the named attributes."""
        return self.mechanism.marginal_channel(self.dataset.schema.axes(names))

    def counts(self, names: Sequence[str]) -> Integers:
        """Released counts of the marginal over the named attributes; counted once."""
        axes = self.dataset.schema.axes(names)
        if axes not in self._counted:
            codes, sizes = self.dataset.codes[:, list(axes)], [self.dataset.schema.sizes[i] for i in axes]
            self._counted[axes] = count_cells(codes, sizes)
            self._counted[axes].setflags(write=False)  # the next estimate counts on them
        return self._counted[axes]

    def estimate(self, names: Sequence[str]) -> Estimate:
        """The estimated marginal over the named attributes.

        Raises
        ------
        NotIdentifiableError
            If the mechanism erases one of its interactions.
        """
        asked, reported = self.schema.select(names), self.dataset.schema.select(names)
        return estimate_marginal(self.counts(names), self.channel(names), schema=asked, reports=reported)
