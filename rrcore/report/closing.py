"""Closing a survey in the field: it takes no more answers, its release is recorded in a ledger, and its report is written."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from rrcore.errors import InputError
from rrcore.ledger import Entry
from rrcore.ledger.entry import check_date
from rrcore.receiver.field import SurveySoFar
from rrcore.report.after import questions_after, report_after
from rrcore.report.front import Front
from rrcore.report.page import Content, html, section, table
from rrcore.wording import counted, date_text

if TYPE_CHECKING:
    from rrcore.ledger import Ledger
    from rrcore.receiver import Store

_LONGEST_NOTE = 200  # characters of a title in a ledger


@dataclass(frozen=True, eq=False)
class Closing:
    """What closing a survey came to.

    Parameters
    ----------
    survey : SurveySoFar, all of its answers
    on : the day it was closed
    before : whether it had been closed before
    entry : what the ledger holds about it; None without a ledger, or without answers
    report : the report as HTML; empty without answers
    """

    survey: SurveySoFar
    on: dt.date
    before: bool
    entry: Entry | None
    report: str

    def sentences(self) -> list[str]:
        """What was done, one sentence each."""
        title, day, n = self.survey.title, date_text(self.on), self.survey.n
        done = f"'{title}' was closed on {day} already" if self.before else f"'{title}' is closed as of {day}"
        if not n:
            return [
                f"{done}, without a single answer: nothing was released, so there is neither a report nor an entry in a ledger."
            ]
        texts = [f"{done}, with {counted(n, 'answer', 'answers')}. Answers that come now are refused."]
        if self.entry is None:
            return [*texts, "No ledger was named: record the release in one before you ask the same people again."]
        return [*texts, f"The ledger holds it as number {self.entry.id}, about '{self.entry.population}'."]


def close_survey(
    store: Store,
    *,
    on: dt.date | None = None,
    ledger: Ledger | None = None,
    population: str = "",
    people: int | None = None,
) -> Closing:
    """Close a survey. Done once more it changes nothing, and completes what was interrupted: the entry is made once, the report anew.

    Parameters
    ----------
    store : where the answers are
    on : the day that the survey ends; of one that is closed already the day is kept. Without it today, or the day of the last answer
        where the server is in a place in which tomorrow has begun
    ledger : where the release is recorded, optional
    population : the group of people, as the ledger calls them; needed with a ledger
    people : how many were asked, for the ledger; by default as many as answered

    Raises
    ------
    InputError
        Without a group of people, with a day before that of the last answer or one that nobody means, or where the ledger
        cannot be read or takes no such entry: the survey stays open. Where the entry cannot be written after that, it is closed already; do
        it once more.

    Examples
    --------
    >>> import datetime as dt, tempfile
    >>> import rrcore as rr
    >>> from rrcore.receiver import Submission, create_store
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile(schema, rr.integer_groups(rr.build("kronecker", (2,), [1.0])))
    >>> store = create_store(tempfile.mkdtemp() + "/pilot.survey", file, title="Pilot")
    >>> store.add([Submission((1,), b"receipt")], dt.date(2026, 3, 1))
    ['stored']
    >>> close_survey(store, on=dt.date(2026, 3, 2)).sentences()[0]
    "'Pilot' is closed as of 2 March 2026, with 1 answer. Answers that come now are refused."
    """
    days, was = store.by_day(), store.closed
    on = was or on or max([dt.date.today(), *days])
    if was is None:
        check_date(on)
    if ledger is not None:
        if not population.strip():
            raise InputError(
                "The group of people is not named: say who was asked, for example 'panel 2026'. The survey stays open."
            )
        # what cannot be recorded is refused while it is open
        wanted = Entry.of(store.mechanism, population=population, date=on, people=people)
        if was is None:
            ledger.check_new(wanted)
    if was is None and days and on < (last := max(days)):
        came = f"Answers came until {date_text(last)}, after {date_text(on)}"
        raise InputError(f"{came}: give the day of the last answer or a later one. The survey stays open.")
    store.close(on)
    survey = SurveySoFar.of(store)
    day = survey.closed or on  # somebody else may have closed it meanwhile
    if survey.answers is None:
        return Closing(survey, day, was is not None, None, "")
    entry = None
    if ledger is not None:
        # another survey that is called alike is another release
        note = f"Survey '{survey.title[:_LONGEST_NOTE]}', receipts {store.fingerprint}"
        made = Entry.of(store.mechanism, population=population, date=day, people=people or survey.n, note=note)
        entry = ledger.add_once(made)
    return Closing(survey, day, was is not None, entry, closing_report(survey))


def closing_report(survey: SurveySoFar) -> str:
    """The report after collection, with the intervals that hold however often the answers were looked at. There must be answers."""
    if survey.answers is None:
        raise InputError("There is no answer: a report can be written as soon as there is one.")
    answers, day = survey.answers, "" if survey.closed is None else date_text(survey.closed)
    return report_after(
        answers,
        questions_after(answers),
        front=Front(survey.title, date=day),
        wordings=survey.questions,
        also=list(_looks(survey)),
    )


def _looks(survey: SurveySoFar) -> Iterator[Element]:
    """The confidence sequence of every question at the end."""
    rows: list[list[Content]] = []
    for name in survey.mechanism.schema.names:
        with suppress(InputError):  # the report says what cannot be read
            watched = survey.watch([name])
            (attribute,) = watched.schema.attributes
            rows += [[name, category, watched.share_text((i,))] for i, category in enumerate(attribute.categories)]
    if rows:
        yield section(
            "However often it was looked at",
            html(
                "p",
                "While the survey ran, its answers could be looked at every day, and it could be ended at a moment of choice. Intervals for "
                "one look do not allow for that. Those below do: over the whole time they leave out the true share in at most 5 of 100 such "
                "surveys. They are wider for that.",
            ),
            table(
                "Shares at the end, with intervals that hold at every look",
                ["Question", "Answer", "Share (95 %)"],
                rows,
                numbers=1,
            ),
        )
