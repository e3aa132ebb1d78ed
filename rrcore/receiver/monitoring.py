"""Monitor a running survey: answers by day and estimates of each share.

The confidence intervals of the shares remain valid at every look.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rrcore.answers.answers import Answers
from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate import ConfidenceSequence, simplex_of_each
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table.schema import Schema
from rrcore.wording import estimate_text

if TYPE_CHECKING:
    from rrcore.receiver import Store

_DAY = dt.timedelta(1)


@dataclass(frozen=True, eq=False)
class Watched:
    """Estimates of one marginal at the end of each day.

    The interval of a share holds on all days, but not for all shares simultaneously.

    Parameters
    ----------
    schema : Schema of the questions
    days : tuple of datetime.date, every day from the first answer on
    n : ndarray of shape (days,), numbers of answers so far
    counts : ndarray of shape (*report_sizes, days), counts of randomized answers so far
    shares : ndarray of shape (*sizes, days), unbiased estimates
    low, high : ndarrays of that shape, ends of the confidence sequence of each share, which contain ``shown``
    sequence : ConfidenceSequence
    """

    schema: Schema
    days: tuple[dt.date, ...]
    n: Integers
    counts: Integers
    shares: Floats
    low: Floats
    high: Floats
    sequence: ConfidenceSequence

    @cached_property
    def shown(self) -> Floats:
        """The shares to display for one question.

        The shares are nonnegative and sum to 100% (theory.md section 25, the first step).
        """
        return simplex_of_each(self.shares)

    @cached_property
    def changed(self) -> bool:
        """True if the intervals of all days have an empty intersection.

        In that case, later respondents differ from earlier ones.
        """
        return bool((self.low.max(axis=-1) > self.high.min(axis=-1)).any())

    def share_text(self, cell: Sequence[int]) -> str:
        """Return the share of a combination with its interval, such as "26% (21 to 31)".

        The interval is cut off at 0 and 100%.
        """
        share, low, high = (float(np.clip(each[(*cell, -1)], 0, 1)) for each in (self.shown, self.low, self.high))
        return estimate_text(share, low, high)


@dataclass(frozen=True, eq=False)
class SurveySoFar:
    """State of a survey at one look.

    ``of`` reads it from a store.

    Parameters
    ----------
    title : str
    mechanism : MechanismFile
    questions : dict, attribute -> question
    arrived, opened : dict, day -> number of answers, and of opened forms; days can be missing
    answers : Answers with the day as their first grouping column; None before the first one
    closed : day on which the survey was closed; None while it is open
    paused : whether the survey accepts no answers until it is resumed
    """

    title: str
    mechanism: MechanismFile
    questions: dict[str, str]
    arrived: dict[dt.date, int]
    opened: dict[dt.date, int]
    answers: Answers | None
    closed: dt.date | None
    paused: bool = False

    @classmethod
    def of(cls, store: Store, *, before: SurveySoFar | None = None) -> SurveySoFar:
        """Return the current state of the survey in a store.

        Only days with more answers than in ``before`` are read again. Raises InputError if reading fails.
        """
        closed, arrived = store.closed, store.by_day()
        answers = store.answers(None if before is None else before.answers) if arrived else None
        return cls(
            store.title,
            store.mechanism,
            dict(store.questions),
            arrived,
            store.begun_by_day(),
            answers,
            closed,
            store.refusing == "paused",
        )

    @property
    def n(self) -> int:
        """Number of answers that were read."""
        return 0 if self.answers is None else self.answers.n

    @property
    def unfinished(self) -> int:
        """Number of opened forms without an answer.

        Their respondents stopped, or have not finished yet.
        """
        return max(sum(self.opened.values()) - self.n, 0)

    @cached_property
    def days(self) -> tuple[dt.date, ...]:
        """Every day from the first to the last answer or opened form."""
        known = sorted({*self.arrived, *self.opened})
        return tuple(known[0] + i * _DAY for i in range((known[-1] - known[0]).days + 1)) if known else ()

    def watch(self, names: Sequence[str], *, confidence: float = 0.95) -> Watched:
        """Return estimates of the marginal over ``names`` at the end of each day.

        Raises
        ------
        InputError
            If there are no answers yet, or more combinations than MAX_SEQUENCE_CELLS.
        NotIdentifiableError
            If the randomized answers carry no information about an interaction of the marginal.
        """
        if self.answers is None:
            raise InputError("No answers have arrived yet. Try again later.")
        answers = self.answers
        estimate = answers.estimate(names)  # which says by name what cannot be read
        channel, sequence = estimate.channel, ConfidenceSequence(estimate.channel, confidence)
        column = answers.groupings[0]
        dates = [dt.date.fromisoformat(value) for value in column.values]
        first, last = min(dates), max([*dates, *self.days[-1:]])
        days = tuple(first + i * _DAY for i in range((last - first).days + 1))
        place = np.array([(date - first).days for date in dates])[column.codes]
        axes = answers.mechanism.reports.axes(names)
        cells = np.ravel_multi_index(answers.dataset.codes[:, list(axes)].T, channel.report_sizes)
        each = np.bincount(cells * len(days) + place, minlength=np.prod(channel.report_sizes) * len(days))
        counts = each.reshape(*channel.report_sizes, len(days)).cumsum(axis=-1)
        n = counts.reshape(-1, len(days)).sum(axis=0)
        shares, (low, high) = channel.invert(counts / n), sequence.interval(counts)
        shown = simplex_of_each(shares)
        return Watched(estimate.schema, days, n, counts, shares, np.minimum(low, shown), np.maximum(high, shown), sequence)
