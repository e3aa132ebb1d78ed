"""What was released in this session, kept to be downloaded again instead of drawn again; and what one more release would add."""

from __future__ import annotations

import datetime as dt
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pages.shared import jobs, state, widgets
from pages.shared.mode import refuse_in_demo
from rrcore.ledger import Entry, Planned, total_after_release
from rrcore.promise import MechanismFile, Rehearsal, ReleasedTable
from rrcore.report import released_archive
from rrcore.table import Dataset
from rrcore.wording import Quantity, legible

JOB = "release"
_REHEARSALS: dict[state.Source, Rehearsal] = {"demo": "demonstration", "synthetic": "invented"}


@dataclass(frozen=True, eq=False)
class Draw:
    """One release, the archive that it is given out as, and the fingerprint of the answers that it is of."""

    released: ReleasedTable
    archive: bytes
    answers: str

    def content(self) -> bytes:
        """The archive, for a button that asks when it is pressed."""
        return self.archive


@dataclass
class Draws:
    """All draws of this session by the title of their table: releases about the same people add up, whatever the mechanism."""

    made: dict[str, list[Draw]] = field(default_factory=dict)

    def about(self, title: str) -> list[Draw]:
        """The draws about the people of one table, oldest first."""
        return self.made.setdefault(title, [])

    def take_in(self) -> None:
        """Keep what the work in the background has drawn, whichever page was looked at meanwhile."""
        job = jobs.find(JOB)
        if job is not None and not job.running:
            title, *_, whose = job.about
            own = self.about(title)
            known = {id(draw.released) for draw in own}
            own += [Draw(released, archive, whose) for released, archive in job.pieces if id(released) not in known]


def start(work: state.Work, file: MechanismFile, answers: Dataset, kept: Dataset | None, number: int) -> None:
    """Randomise the ``answers`` of the table in play, as draw ``number`` about its people; what is ``kept`` leaves as it is.

    A second click adds nothing.
    """
    refuse_in_demo()
    made = state.of_page(Draws)
    made.take_in()
    if jobs.at_work(JOB) or number != len(made.about(work.title)) + 1:
        return
    rehearsal = _REHEARSALS.get(work.source, "")
    about = (work.title, file.sha256, number, fingerprint(work, answers, kept))
    jobs.start(JOB, about, released_archive, file, answers, kept, number, rehearsal)


def fingerprint(work: state.Work, answers: Dataset, kept: Dataset | None) -> str:
    """By which ``answers`` of the table in play, and what is ``kept`` beside them, are told from those of another table of the same title."""
    both = [each for each in (answers, kept) if each is not None]
    key = (work.version, *(each.schema.names for each in both))
    return work.remember(
        "release_fingerprint", key, lambda: hashlib.sha256(b"".join(each.codes.tobytes() for each in both)).hexdigest()
    )


def failed() -> bool:
    """Whether the work in the background ended by an error."""
    job = jobs.find(JOB)
    return job is not None and job.error is not None


def earlier(made: list[Draw]) -> list[Earlier]:
    """What was drawn in this session, for who asks what one more draw gives away."""
    return [Earlier(one.released.mechanism, one.released.made.date(), one.released.dataset.n) for one in made]


@dataclass(frozen=True)
class Earlier:
    """A release about these people that there is, or is begun.

    Parameters
    ----------
    mechanism : MechanismFile
    date : its day
    people : how many were released; None where that is not known yet
    """

    mechanism: MechanismFile
    date: dt.date
    people: int | None = None

    def entry(self) -> Entry:
        """As a ledger has it."""
        return Entry.of(self.mechanism, population="these people", date=self.date, people=self.people)


def one_more(file: MechanismFile, earlier: Sequence[Earlier]) -> Planned:
    """What one more release by ``file`` gives away together with the ``earlier`` ones."""
    return total_after_release([each.entry() for each in earlier], Earlier(file, dt.date.today()).entry())


def agreed(file: MechanismFile, earlier: Sequence[Earlier], why: str, label: str, key: str, *, rest: str = "") -> bool:
    """Whether one more release is wanted at its price, which is said between ``why`` and ``rest``; where there is none before it, it is."""
    if not earlier:
        return True
    widgets.warn(f"{why} {legible(one_more(file, earlier).sentences()[0])} {rest}".strip())
    return widgets.checkbox(label, key)


def together(made: Sequence[Earlier]) -> str:
    """What several releases about the same people give away to whoever sees them all; empty for a single one, whose promise is all."""
    if len(made) < 2:
        return ""
    totals = [each.mechanism.certificate.total for each in made]
    known = [total for total in totals if total is not None]
    times = Quantity("releases together", str(len(made))).times(math.prod(known, start=Fraction(1)))
    odds = f"up to {times} times" if len(known) == len(totals) else "without bound"
    return f"**These people were released {len(made)} times: whoever sees it all can shift those odds {odds}.**"
