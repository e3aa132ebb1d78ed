"""A table of true answers that was randomised for real, once and for all: what leaves, and whatever is needed to read it, in one file."""

import datetime as dt
import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from rrcore.errors import InputError, check_number
from rrcore.mark import RELEASE
from rrcore.progress import Report, quiet
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.sampler import randomise
from rrcore.promise.statement import certificate_files, promise_sentence
from rrcore.promise.trailer import AT_ONCE, dataset_parts, new_draw, write_release
from rrcore.table.dataset import Dataset
from rrcore.table.recoding import as_table
from rrcore.wording import and_text, count_text, counted
from rrcore.writing import columns_of

Rehearsal = Literal["", "demonstration", "invented"]
"""What kind of table is randomised where its people are nobody's: a rehearsal of a release; empty for people of flesh and blood."""

_FIRST_OF_ZIP = dt.datetime(1980, 1, 1)  # archives know no earlier moment


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """One draw of randomised answers, by ``release_table``. Its true answers are not in it, but for what is ``known``.

    Parameters
    ----------
    mechanism : MechanismFile
    dataset : Dataset over what it reports, the randomised answers
    made : when, with a time zone
    draw : int, the how-manieth draw about the same people it is, from 1
    rehearsal : Rehearsal
    name : str, what tells this draw from all others
    known : Dataset of what leaves as it is about the same people, or None
    """

    mechanism: MechanismFile
    dataset: Dataset
    made: dt.datetime
    draw: int = 1
    rehearsal: Rehearsal = ""
    name: str = field(default_factory=new_draw)
    known: Dataset | None = None

    def __post_init__(self) -> None:
        check_number("The number of the draw", self.draw, 1, whole=True)

    @property
    def file_name(self) -> str:
        """ "release.zip", "release-2.zip", or "rehearsal-demonstration-table.zip"."""
        kind = f"rehearsal-{self.rehearsal}-table" if self.rehearsal else "release"
        return f"{kind}{'' if self.draw == 1 else f'-{self.draw}'}.zip"

    def guide(self, pages: Iterable[str] = ()) -> str:
        """What a person who opens the archive should know, as text; it names the ``pages`` that are in it."""
        names = self.mechanism.schema.names
        lines = [
            f"{'Rehearsal with the ' + self.rehearsal + ' table' if self.rehearsal else 'Release'}: randomised answers of "
            f"{counted(self.dataset.n, 'person', 'people')} to {counted(len(names), 'question', 'questions')}.",
            f"Randomised on {self.made:%Y-%m-%d at %H:%M} UTC with the operating system's entropy; there is no seed, and nobody can undo it.",
            promise_sentence(self.mechanism),
            *([] if self.known is None else [unreleased_columns_sentence(self.known.schema.names)]),
            "",
            "released.csv         the randomized answers, one row per person in the order of the table; the last row holds their number",
            "mechanism.json       how they were randomised. Keep it with them: without it they cannot be read.",
            "certificate.txt      what that promises, from the integers of mechanism.json",
            "certificate.json     the same for programs",
            "check.py             computes it anew from mechanism.json, with nothing but Python: python check.py",
            *(f"{page:21}to read in a browser, and to print" for page in pages),
            "",
            "To read them: the page Read, with both files; or",
            "    rrcore read --mechanism mechanism.json --in released.csv",
            "",
            "Give out this draw, and no other: randomising the same people again is another release, and whoever sees both learns more.",
            "Whoever has the table of true answers can tell which answers were replaced: keep that table apart, or delete it.",
            f"Fingerprint of mechanism.json (SHA-256): {self.mechanism.sha256}",
        ]
        return "\n".join(lines) + "\n"

    def to_zip(self, *, pages: Mapping[str, str] = {}, report: Report = quiet) -> bytes:
        """The archive: answers, mechanism file, certificate and guide together, so that none of them is lost.

        Parameters
        ----------
        pages : name of a file -> text, what goes along for people, as ``rrcore.report.handover_pages`` makes it
        report : is told how far it is; where it raises there is no archive
        """
        files = {
            "read-me.txt": self.guide(pages),
            "mechanism.json": self.mechanism.to_json(),
            **certificate_files(self.mechanism),
            **pages,
        }
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(self._entry(name), text)
            with archive.open(self._entry("released.csv"), "w") as file:
                beside = [] if self.known is None else as_table(self.known)[0].columns
                columns = [*columns_of(self.mechanism.reports), *([] if self.known is None else columns_of(self.known.schema))]
                parts = dataset_parts(self.dataset, beside, report=report)
                write_release(file, columns, parts, self.mechanism.sha256, self.name)
        return out.getvalue()

    def _entry(self, name: str) -> zipfile.ZipInfo:
        moment = max(self.made.replace(tzinfo=None), _FIRST_OF_ZIP)  # a clock may be wrong by decades
        entry = zipfile.ZipInfo(name, moment.timetuple()[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        return entry


def unreleased_columns_sentence(names: Sequence[str]) -> str:
    """What it costs that columns leave as they are, in a sentence or two.

    Examples
    --------
    >>> print(unreleased_columns_sentence(["Region"]))
    Region leaves as it is: everybody's is learnt. What is promised of the other answers holds among people who have the same Region.
    """
    listed = and_text(names)
    leave = "leaves as it is: everybody's is learnt" if len(names) == 1 else "leave as they are: everybody's are learnt"
    return f"{listed} {leave}. What is promised of the other answers holds among people who have the same {listed}."


def release_table(
    mechanism: MechanismFile,
    answers: Dataset,
    *,
    known: Dataset | None = None,
    draw: int = 1,
    rehearsal: Rehearsal = "",
    report: Report = quiet,
) -> ReleasedTable:
    """Randomise ``answers`` by the exact sampler, for real.

    Parameters
    ----------
    mechanism, answers : as in ``randomise``
    known : Dataset of other attributes of the same people, in the same order, that leave as they are, such as a region that everybody knows:
        answers are then randomised within strata. No level bounds them, and the promise of ``mechanism`` is about the answers alone
    report : is told how far it is; where it raises, nothing is released
    draw, rehearsal : as in ``ReleasedTable``

    Raises
    ------
    InputError
        As ``randomise`` does, and where ``known`` is about other people, or about what is randomised.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.promise.released_table import release_table
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> file = rr.MechanismFile(table.schema, rr.integer_groups(rr.build("kronecker", (2, 2), [1.0, 1.0])))
    >>> released = release_table(file, table, rehearsal="demonstration")
    >>> released.file_name, released.dataset.n
    ('rehearsal-demonstration-table.zip', 2201)
    """
    if known is not None:
        _check_known(mechanism, answers, known)
    parts = []
    for start in range(0, answers.n, AT_ONCE):
        report(start / answers.n, f"{count_text(start)} of {counted(answers.n, 'person', 'people')} randomized")
        part = Dataset(answers.schema, answers.codes[start : start + AT_ONCE], answers.title)
        parts.append(randomise(mechanism, part).codes)
    drawn = Dataset(mechanism.reports, np.concatenate(parts), answers.title)
    return ReleasedTable(mechanism, drawn, dt.datetime.now(dt.UTC), draw, rehearsal, known=known)


def _check_known(mechanism: MechanismFile, answers: Dataset, known: Dataset) -> None:
    if known.n != answers.n:
        raise InputError(
            f"What leaves as it is has {known.n:,} rows and the answers {answers.n:,}: give the same people in the same order."
        )
    if both := [name for name in known.schema.names if name in (*mechanism.schema.names, RELEASE)]:
        raise InputError(f"'{both[0]}' cannot leave as it is: it is randomised, or the name is needed. Choose other columns.")
