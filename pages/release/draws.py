"""The releases of this session, kept so that a file can be downloaded again instead of being randomized again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from pages.shared import jobs, state
from pages.shared.mode import refuse_in_demo
from rrcore.promise import MechanismFile, Rehearsal, ReleasedTable
from rrcore.reports import released_archive
from rrcore.table import Dataset

JOB = "release"
REHEARSALS: dict[state.Source, Rehearsal] = {"demo": "demonstration", "synthetic": "invented"}


@dataclass(frozen=True, eq=False)
class Draw:
    """One release, its archive, and the fingerprint of the answers that it is of."""

    released: ReleasedTable
    archive: bytes
    answers: str

    def content(self) -> bytes:
        """The archive, for a download button."""
        return self.archive


@dataclass
class Draws:
    """All draws of this session by the title of their table: releases about the same people add up, whatever the mechanism."""

    made: dict[str, list[Draw]] = field(default_factory=dict)

    def about(self, title: str) -> list[Draw]:
        """The draws about the people of one table, oldest first, with what was drawn in the background since."""
        job = jobs.find(JOB)
        if job is not None and not job.running:
            drawn, *_, whose = job.about
            own = self.made.setdefault(drawn, [])
            known = {id(draw.released) for draw in own}
            own += [Draw(released, archive, whose) for released, archive in job.pieces if id(released) not in known]
        return self.made.setdefault(title, [])


def start(work: state.Work, file: MechanismFile, answers: Dataset, kept: Dataset | None, number: int) -> None:
    """Randomize ``answers`` as draw ``number`` about these people. A second click adds nothing."""
    refuse_in_demo()
    made = state.of_page(Draws).about(work.title)
    if jobs.at_work(JOB) or number != len(made) + 1:
        return
    about = (work.title, file.sha256, number, fingerprint(work, answers, kept))
    jobs.start(JOB, about, released_archive, file, answers, kept, number, REHEARSALS.get(work.source, ""))


def fingerprint(work: state.Work, answers: Dataset, kept: Dataset | None) -> str:
    """What distinguishes these answers from those of another table of the same title."""
    both = [each for each in (answers, kept) if each is not None]
    key = (work.version, *(each.schema.names for each in both))
    return work.remember(
        "release_fingerprint", key, lambda: hashlib.sha256(b"".join(each.codes.tobytes() for each in both)).hexdigest()
    )
