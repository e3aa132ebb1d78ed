"""Files that people choose: where pages ask for them, and how far reading a table has come. A demo takes none."""

from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import streamlit as st

from pages.shared import jobs, widgets
from pages.shared.mode import SWITCHED_OFF, demo
from pages.shared.state import Work
from rrcore.budget import Invention
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.mark import RandomizedError, check_not_marked
from rrcore.table import ColumnRule, ReadOptions, TextTable
from rrcore.table.opening import InspectedFile, inspect_file

_ROWS = ("start", "header", "skip", "fix_names", "totals", "counts", "weights")
_AFTER = {"encoding": ("sheet", *_ROWS), "sheet": _ROWS, "start": _ROWS[1:], "header": _ROWS[2:]}
"""Options that depend on another one."""


class Upload(Protocol):
    """A file that a person chose. It stays in memory."""

    name: str
    file_id: str

    def getvalue(self) -> bytes: ...


def choose_file(label: str, key: str, **more: Any) -> Upload | None:
    """Ask for a file. Return None until there is one. ``more`` is what Streamlit's own widget takes."""
    return cast(Upload | None, _uploader(label, key, **more))


def choose_files(label: str, key: str, **more: Any) -> list[Upload]:
    """Ask for files."""
    return cast(list[Upload], _uploader(label, key, accept_multiple_files=True, **more) or [])


def _uploader(label: str, key: str, **more: Any) -> Any:
    if demo():
        st.caption(SWITCHED_OFF)
        return None
    return st.file_uploader(label, key=key, **more)


@dataclass
class UploadReading:
    """How far reading an upload has come.

    Parameters
    ----------
    data, name : bytes, str
        The upload.
    given : dict
        How the user wants it read, by the names of ``ReadOptions``. Everything else is read as proposed.
    found : InspectedFile or None
        What was read.
    asks : bool
        Whether the user has to decide, or wants to change, how it is read.
    options : ReadOptions
        How the table in use was read.
    names : tuple of str
        What its columns are called in the file.
    note : str
        How it was read, in a sentence.
    problem : str
        What was wrong with the file.
    randomized : bool
        Whether it holds randomized answers.
    changed : bool
        Whether it is to be read again as ``given``.
    pending : bool
        Whether it is still being read for the first time.
    """

    data: bytes = b""
    name: str = ""
    given: dict[str, Any] = field(default_factory=dict)
    found: InspectedFile | None = None
    asks: bool = False
    options: ReadOptions = field(default_factory=ReadOptions)
    names: tuple[str, ...] = ()
    note: str = ""
    problem: str = ""
    randomized: bool = False
    changed: bool = False
    pending: bool = False

    def read(self, name: str = "upload") -> bool:
        """Read the file as it is wanted. Return whether that came to an end. Raises InputError if it cannot be read."""
        what = "Reading the table" if self.found else f"Reading '{widgets.plain(self.name)}'"
        key = (id(self.data), tuple(sorted(self.given.items())))
        found = jobs.read(name, key, inspect_file, self.data, self.name, self.given, what=what)
        if found is None:
            return False
        jobs.forget(name)
        self.found, self.changed = found, False
        return True

    def give(self, option: str, value: Any) -> None:
        """Have the file read with another option. Choices that depend on this one are forgotten."""
        later = _AFTER.get(option, ())
        self.given = {name: kept for name, kept in self.given.items() if name not in later} | {option: value}
        self.changed = True

    def begin(self, work: Work) -> None:
        """Use the table that was read, or ask if something about it is in doubt. Raises InputError if it is refused."""
        assert self.found is not None
        self.pending = False
        if isinstance(self.found.problem, RandomizedError):
            raise self.found.problem
        if self.found.table is not None:
            check_not_marked(self.found.table.title)
        self.asks = not all(each.sure for each in self.found.guess.proposed)
        if not self.asks:
            self.use(work)

    def use(self, work: Work) -> None:
        """Use the table that was read, by its first rules. Raises InputError if no column can be used."""
        assert self.found is not None
        table, first = self.found.result()
        check_not_marked(table.title)
        work.adopt_table(table, first, source="upload")
        self.asks, self.options, self.names = False, self.found.guess.options, table.names
        self.note = next((each.why for each in self.found.guess.proposed if each.option == "skip"), "")


@dataclass
class Asked:
    """The table that was asked for on the page Data or on the way to it. The last upload or invention outlives other pages.

    Parameters
    ----------
    upload, reading
        The last upload, and how far reading it has come.
    table : tuple or None
        The last uploaded table and how its columns are read.
    invented : Invention
    """

    upload: str = ""
    reading: UploadReading = field(default_factory=UploadReading)
    table: tuple[TextTable, dict[str, ColumnRule]] | None = None
    invented: Invention = field(default_factory=Invention)


def choose_table(key: str, work: Work, asked: Asked) -> bool:
    """Ask for a table, and use it if nothing about it is in doubt. What is wrong with it shows below.

    Returns
    -------
    bool
        Whether a file has just been read, and is in use or asked about.
    """
    chosen = choose_file(
        "A table with one row per person",
        key=key,
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="CSV, TSV, XLSX, Parquet, SPSS (.sav) or Stata (.dta), also compressed with gzip, up to "
        f"{MAX_FILE_BYTES // 2**20} MB. RR Workbench keeps the table in this session's memory, and not on disk. "
        "It recognizes exports of KoboToolbox, Qualtrics and SurveyMonkey.",
    )
    ended = _receive(chosen, work, asked)
    reading = asked.reading
    if chosen is not None and reading.problem:
        widgets.complain(reading.problem)
        if reading.randomized:
            st.page_link("pages/analyze/page.py", label="Analyze randomized answers", icon=":material/query_stats:")
    return ended and not reading.problem


def _receive(chosen: Upload | None, work: Work, asked: Asked) -> bool:
    """Read a file that was not chosen before. Return whether that came to an end."""
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
        asked.reading = UploadReading(problem=str(error), randomized=isinstance(error, RandomizedError))
    return True
