"""Which table was asked for, on page Data or by a way to it: the last upload or invention outlives other pages."""

from dataclasses import dataclass, field

from pages.shared import jobs, uploads
from pages.shared.state import DEFAULT_DEMO, Work
from pages.shared.uploaded import UploadReading
from pages.shared.uploads import Upload
from rrcore.budget import Invention, Source
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.table import ColumnRule, TextTable


@dataclass
class Asked:
    """What was asked for on the Data page, or by a link to it; ``turn`` makes its widgets anew.

    Parameters
    ----------
    source : where the page opens, None for the source in use
    upload, reading : the last upload, and how far reading it has come
    table : the last uploaded table and how its columns are read
    declared_people : respondents of the declared plan
    """

    source: Source | None = None
    demo: str = DEFAULT_DEMO
    turn: int = 0
    upload: str = ""
    reading: UploadReading = field(default_factory=UploadReading)
    table: tuple[TextTable, dict[str, ColumnRule]] | None = None
    invented: Invention = field(default_factory=Invention)
    declared_people: int = 2000

    def ask(self, source: Source, demo: str = "") -> None:
        """Have the page open at this source, and at this demo table."""
        self.source, self.demo = source, demo or self.demo
        self.turn += 1


def uploader(key: str) -> Upload | None:
    """Where a table is chosen; it is called ``key``."""
    return uploads.choose_file(
        "A table with one row per person",
        key=key,
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="CSV, TSV, semicolon CSV, any of them gzipped, XLSX, Parquet, SPSS (.sav) or Stata (.dta), "
        f"up to {MAX_FILE_BYTES // 2**20} MB. It stays in this session's memory: it is not written to disk and not sent "
        "anywhere else. Exports of KoboToolbox, Qualtrics and SurveyMonkey are recognized.",
    )


def receive(chosen: Upload | None, work: Work, asked: Asked) -> bool:
    """Look at a file that was not chosen before, and use it where nothing is in doubt. Returns whether such a file came to an end."""
    if chosen is None and asked.reading.pending:  # taken back, or left with the page, before it was read
        jobs.forget("upload")
        asked.upload, asked.reading = "", UploadReading()
    if chosen is None or (chosen.file_id == asked.upload and not asked.reading.pending):
        return False
    if chosen.file_id != asked.upload:
        asked.upload = chosen.file_id
        asked.reading = UploadReading(chosen.getvalue(), chosen.name, pending=True)
    try:
        if not asked.reading.read():
            return False
        asked.reading.begin(work)
    except InputError as error:
        asked.reading = UploadReading(problem=str(error))
    return True
