"""What was released in this session: every draw is kept, to be downloaded again instead of drawn again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from pages.release.again import Earlier
from pages.shared import jobs, state
from rrcore.promise import MechanismFile, Rehearsal, ReleasedTable, release_table
from rrcore.table import Dataset
from rrcore.work import Report, part

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


def start(work: state.Work, file: MechanismFile, answers: Dataset, number: int) -> None:
    """Randomise the ``answers`` of the table in play, as draw ``number`` about its people; a second click adds nothing."""
    made = state.of_page(Draws)
    made.take_in()
    if jobs.at_work(JOB) or number != len(made.about(work.title)) + 1:
        return
    rehearsal = _REHEARSALS.get(work.source, "")

    def produce(report: Report) -> Iterator[tuple[ReleasedTable, bytes]]:
        released = release_table(file, answers, draw=number, rehearsal=rehearsal, report=part(report, 0, 2))
        yield released, released.to_zip(report=part(report, 1, 2))

    jobs.start(JOB, (work.title, file.sha256, number, fingerprint(work, answers)), produce)


def fingerprint(work: state.Work, answers: Dataset) -> str:
    """By which ``answers`` of the table in play are told from those of another table with the same title."""
    key = (work.version, answers.schema.names)
    return work.remember("release_fingerprint", key, lambda: hashlib.sha256(answers.codes.tobytes()).hexdigest())


def failed() -> bool:
    """Whether the work in the background ended by an error."""
    job = jobs.find(JOB)
    return job is not None and job.error is not None


def earlier(made: list[Draw]) -> list[Earlier]:
    """The same for who asks what one more draw gives away."""
    return [Earlier(one.released.mechanism, one.released.made.date(), one.released.dataset.n) for one in made]
