"""A randomized table as one archive, with everything needed to analyze it."""

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
from rrcore.promise.certificate_files import certificate_files
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.randomizing import randomize_dataset
from rrcore.promise.statement import promise_sentence
from rrcore.promise.trailer import AT_ONCE, dataset_parts, new_draw, write_release
from rrcore.table.dataset import Dataset
from rrcore.table.recoding import as_table
from rrcore.wording import and_text, count_text, counted, legible
from rrcore.writing import columns_of

Rehearsal = Literal["", "demonstration", "invented"]
"""Kind of an invented or demo table, so that the release is a rehearsal. Empty for a table of actual people."""

_FIRST_OF_ZIP = dt.datetime(1980, 1, 1)  # archives know no earlier moment


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """One draw of randomized answers from ``release_table``.

    It contains no true answers except the ``known`` columns.

    Parameters
    ----------
    mechanism : MechanismFile
    dataset : Dataset of the randomized answers
    made : date and time, with a time zone
    draw : int, number of the draw about the same people, from 1
    rehearsal : Rehearsal
    name : str, unique name of this draw
    known : Dataset of unrandomized columns about the same people, or None
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
        """Name of the archive, such as "release.zip" or "release-2.zip".

        A rehearsal has a name such as "rehearsal-demonstration-table.zip".
        """
        kind = f"rehearsal-{self.rehearsal}-table" if self.rehearsal else "release"
        return f"{kind}{'' if self.draw == 1 else f'-{self.draw}'}.zip"

    def guide(self, pages: Iterable[str] = ()) -> str:
        """Return a guide to the archive as text, which lists its ``pages``."""
        names = self.mechanism.schema.names
        lines = [
            f"{'Rehearsal with the ' + self.rehearsal + ' table' if self.rehearsal else 'Release'}: randomized answers of "
            f"{counted(self.dataset.n, 'person', 'people')} to {counted(len(names), 'question', 'questions')}.",
            f"Randomized on {self.made:%Y-%m-%d at %H:%M} UTC with the operating system's random number generator. Nobody can undo it.",
            promise_sentence(self.mechanism),
            *([] if self.known is None else [legible(" ".join(unreleased_columns_sentence(self.known.schema.names).split()))]),
            "",
            "released.csv         the randomized answers, one row per person in the order of the table; the last row holds their number",
            "mechanism.json       how they were randomized. Keep it with them, because you need it for every estimate",
            "certificate.txt      the privacy guarantee, computed from the integers in mechanism.json",
            "certificate.json     the same for programs",
            "check.py             computes the certificate again from mechanism.json; run: python check.py",
            *(f"{page:21}to read in a browser, and to print" for page in pages),
            "",
            "To analyze the answers, drop this archive on the page Analyze of RR Workbench, or run",
            "    rrcore analyze --mechanism mechanism.json --in released.csv",
            "",
            "Publish this file only once. Randomizing the same answers again spends the privacy budget again.",
            "Anyone who has the table of true answers can see which answers were replaced. Keep that table apart, or delete it.",
            f"Fingerprint of mechanism.json (SHA-256): {self.mechanism.sha256}",
        ]
        return "\n".join(lines) + "\n"

    def to_zip(self, *, pages: Mapping[str, str] = {}, report: Report = quiet) -> bytes:
        """Return the archive of the answers, mechanism file, certificate and guide.

        Parameters
        ----------
        pages : name of a file -> text, additional pages from ``rrcore.reports.recipient_pages``
        report : called with the completed fraction; an exception cancels the archive
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
                extra = [] if self.known is None else as_table(self.known)[0].columns
                columns = [*columns_of(self.mechanism.reports), *([] if self.known is None else columns_of(self.known.schema))]
                parts = dataset_parts(self.dataset, extra, report=report)
                write_release(file, columns, parts, self.mechanism.sha256, self.name)
        return out.getvalue()

    def _entry(self, name: str) -> zipfile.ZipInfo:
        moment = max(self.made.replace(tzinfo=None), _FIRST_OF_ZIP)  # a clock may be wrong by decades
        entry = zipfile.ZipInfo(name, moment.timetuple()[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        return entry


def unreleased_columns_sentence(names: Sequence[str]) -> str:
    """Explain what the publication of columns without randomization means.

    Examples
    --------
    >>> print(unreleased_columns_sentence(["Region"]).partition(". ")[0])
    Region is published without randomization, so everybody's Region is revealed
    """
    listed = and_text(names)
    return (
        f"{listed} {'is' if len(names) == 1 else 'are'} published without randomization, so everybody's {listed} "
        f"{'is' if len(names) == 1 else 'are'} revealed. The guarantee for the other answers holds among people with the same {listed}."
    )


def release_table(
    mechanism: MechanismFile,
    answers: Dataset,
    *,
    known: Dataset | None = None,
    draw: int = 1,
    rehearsal: Rehearsal = "",
    report: Report = quiet,
) -> ReleasedTable:
    """Randomize true answers with the exact sampler.

    Parameters
    ----------
    mechanism, answers : as in ``randomize``
    known : Dataset of unrandomized attributes of the same people, in the same order, such as a region that everybody knows
        No epsilon bounds these attributes. The guarantee of ``mechanism`` is about the other answers only.
    report : called with the completed fraction; an exception cancels the release
    draw, rehearsal : as in ``ReleasedTable``

    Raises
    ------
    InputError
        As ``randomize`` does, and if ``known`` is about other people or contains randomized attributes.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.budget import build
    >>> from rrcore.promise import integer_groups
    >>> from rrcore.promise.released_table import release_table
    >>> table = rr.load_demo("titanic").select(["Sex", "Survived"])
    >>> file = rr.MechanismFile(table.schema, integer_groups(build("independent", (2, 2), [1.0, 1.0])))
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
        parts.append(randomize_dataset(mechanism, part).codes)
    drawn = Dataset(mechanism.reports, np.concatenate(parts), answers.title)
    return ReleasedTable(mechanism, drawn, dt.datetime.now(dt.UTC), draw, rehearsal, known=known)


def _check_known(mechanism: MechanismFile, answers: Dataset, known: Dataset) -> None:
    if known.n != answers.n:
        raise InputError(
            f"The columns without randomization have {known.n:,} rows, but the answers have {answers.n:,}. Use the same "
            "people in the same order."
        )
    if both := [name for name in known.schema.names if name in (*mechanism.schema.names, RELEASE)]:
        raise InputError(
            f"'{both[0]}' cannot be published without randomization, because it is randomized or its name is reserved. Choose other columns."
        )
