"""Collected answers: a release, and the findings of reading it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from rrcore.answers.unrandomized import SIMPLE, SampleColumns
from rrcore.arrays import Booleans, Integers
from rrcore.channel import Channel
from rrcore.estimate import Estimate, Release, Result, Rows, Sample, TableModel
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Schema
from rrcore.table.text_table import TextColumn
from rrcore.wording.short import Short


@dataclass(frozen=True)
class Rejected:
    """Rows that were left out for one reason.

    Parameters
    ----------
    reason : str
        Why they were left out.
    rows : int
        Number of rows.
    first : str
        The first row, such as "row 12 of survey.csv".
    """

    reason: str
    rows: int
    first: str


@dataclass(frozen=True, eq=False)
class Answers(Short):
    """Collected answers with the mechanism file that randomized them.

    Parameters
    ----------
    release : Release
        Records, or counts of people with the same answers if there are too many records for memory.
    title : str
        Source of the answers.
    incomplete : int
        Number of people with a missing answer. They count in marginals that do not need the missing answer.
    rejected : tuple of Rejected
        Rows that were left out.
    unmatched : tuple of Rejected
        Answers that count as missing because they match no category.
    notes : tuple of str
        Sentences that describe how the answers were read.
    mark : str
        Mark of a simulation; see ``rrcore.mark``. Empty for collected answers.
    columns : SampleColumns
        Columns that describe the sample.

    Examples
    --------
    >>> from rrcore.answers.nigeria_survey import nigeria
    >>> answers = nigeria()  # asked with a die in the Niger Delta
    >>> answers.n, answers.left_out
    (2435, 22)
    >>> low, high = answers.estimate("connected to an armed group").interval(population=True)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.709, 0.234], [0.766, 0.291])
    """

    release: Release[MechanismFile]
    title: str = ""
    incomplete: int = 0
    rejected: tuple[Rejected, ...] = ()
    unmatched: tuple[Rejected, ...] = ()
    notes: tuple[str, ...] = ()
    mark: str = ""
    columns: SampleColumns = SIMPLE

    @classmethod
    def of(cls, dataset: Dataset, mechanism: MechanismFile, extra: Sequence[TextColumn] = ()) -> Answers:
        """Return records as answers.

        Parameters
        ----------
        dataset : Dataset
            The randomized answers.
        mechanism : MechanismFile
            How they were randomized.
        extra : sequence of TextColumn
            Columns of the same people that were not randomized.

        Returns
        -------
        Answers
            The answers.
        """
        rows = Rows(dataset.schema, dataset.codes, extra=tuple(extra))
        return cls(Release((rows,), mechanism), dataset.title)

    def _summary(self) -> str:
        return self.release._summary()

    def _repr_html_(self) -> str:
        """Return the attributes with the categories of the randomized answers, for a notebook."""
        return self.release._repr_html_()

    @property
    def mechanism(self) -> MechanismFile:
        """The mechanism file."""
        return self.release.mechanism

    @property
    def schema(self) -> Schema:
        """The attributes of the questions."""
        return self.mechanism.schema

    @property
    def dataset(self) -> Dataset:
        """Records without missing answers. Raises InputError if only counts are held."""
        return self.release.dataset

    @property
    def sample(self) -> Sample | None:
        """The sample design. None for a simple random sample."""
        return self.release.sample

    @property
    def n(self) -> int:
        """Number of people, including those with missing answers."""
        return self.release.n

    @property
    def left_out(self) -> int:
        """Number of rows that were rejected."""
        return sum(rejected.rows for rejected in self.rejected)

    @property
    def groupings(self) -> tuple[TextColumn, ...]:
        """Columns that were not randomized, for estimates by group."""
        return self.release.blocks[0].extra

    def counts(self, names: str | Sequence[str]) -> Integers:
        """Count the randomized answers, unweighted.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.

        Returns
        -------
        ndarray of int
            One axis for each attribute, in the order of ``names``.

        Raises
        ------
        InputError
            If a name is unknown, or this marginal was not counted.
        """
        return self.release.counts(names)

    def channel(self, names: str | Sequence[str]) -> Channel:
        """Return the randomization of the marginal over the named attributes.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.

        Returns
        -------
        Channel
            Probabilities of the randomized answers for each true answer.

        Raises
        ------
        InputError
            If a name is not an attribute of the mechanism.
        """
        return self.release.channel(names)

    @overload
    def estimate(
        self,
        names: str | Sequence[str],
        *,
        within: None = None,
        population: bool | None = None,
        confidence: float | None = None,
    ) -> Estimate: ...
    @overload
    def estimate(
        self,
        names: str | Sequence[str],
        *,
        within: Mapping[str, str],
        population: bool | None = None,
        confidence: float | None = None,
    ) -> Result: ...
    def estimate(
        self,
        names: str | Sequence[str],
        *,
        within: Mapping[str, str] | None = None,
        population: bool | None = None,
        confidence: float | None = None,
    ) -> Estimate | Result:
        """Estimate the marginal over the named attributes.

        Parameters
        ----------
        names : str or list of str
            Names of attributes.
        within : dict of str to str, optional
            One category for each of these attributes. Shares are then estimated among people with these true answers.
        population : bool, optional
            Used only with ``within``. If True (the default), intervals are for the population, otherwise for the respondents only.
        confidence : float, optional
            Used only with ``within``. Confidence of the intervals, 0.95 by default. Without ``within``, pass both to ``interval``.

        Returns
        -------
        Estimate or Result
            The joint distribution, or a Result with the shares if ``within`` is given.

        Raises
        ------
        NotIdentifiableError
            If the randomized answers carry no information about one of its interactions.
        InputError
            If a name or category is unknown, or ``population`` or ``confidence`` is given without ``within``.

        Examples
        --------
        >>> from rrcore.answers.nigeria_survey import nigeria
        >>> nigeria().estimate("connected to an armed group").shares.round(2).tolist()
        [0.74, 0.26]
        """
        return self.release.estimate(names, within=within, population=population, confidence=confidence)

    def model(self, *, report: Report = quiet) -> TableModel:
        """Fit one joint table of all attributes, see ``Release.model``.

        Parameters
        ----------
        report : callable
            Called with the completed fraction and a description of the next step.

        Returns
        -------
        TableModel
            A joint distribution of all attributes, from which records can be drawn.

        Raises
        ------
        InputError
            If there are too many attributes, or nobody answered both attributes of a pair.
        """
        return self.release.model(report=report)

    def split(self, name: str) -> dict[str, Answers]:
        """Split the answers by the values of an unrandomized column.

        People without a value are left out. Groups in which nobody has complete answers are also left out if other groups have
        complete answers.

        Parameters
        ----------
        name : str
            Name of the column.

        Returns
        -------
        dict of str to Answers
            The answers of each group.
        """
        blocks = self.release.blocks
        (place,) = (i for i, column in enumerate(blocks[0].extra) if column.name == name)
        first, found = blocks[0], dict[str, Answers]()
        complete: Booleans = np.asarray((first.codes >= 0).all(axis=1))
        complete |= not complete.any()
        for code, value in enumerate(first.extra[place].values):
            if not complete[first.extra[place].codes == code].any():
                continue
            rows = tuple(block.take(np.flatnonzero(block.extra[place].codes == code)) for block in blocks)
            found[value] = Answers(
                Release(rows, self.mechanism),
                f"{name}: {value}",
                max(map(incomplete, rows)),
                notes=self.notes,
                mark=self.mark,
                columns=self.columns,
            )
        return found


def incomplete(rows: Rows) -> int:
    """Return how many people lack an answer."""
    return rows.people(np.flatnonzero((rows.codes < 0).any(axis=1)))
