"""Answers that were collected: read from files, checked against the mechanism file, and counted. No truth anywhere."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rrcore.answers.columns import SIMPLE, Crowd, SampleColumns
from rrcore.arrays import Integers
from rrcore.channel import Channel
from rrcore.estimate import Countable, Release, Sample
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.dataset import Dataset
from rrcore.table.reading import TextColumn, to_numbers
from rrcore.table.schema import Schema


@dataclass(frozen=True)
class Rejected:
    """Rows that were left out for one reason.

    Parameters
    ----------
    reason : str
    rows : int, how many
    first : the first of them, as "row 12 of survey.csv"
    """

    reason: str
    rows: int
    first: str


class Collected(Countable[MechanismFile]):
    """Collected answers, with their records or only their counts, and what reading them did.

    ``sample`` is None for a simple random sample, ``columns`` are what it was read from, and ``rejected`` says what was left out. Where
    groups of respondents had mechanism files of their own, ``mechanism`` is all of them.
    """

    sample: Sample | None
    columns: SampleColumns
    rejected: tuple[Rejected, ...]
    notes: tuple[str, ...]

    @property
    @abstractmethod
    def title(self) -> str:
        """Where they come from."""

    @property
    @abstractmethod
    def mark(self) -> str:
        """The mark of what was simulated and not collected; see ``rrcore.table.mark``. Empty for collected answers."""

    @property
    @abstractmethod
    def incomplete(self) -> int:
        """Number of records of which some answers are missing: each is used where what is missing is not needed."""

    @property
    @abstractmethod
    def beside(self) -> tuple[str, ...]:
        """Names of the columns that were not randomised."""

    @property
    @abstractmethod
    def groupings(self) -> tuple[TextColumn, ...]:
        """These columns, record by record; none where only kinds of people are held."""

    @property
    @abstractmethod
    def held(self) -> Answers | None:
        """The answers record by record; None where only kinds of people are counted."""

    @abstractmethod
    def knows(self, names: Sequence[str]) -> bool:
        """Whether the marginal over ``names`` can be read off, as it was counted or all records are held."""

    @abstractmethod
    def takes(self, sample: SampleColumns) -> bool:
        """Whether the columns of a sample can be read off."""

    @abstractmethod
    def joined(self, other: Collected) -> Collected:
        """These answers with what ``other`` counted of the same ones. Raises InputError where those are others."""

    @abstractmethod
    def changed(self, change: Callable[[Answers], Answers]) -> Self:
        """The answers with their records, or kinds of people, changed."""

    @property
    def numeric(self) -> tuple[str, ...]:
        """Names of those that hold different numbers only, as far as is known: what weights can be."""
        columns = (column for column in self.groupings if len(column.values) > 1)
        return tuple(column.name for column in columns if to_numbers(column.values) is not None)

    @abstractmethod
    def split(self, name: str) -> Mapping[str, Collected]:
        """The answers by the values of the column ``name``, which was not randomised; people without a value are left out."""

    def channel(self, names: Sequence[str]) -> Channel:
        """The channel on the marginal over the named attributes; with groups, given how many people are in each."""
        axes = self.schema.axes(names)
        return self.mechanism.channel_for(axes, self.released(names))

    @property
    def schema(self) -> Schema:
        return self.mechanism.schema

    @property
    def reports(self) -> Schema:
        return self.mechanism.reports

    @property
    def left_out(self) -> int:
        """Number of rows that were rejected."""
        return sum(rejected.rows for rejected in self.rejected)


@dataclass(frozen=True, eq=False)
class Answers(Collected, Release[MechanismFile]):
    """Collected records with the mechanism file that they were randomised by.

    Parameters
    ----------
    dataset, mechanism : as in ``Release``
    groupings : columns of the files that were not randomised, cut to the n records, those of ``dataset`` first; for estimates by group
    rejected : what was left out, and why
    silent : the same columns of people who gave no answer at all; they are left out, and weights may let others stand for them
    columns : which columns ``sample`` was read from, by ``with_sample``
    notes : sentences about what reading did
    mark : as in ``Collected``
    crowd : how many people each row stands for, where rows are kinds of people and not records

    Examples
    --------
    >>> from rrcore.answers.nigeria_survey import nigeria
    >>> answers = nigeria()  # asked with a die in the Niger Delta
    >>> answers.n, answers.left_out
    (2435, 22)
    >>> low, high = answers.estimate(["connected to an armed group"]).interval(population=True)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.71, 0.234], [0.766, 0.29])
    """

    groupings: tuple[TextColumn, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    notes: tuple[str, ...] = ()
    silent: tuple[TextColumn, ...] = ()
    columns: SampleColumns = SIMPLE
    mark: str = ""
    crowd: Crowd | None = None

    @property
    def title(self) -> str:
        return self.dataset.title

    @property
    def held(self) -> Answers:
        return self

    def knows(self, names: Sequence[str]) -> bool:
        return True

    def takes(self, sample: SampleColumns) -> bool:
        return True

    def joined(self, other: Collected) -> Answers:
        return self

    def changed(self, change: Callable[[Answers], Answers]) -> Answers:
        return change(self)

    @property
    def times(self) -> Integers | None:
        return None if self.crowd is None else self.crowd.times[: self.rows]

    @property
    def incomplete(self) -> int:
        return self.rows - self.dataset.n if self.times is None else int(self.times[self.dataset.n :].sum())

    @property
    def beside(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.groupings)

    def split(self, name: str) -> dict[str, Answers]:
        (column,) = (column for column in self.groupings if column.name == name)
        whole, parts = self.dataset.n, {}
        for code, value in enumerate(column.values):
            rows = np.flatnonzero(column.codes == code)
            complete = rows[rows < whole]
            if complete.size:
                own = Dataset(self.dataset.schema, self.dataset.codes[complete], f"{name}: {value}")
                partial = None if self.partial is None else self.partial[rows[rows >= whole] - whole]
                sample = None if self.sample is None else self.sample.take(rows)
                crowd = None if self.crowd is None else self.crowd.take(rows)
                part = replace(self, dataset=own, partial=partial, sample=sample, crowd=crowd, silent=(), _counted={})
                parts[value] = replace(part, groupings=(), rejected=())
        return parts
