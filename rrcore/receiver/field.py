"""A survey in the field as one look sees it: what arrived by day, and each share so far, valid however often one looks."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rrcore.answers.answers import Answers
from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate import ConfidenceSequence, Forecast, forecast, simplex_of_each
from rrcore.mechanisms import build
from rrcore.promise.integers import integer_groups
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table import INVENTED
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema
from rrcore.table.text_table import TextColumn
from rrcore.wording import Quantity, counted, date_text, points

if TYPE_CHECKING:
    from rrcore.receiver import Store

_DAY = dt.timedelta(1)


@dataclass(frozen=True, eq=False)
class Watched:
    """What the answers to one marginal say at the end of each day. The interval of each share holds on all days, not all shares at once.

    Parameters
    ----------
    schema : Schema of what was asked
    days : tuple of datetime.date, every day from the first answer on
    n : ndarray of shape (days,), answers so far
    counts : ndarray of shape (*report_sizes, days), released counts so far
    shares : ndarray of shape (*sizes, days), unbiased estimates
    low, high : ndarrays of that shape, ends of the confidence sequence of each share; they hold ``shown``
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
        """The shares as a reader of one question shows them: never below 0 and 100 % together. Theory section 25, the first step."""
        return simplex_of_each(self.shares)

    @cached_property
    def error(self) -> float:
        """How far the intervals of the last day reach from the estimates at most, a share."""
        shares, low, high = (each[..., -1] for each in (self.shares, self.low, self.high))
        return float(np.maximum(high - shares, shares - low).max())

    @cached_property
    def changed(self) -> bool:
        """Whether the intervals of all days have nothing in common: people who answered later are not like those before."""
        return bool((self.low.max(axis=-1) > self.high.min(axis=-1)).any())

    def needed(self, error: float) -> int:
        """About how many answers in all bring every share of the marginal to at most ``error`` to both sides: three digits, rounded up."""
        found = self.sequence.answers_for(self.counts[..., -1], error)
        step = 10 ** max(len(str(found)) - 3, 0)
        return -(-found // step) * step

    def people(self, cell: Sequence[int]) -> tuple[int, int, int]:
        """About how many of those who answered so far have this combination, and the least and most that its interval allows.

        Nobody is counted: each answer was randomised, so that only shares are known.
        """
        n = int(self.n[-1])
        share, low, high = (float(np.clip(each[(*cell, -1)], 0, 1)) for each in (self.shown, self.low, self.high))
        return round(n * share), math.floor(n * low), math.ceil(n * high)

    def share_text(self, cell: Sequence[int]) -> str:
        """The share of a combination with its interval, cut off at 0 and 100 %: "26 % (21 to 31)"."""
        share, low, high = (float(np.clip(each[(*cell, -1)], 0, 1)) for each in (self.shown, self.low, self.high))
        return Quantity("share", str(cell), "the population").estimated(share, low, high)


@dataclass(frozen=True, eq=False)
class WatchedTogether:
    """Several marginals whose intervals hold all at once, and at every look.

    Parameters
    ----------
    each : tuple of Watched, one for each marginal
    confidence : that no share of any of them is ever outside its interval
    intervals : int, how many intervals share the error; two shares that add up to 1 have one between them
    """

    each: tuple[Watched, ...]
    confidence: float
    intervals: int

    @property
    def sentence(self) -> str:
        """The joint error in words."""
        hold = round(100 * self.confidence)
        if self.intervals == 1:
            return f"In {hold} of 100 surveys the interval holds at every look."
        return (
            f"In {hold} of 100 surveys all {self.intervals} intervals hold at every look, whatever the questions have to do with each other; "
            f"each of them alone misses in at most {100 * (1 - self.confidence) / self.intervals:.2g} of 100."
        )


@dataclass(frozen=True, eq=False)
class SurveySoFar:
    """A survey at one look. ``of`` makes it from a store.

    Parameters
    ----------
    title : str
    mechanism : MechanismFile
    questions : dict, attribute -> how it is asked
    arrived, opened : dict, day -> number of answers, and of forms that were opened; days may be missing
    answers : Answers with the day as their first grouping column; None before the first one
    closed : day on which the survey was closed; None while it takes answers
    paused : whether it takes no answers until it is resumed
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
        """What is in a store now; only days with more answers than ``before`` are read anew. Raises InputError where that fails."""
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
        """Number of answers that are read."""
        return 0 if self.answers is None else self.answers.n

    @property
    def unfinished(self) -> int:
        """How many more forms were opened than answered: people who stopped half-way, or have not finished yet. Nothing else is known."""
        return max(sum(self.opened.values()) - self.n, 0)

    @property
    def groups(self) -> dict[str, dict[str, int]]:
        """Question that is not randomised -> each of its answers, and how many people gave it."""
        known = () if self.answers is None else self.answers.groupings[1:]
        counts = {column.name: np.bincount(column.codes, minlength=len(column.values)).tolist() for column in known}
        return {column.name: dict(zip(column.values, counts[column.name], strict=True)) for column in known}

    @cached_property
    def days(self) -> tuple[dt.date, ...]:
        """Every day from the first to the last on which an answer arrived or a form was opened."""
        known = sorted({*self.arrived, *self.opened})
        return tuple(known[0] + i * _DAY for i in range((known[-1] - known[0]).days + 1)) if known else ()

    def watch(self, names: Sequence[str], *, confidence: float = 0.95) -> Watched:
        """The marginal over ``names`` at the end of each day.

        Raises
        ------
        InputError
            Before the first answer, or for more combinations than MAX_SEQUENCE_CELLS.
        NotIdentifiableError
            If the mechanism erases an interaction of it.
        """
        if self.answers is None:
            raise InputError("No answer has arrived yet: come back when there are some.")
        answers = self.answers
        estimate = answers.estimate(names)  # which says by name what cannot be read
        channel, sequence = estimate.channel, ConfidenceSequence(estimate.channel, confidence)
        column = answers.groupings[0]
        dates = [dt.date.fromisoformat(value) for value in column.values]
        first, last = min(dates), max([*dates, *self.days[-1:]])
        days = tuple(first + i * _DAY for i in range((last - first).days + 1))
        place = np.array([(date - first).days for date in dates])[column.codes]
        axes = answers.dataset.schema.axes(names)
        cells = np.ravel_multi_index(answers.dataset.codes[:, list(axes)].T, channel.report_sizes)
        each = np.bincount(cells * len(days) + place, minlength=np.prod(channel.report_sizes) * len(days))
        counts = each.reshape(*channel.report_sizes, len(days)).cumsum(axis=-1)
        n = counts.reshape(-1, len(days)).sum(axis=0)
        shares, (low, high) = channel.invert(counts / n), sequence.interval(counts)
        shown = simplex_of_each(shares)
        return Watched(estimate.schema, days, n, counts, shares, np.minimum(low, shown), np.maximum(high, shown), sequence)

    def watch_together(self, marginals: Sequence[Sequence[str]], *, confidence: float = 0.95) -> WatchedTogether:
        """Several marginals at the end of each day, with intervals that hold all at once: each has its part of the error (Bonferroni).

        Raises
        ------
        InputError, NotIdentifiableError
            As ``watch`` does.

        Examples
        --------
        >>> import datetime as dt, numpy as np
        >>> survey = invented_survey(dt.date(2026, 11, 22), rng=np.random.default_rng(1))
        >>> found = survey.watch_together([["violence"], ["sought help"]])
        >>> found.intervals, [watched.share_text((1,)) for watched in found.each]
        (4, ['29 % (21 to 38)', '9 % (0 to 19)'])
        """
        cells = [math.prod(self.mechanism.schema.select(names).sizes) for names in marginals]
        intervals = sum(number if number > 2 else 1 for number in cells)
        own = 1 - (1 - confidence) / intervals
        return WatchedTogether(tuple(self.watch(names, confidence=own) for names in marginals), confidence, intervals)

    def forecast(self, watched: Watched, error: float, today: dt.date) -> Forecast:
        """When the intervals of ``watched`` will reach at most ``error`` to both sides."""
        return forecast(self.arrived, watched.needed(error), today)

    def sentence(self, watched: Watched, cell: Sequence[int], error: float, today: dt.date) -> str:
        """What the look says: answers and days, the share of a combination, and when the wanted precision is there.

        Examples
        --------
        >>> import datetime as dt, numpy as np
        >>> today = dt.date(2026, 11, 22)
        >>> survey = invented_survey(today, rng=np.random.default_rng(1))
        >>> watched = survey.watch(["violence"])
        >>> survey.sentence(watched, (1,), 0.05, today)
        '815 answers in 20 days put “violence: yes” at 29 % (22 to 37), valid however often you look; expect ± 5 points by 15 December.'
        """
        shown = ", ".join(f"{a.name}: {a.categories[i]}" for a, i in zip(watched.schema.attributes, cell, strict=True))
        days = counted(len(watched.days), "day", "days")
        so_far = f"{counted(int(watched.n[-1]), 'answer', 'answers')} in {days}"
        if watched.low[(*cell, -1)] <= 0 and watched.high[(*cell, -1)] >= 1:
            few = f"{so_far}, too few to say anything about “{shown}”"
            if self.closed is not None:
                return f"{few}; closed on {date_text(self.closed, today)}."
            return f"{few} yet; {self._when(watched, error, today)}."
        return f"{so_far} put “{shown}” at {watched.share_text(cell)}, valid however often you look; {self._when(watched, error, today)}."

    def _when(self, watched: Watched, error: float, today: dt.date) -> str:
        wanted = f"± {100 * error:g} points"
        if watched.error <= error:
            return f"{wanted} are reached"
        if self.closed is not None:
            return f"closed on {date_text(self.closed, today)} with ± {points(watched.error)}"
        found = self.forecast(watched, error, today)
        if found.expected is None or found.earliest is None:
            return f"{wanted} take about {counted(found.needed, 'answer', 'answers')}"
        if found.latest is None:
            return f"expect {wanted} not before {date_text(found.earliest, today)}"
        return f"expect {wanted} by {date_text(found.expected, today)}"


def invented_survey(today: dt.date, *, rng: np.random.Generator, days: int = 19) -> SurveySoFar:
    """A survey that nobody answered, to try the looks of one: two questions, ``days`` full days of some 45 answers and part of today.

    Parameters
    ----------
    today : its last day
    rng : numpy.random.Generator that draws numbers of answers, true answers and lies
    """
    schema = Schema((Attribute("violence", ("no", "yes")), Attribute("sought help", ("no", "from family", "from a service"))))
    mechanism = build("pair-safe", schema.sizes, (2.0, 1.5))
    numbers = rng.negative_binomial(12, 12 / (12 + 45), size=days + 1)
    numbers[-1] = numbers[-1] // 2
    opened = numbers + rng.binomial(numbers, 0.11)
    true = rng.choice(6, size=numbers.sum(), p=[0.70, 0.03, 0.01, 0.15, 0.07, 0.04])
    codes = mechanism.perturb(np.column_stack(np.unravel_index(true, schema.sizes)).astype(np.int32), rng=rng)
    dates = [today - (days - i) * _DAY for i in range(days + 1)]
    column = TextColumn("day", np.repeat(np.arange(days + 1, dtype=np.int32), numbers), tuple(day.isoformat() for day in dates))
    file = MechanismFile(schema, integer_groups(mechanism))
    by_day, begun = (dict(zip(dates, each.tolist(), strict=True)) for each in (numbers, opened))
    questions = {"violence": "Has anybody in your home hurt you in the last twelve months?", "sought help": "Did you seek help?"}
    return SurveySoFar(INVENTED, file, questions, by_day, begun, Answers(Dataset(schema, codes, INVENTED), file, (column,)), None)
