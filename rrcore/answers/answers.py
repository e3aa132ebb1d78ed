"""Answers that were collected: read from files, checked against the mechanism file, and counted. No truth anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rrcore.answers.columns import SIMPLE, Crowd, SampleColumns
from rrcore.answers.tabulating import TabulatedAnswers
from rrcore.arrays import Codes, Integers
from rrcore.errors import InputError
from rrcore.estimate import Release, Sample, Tally
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Schema
from rrcore.table.text_table import TextColumn


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


@dataclass(frozen=True, eq=False)
class Answers(Release[MechanismFile]):
    """Collected answers with the mechanism file that they were randomised by.

    Their rows are records, or, where answers of any size were counted in batches, kinds of people, by one set of attributes after another.
    ``counts`` and ``records`` look at the smallest block of rows that has all the attributes.

    Parameters
    ----------
    dataset, mechanism, sample, partial : as in ``Release``; ``dataset`` is the first block of rows
    groupings : columns that were not randomised, cut to the n rows, those of ``dataset`` first; for estimates by group
    rejected : what was left out, and why
    columns : which columns ``sample`` was read from, by ``with_sample``
    notes : sentences about what reading did
    mark : the mark of what was simulated and not collected; see ``rrcore.mark``. Empty for collected answers
    crowd : how many people each row stands for, where rows are kinds of people and not records
    further : more blocks of the same people, by other attributes
    tabulated : by what kinds of people are told apart; None where the rows are records
    unmatched : answers that are none of the reports, so that they count as missing
    people : how many people there are, and how many of them lack some answer, where the rows of one block do not say

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
    columns: SampleColumns = SIMPLE
    mark: str = ""
    crowd: Crowd | None = None
    further: tuple[Answers, ...] = field(default=(), kw_only=True)
    tabulated: TabulatedAnswers | None = field(default=None, kw_only=True)
    unmatched: tuple[Rejected, ...] = field(default=(), kw_only=True)
    people: tuple[int, int] | None = field(default=None, kw_only=True)

    @property
    def title(self) -> str:
        """Where they come from."""
        return self.dataset.title

    @property
    def held(self) -> Answers | None:
        """The answers record by record; None where only kinds of people are counted."""
        return self if self.tabulated is None else None

    @property
    def schema(self) -> Schema:
        return self.mechanism.schema

    @property
    def reports(self) -> Schema:
        return self.mechanism.reports

    @property
    def times(self) -> Integers | None:
        return None if self.crowd is None else self.crowd.times

    @property
    def n(self) -> int:
        """Number of people, those with some answers missing included."""
        return self.people[0] if self.people else super().n

    @property
    def incomplete(self) -> int:
        """Number of people of whom some answers are missing: each is used where what is missing is not needed."""
        if self.people:
            return self.people[1]
        return self.rows - self.dataset.n if self.times is None else int(self.times[self.dataset.n :].sum())

    @property
    def left_out(self) -> int:
        """Number of rows that were rejected."""
        return sum(rejected.rows for rejected in self.rejected)

    @property
    def beside(self) -> tuple[str, ...]:
        """Names of the columns that were not randomised."""
        return tuple(column.name for column in self.groupings) if self.tabulated is None else self.tabulated.beside

    def takes(self, sample: SampleColumns) -> bool:
        """Whether the columns of ``sample`` can be read off: any of records; of kinds of people those by which they were counted."""
        known = self.tabulated
        if known is None or sample.simple:
            return True
        weighted = sample.weights in ("", known.weights, *known.keys)
        return set(sample.keys) <= set(known.keys) and weighted

    def joined(self, other: Answers) -> Answers:
        """These answers with the marginals that ``other`` counted. Raises InputError where it counts others, or by another sample."""
        if self.tabulated is None or other.tabulated is None:
            return self
        if (other.mechanism, other.n, other.left_out) != (self.mechanism, self.n, self.left_out):
            raise InputError(f"'{self.title}' has changed since it was counted: count it again.")
        if self.columns != other.columns:
            raise InputError(
                f"'{self.title}' has another sample than what was counted since: join them first, and read the sample then."
            )
        further = (*self.further, replace(other, further=()), *other.further)
        return replace(self, further=further, tabulated=self.tabulated.common(other.tabulated))

    def split(self, name: str) -> dict[str, Answers]:
        """The answers by the values of the column ``name``, which was not randomised; people without a value are left out."""
        first, *others = (block._split(name) for block in (self, *self.further))
        known = {value: part for value, part in first.items() if all(value in other for other in others)}
        return {value: self._together([part, *(other[value] for other in others)]) for value, part in known.items()}

    def _split(self, name: str) -> dict[str, Answers]:
        """The rows of one block."""
        (column,) = (column for column in self.groupings if column.name == name)
        places = {value: np.flatnonzero(column.codes == code) for code, value in enumerate(column.values)}
        some = {value: rows for value, rows in places.items() if (rows < self.dataset.n).any()}
        return {value: replace(self.taken(rows, f"{name}: {value}"), groupings=()) for value, rows in some.items()}

    def _together(self, parts: Sequence[Answers]) -> Answers:
        """Parts of all blocks, of the same people."""
        people = max(each.n for each in parts), max(each.incomplete for each in parts)
        return replace(parts[0], further=tuple(parts[1:]), people=people)

    def taken(self, rows: Integers, title: str, within: Callable[[Sample, Integers], Sample] = Sample.take) -> Answers:
        """Some rows of this block alone.

        Parameters
        ----------
        rows : their numbers, ascending, ndarray of ints; some are complete
        title : what they are called
        within : what they are of the sample
        """
        whole = self.dataset.n
        own = Dataset(self.dataset.schema, self.dataset.codes[rows[rows < whole]], title)
        partial = None if self.partial is None else self.partial[rows[rows >= whole] - whole]
        sample = None if self.sample is None else within(self.sample, rows)
        crowd = None if self.crowd is None else self.crowd.take(rows)
        part = replace(self, dataset=own, partial=partial, sample=sample, crowd=crowd)
        beside = tuple(TextColumn(each.name, each.codes[rows], each.values) for each in self.groupings)
        return replace(part, groupings=beside, rejected=(), unmatched=(), further=(), people=None)

    def _having(self, names: Sequence[str]) -> list[Answers]:
        """The blocks that have all of these attributes."""
        return [block for block in (self, *self.further) if set(names) <= set(block.dataset.schema.names)]

    def _block(self, names: Sequence[str]) -> Answers:
        """The smallest of them."""
        having = self._having(names)
        if not having:
            self.schema.axes(names)
            listed = ", ".join(f"'{name}'" for name in names[:10])
            raise InputError(f"{listed} was not counted together: count this marginal, or a wider one, first.")
        return min(having, key=lambda block: block.rows)

    def knows(self, names: Sequence[str]) -> bool:
        """Whether the marginal over ``names`` can be read off, as it was counted, or a wider one, or all records are held."""
        return bool(self._having(names))

    def records(self, names: Sequence[str]) -> tuple[Codes, Integers]:
        return Release.records(self._block(names), names)

    def counts(self, names: Sequence[str]) -> Integers:
        return Release.counts(self._block(names), names)

    def _tally(self, names: Sequence[str]) -> Tally:
        return Release._tally(self._block(names), names)

    def effective(self, names: Sequence[str]) -> float:
        return super().effective(names) if self._having(names) else 0.0  # nobody answered all of them
