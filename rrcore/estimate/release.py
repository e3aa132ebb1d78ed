"""A release: randomised records with the way they were randomised. Simulated or collected, it is counted and estimated alike."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rrcore.arrays import Codes, Floats, Integers, count_cells
from rrcore.errors import InputError
from rrcore.estimate.countable import Countable, How
from rrcore.estimate.estimate import Estimate
from rrcore.estimate.inversion import invert_tally
from rrcore.estimate.sample import Sample, Spread, Tally, tally
from rrcore.table import Dataset, Schema

_HELD = 10_000  # numbers of a tally's factors, up to which it is kept for the next estimate


@dataclass(frozen=True, eq=False)
class Release(Countable[How]):
    """Released records and the mechanism they went through. It holds nothing of the truth.

    Parameters
    ----------
    dataset : Dataset, the released records
    mechanism : a Mechanism or a MechanismFile over the same attributes
    sample : Sample of all n records, those of ``dataset`` first; None is a simple random sample
    partial : ndarray of shape (m, k), codes of further records of which some answers are missing, -1 there. A marginal uses those that have
        all of its answers, which is right where missing has nothing to do with what would have been answered

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
    sample: Sample | None = field(default=None, kw_only=True)
    partial: Codes | None = field(default=None, repr=False, kw_only=True)
    _counted: dict[tuple[int, ...], Integers] = field(default_factory=dict, init=False, repr=False)
    _tallies: dict[tuple[int, ...], Tally] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.sample is not None and self.sample.n != self.rows:
            raise InputError(f"The sample has {self.sample.n:,} records: expected {self.rows:,}, as the release has.")

    @property
    def reports(self) -> Schema:
        return self.dataset.schema

    @property
    def times(self) -> Integers | None:
        """How many people each row stands for, ndarray of shape (rows,); None is one each."""
        return None

    @property
    def rows(self) -> int:
        """Number of rows, those with some answers missing included."""
        return self.dataset.n + (0 if self.partial is None else len(self.partial))

    @property
    def n(self) -> int:
        """Number of records, those with some answers missing included."""
        return self.rows if self.times is None else int(self.times.sum())

    def records(self, names: Sequence[str]) -> tuple[Codes, Integers]:
        """The records that have an answer to all named attributes: their codes, shape (r, w), and which of the n records they are, (r,)."""
        axes = list(self.dataset.schema.axes(names))
        codes, rows = self.dataset.codes[:, axes], np.arange(self.dataset.n)
        if self.partial is not None:
            further = np.flatnonzero((self.partial[:, axes] >= 0).all(axis=1))
            codes = np.concatenate([codes, self.partial[further][:, axes]])
            rows = np.concatenate([rows, self.dataset.n + further])
        return codes, rows

    def counts(self, names: Sequence[str]) -> Integers:
        """Released counts, unweighted, of the marginal over the named attributes; counted once."""
        axes = self.dataset.schema.axes(names)
        if axes not in self._counted:
            codes, rows = self.records(names)
            times = None if self.times is None else self.times[rows]
            self._counted[axes] = count_cells(codes, [self.dataset.schema.sizes[i] for i in axes], times)
            self._counted[axes].setflags(write=False)  # the next estimate counts on them
        return self._counted[axes]

    def released(self, names: Sequence[str]) -> Floats:
        """Released shares of the marginal over the named attributes, weighted as the sample is."""
        return super().released(names) if self.sample is None else self._tally(names).released

    def spread(self, names: Sequence[str]) -> Spread:
        """How those shares vary."""
        return super().spread(names) if self.sample is None else self._tally(names).spread

    def _tally(self, names: Sequence[str]) -> Tally:
        """The marginal over the named attributes by the sample; counted once where it is held in little room."""
        assert self.sample is not None
        axes = self.dataset.schema.axes(names)
        found = self._tallies.get(axes)
        if found is None:
            codes, rows = self.records(names)
            own = self.sample if len(rows) == self.rows else self.sample.answering(rows)
            found = tally(codes, [self.dataset.schema.sizes[i] for i in axes], own)
            found.released.setflags(write=False)  # the next estimate reads them
            if found.spread.factors.size <= _HELD:
                self._tallies[axes] = found
        return found

    def effective(self, names: Sequence[str]) -> float:
        if self.sample is None:
            return super().effective(names)
        complete = self.sample.weights[: self.dataset.n].any()  # these have all answers
        if not complete and not self.sample.weights[self.records(names)[1]].any():
            return 0.0
        if self.channel(names).lost():
            return self._tally(names).spread.kish
        return self._unbiased(names).effective(population=False)

    def _unbiased(self, names: Sequence[str]) -> Estimate:
        if self.sample is None:
            return super()._unbiased(names)
        asked, reported = self.schema.select(names), self.reports.select(names)
        return invert_tally(self._tally(names), self.channel(names), schema=asked, reports=reported)
