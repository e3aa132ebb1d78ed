"""Close a survey, record its release in a ledger, and write its report."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rrcore.errors import InputError
from rrcore.ledger import Entry
from rrcore.ledger.entry import check_date
from rrcore.receiver.monitoring import SurveySoFar
from rrcore.reports.after import findings_page, questions_after
from rrcore.reports.shared_parts import Front
from rrcore.wording import counted, date_text

if TYPE_CHECKING:
    from rrcore.ledger import Ledger
    from rrcore.receiver import Store

_LONGEST_NOTE = 200  # characters of a title in a ledger


@dataclass(frozen=True, eq=False)
class Closing:
    """A closed survey.

    Parameters
    ----------
    survey : SurveySoFar
        State of the survey with all answers.
    on : datetime.date
        The day on which it was closed.
    before : bool
        Whether it had been closed before.
    entry : Entry or None
        The entry in the ledger. None without a ledger or without answers.
    report : str
        The report as HTML. Empty without answers.
    """

    survey: SurveySoFar
    on: dt.date
    before: bool
    entry: Entry | None
    report: str

    def sentences(self) -> list[str]:
        """State what was done, one sentence each."""
        title, day, n = self.survey.title, date_text(self.on), self.survey.n
        done = f"'{title}' was already closed on {day}" if self.before else f"'{title}' is closed as of {day}"
        if not n:
            return [f"{done}, without any answer. There is no report, and there is nothing to record."]
        texts = [f"{done}, with {counted(n, 'answer', 'answers')}. RR Workbench refuses further answers."]
        if self.entry is None:
            return [*texts, "The release is not recorded yet. Record it before you ask the same people again."]
        return [*texts, f"The release is recorded as number {self.entry.id}, about '{self.entry.population}'."]


def close_survey(
    store: Store,
    *,
    on: dt.date | None = None,
    ledger: Ledger | None = None,
    population: str = "",
    people: int | None = None,
) -> Closing:
    """Close a survey, record its release, and write its report.

    You can repeat the call. It changes nothing, but completes steps that were interrupted.

    Parameters
    ----------
    store : Store
        The survey and its answers.
    on : datetime.date, optional
        The day on which the survey ends. A closed survey keeps its day. The default is today, or the day of the last answer if that
        is later. The last answer can be later if the server is in another time zone.
    ledger : Ledger, optional
        Where the release is recorded.
    population : str
        The group of people, as the ledger names it. Required with a ledger.
    people : int, optional
        Sample size for the ledger. The default is the number of answers.

    Raises
    ------
    InputError
        If no group of people is named, if the day is before the last answer or implausible, or if the ledger cannot be read or refuses the
        entry. The survey then stays open. If only writing the entry fails, the survey is closed. Repeat the call in that case.

    Examples
    --------
    >>> import datetime as dt, tempfile
    >>> import rrcore as rr
    >>> from rrcore.budget import build
    >>> from rrcore.promise import integer_groups
    >>> from rrcore.receiver import Submission, create_store
    >>> schema = rr.Schema((rr.Attribute("smokes", ("no", "yes")),))
    >>> file = rr.MechanismFile(schema, integer_groups(build("independent", (2,), [1.0])))
    >>> store = create_store(tempfile.mkdtemp() + "/pilot.survey", file, title="Pilot")
    >>> store.add([Submission((1,), b"receipt")], dt.date(2026, 3, 1))
    ['stored']
    >>> close_survey(store, on=dt.date(2026, 3, 2)).sentences()[0]
    "'Pilot' is closed as of 2 March 2026, with 1 answer. RR Workbench refuses further answers."
    """
    days, was = store.by_day(), store.closed
    on = was or on or max([dt.date.today(), *days])
    if was is None:
        check_date(on)
    if ledger is not None:
        if not population.strip():
            raise InputError("The group of people has no name. Enter one, for example 'panel 2026'. The survey stays open.")
        # what cannot be recorded is refused while the survey is open
        wanted = Entry.of(store.mechanism, population=population, date=on, people=people)
        if was is None:
            ledger.check_new(wanted)
    if was is None and days and on < (last := max(days)):
        late = f"The last answer arrived on {date_text(last)}, after the closing day of {date_text(on)}."
        raise InputError(f"{late} Enter {date_text(last)} or a later day. The survey stays open.")
    store.close(on)
    survey = SurveySoFar.of(store)
    day = survey.closed or on  # another person may have closed it meanwhile
    if survey.answers is None:
        return Closing(survey, day, was is not None, None, "")
    entry = None
    if ledger is not None:
        # another survey with the same title is another release
        note = f"Survey '{survey.title[:_LONGEST_NOTE]}', receipts {store.fingerprint}"
        made = Entry.of(store.mechanism, population=population, date=day, people=people or survey.n, note=note)
        entry = ledger.add_once(made)
    return Closing(survey, day, was is not None, entry, closing_report(survey))


def closing_report(survey: SurveySoFar) -> str:
    """Return the report after data collection, with always-valid intervals.

    The intervals hold regardless of how often somebody looked at the answers.

    Raises
    ------
    InputError
        If there are no answers.
    """
    if survey.answers is None:
        raise InputError("There are no answers yet. Write the report when some have arrived.")
    day = "" if survey.closed is None else date_text(survey.closed)
    return findings_page(
        "closing.html.j2",
        survey.answers,
        questions_after(survey.answers),
        None,
        Front(survey.title, date=day),
        wordings=survey.questions,
        looks=list(_looks(survey)),
    )


def _looks(survey: SurveySoFar) -> Iterator[tuple[str, str, str]]:
    """Yield the confidence sequence of every category at the end."""
    for name in survey.mechanism.schema.names:
        with suppress(InputError):  # the report says what cannot be estimated
            watched = survey.watch([name])
            for i, category in enumerate(watched.schema.attributes[0].categories):
                yield name, category, watched.share_text((i,))
