"""Where the table comes from: a demo, a file, or a table on the server, which is counted where it is while a sample is in play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.data.reading import UploadReading, open_upload
from pages.shared import intake, widgets
from pages.shared.hosting import tables
from pages.shared.state import DEFAULT_DEMO, Source, Work
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.table import DEMOS, ColumnRule, Invention, TextTable, as_table, load_demo
from rrcore.table.stream import Look, look_through
from rrcore.wording import count_text, counted

Chosen = Source | Literal["server"]
"""Where a table comes from, as the page asks."""

_SOURCES: dict[Chosen, str] = {
    "demo": "Demo table",
    "upload": "Upload a file",
    "synthetic": "Invent one",
    "server": "Table on the server",
    "declare": "Declare only",
}


@dataclass(frozen=True)
class Counted:
    """A table on the server that was counted, and of which a sample is in play.

    Parameters
    ----------
    chosen : which table, and as it was
    people : number of its records
    title : of the sample
    edges : as in ``Look``
    """

    chosen: tables.Chosen
    people: int
    title: str
    edges: Mapping[str, tuple[float, ...]]


@dataclass
class Asked:
    """What was asked for on the Data page, or by a link to it; ``turn`` makes its widgets anew.

    Parameters
    ----------
    source : where the page opens, None for the source in use
    upload, reading : the last upload, and how far reading it has come
    table : the last uploaded table and how its columns are read
    declared_people : respondents of the declared plan
    counted : the last table on the server
    """

    source: Source | None = None
    demo: str = DEFAULT_DEMO
    turn: int = 0
    upload: str = ""
    reading: UploadReading = field(default_factory=UploadReading)
    table: tuple[TextTable, dict[str, ColumnRule]] | None = None
    invented: Invention = field(default_factory=Invention)
    declared_people: int = 2000
    counted: Counted | None = None

    def shows_counted(self, work: Work) -> bool:
        """Whether the table in play is a sample of the last table on the server."""
        return self.counted is not None and work.source == "upload" and work.title == self.counted.title

    def ask(self, source: Source, demo: str = "") -> None:
        """Have the page open at this source, and at this demo table."""
        self.source, self.demo = source, demo or self.demo
        self.turn += 1


def choose(work: Work, asked: Asked, *, server: bool = False) -> Chosen:
    """The source to show; ``server`` offers tables on the server, too."""
    sources = [each for each in _SOURCES if server or each != "server"]
    there: Chosen = "server" if server and asked.shows_counted(work) else work.source
    chosen = st.radio(
        "Where the table comes from",
        sources,
        index=sources.index(asked.source or ("upload" if asked.reading.asks else there)),
        format_func=_SOURCES.__getitem__,
        key=f"source_{asked.turn}",
    )
    asked.source = None
    return chosen


def choose_demo(work: Work, asked: Asked) -> None:
    """Radio buttons over the demo tables; the work follows."""
    key = st.radio(
        "Demo table",
        list(DEMOS),
        index=list(DEMOS).index(asked.demo),
        format_func=lambda key: DEMOS[key].title,
        captions=[demo.description for demo in DEMOS.values()],
        key=f"demo_{asked.turn}",
        persist_state="session",
    )
    if key != asked.demo or work.source != "demo":
        asked.demo = key
        work.adopt_table(*as_table(load_demo(key)), source="demo")
        st.rerun()
    st.caption(f"Source: {DEMOS[key].source}")


def upload(work: Work, asked: Asked) -> None:
    """A table from a file; the work follows as soon as it is read, and whatever is in doubt is asked first."""
    chosen = uploader("upload")
    if receive(chosen, work, asked):
        st.rerun()
    reading = asked.reading
    if chosen is not None and reading.problem:
        widgets.complain(reading.problem)
    if work.source == "upload" and work.table is not None and not reading.asks:
        asked.table = work.table, work.rules
        widgets.caption(" ".join([reading.note, *work.table.notes]))
        if reading.note and st.button("Change how it is read", type="tertiary", icon=":material/edit:"):
            reading.question = "start"
            st.rerun()
        return
    widgets.caption(f"Until a file is read, '{work.title}' stays in use.")
    if asked.table is not None and not reading.asks:
        table, rules = asked.table
        if st.button(f"Use '{widgets.plain(table.title)}' again", icon=":material/history:"):
            work.adopt_table(table, rules, source="upload")
            st.rerun()


def uploader(key: str) -> UploadedFile | None:
    """Where a table is chosen; it is called ``key``."""
    return st.file_uploader(
        "A table with one row per person",
        key=key,
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="CSV, TSV, semicolon CSV, any of them gzipped, XLSX, Parquet, SPSS (.sav), Stata (.dta) or a data frame of R (.rds, "
        f".RData), up to {MAX_FILE_BYTES // 2**20} MB. It stays in this session's memory: it is not written to disk and not sent "
        "anywhere else. Exports of LimeSurvey, KoboToolbox and Qualtrics are recognised.",
    )


def receive(chosen: UploadedFile | None, work: Work, asked: Asked) -> bool:
    """Look at a file that was not chosen before, and use it where nothing is in doubt. Returns whether such a file came to an end."""
    if chosen is None and asked.reading.pending:  # taken back, or left with the page, before it was read
        intake.forget("upload")
        asked.upload, asked.reading = "", UploadReading()
    if chosen is None or (chosen.file_id == asked.upload and not asked.reading.pending):
        return False
    if chosen.file_id != asked.upload:
        asked.upload, asked.reading = chosen.file_id, UploadReading(pending=True)
    run = partial(open_upload, chosen.getvalue(), chosen.name)
    try:
        opened = intake.read("upload", chosen.file_id, run, what=f"Reading '{widgets.plain(chosen.name)}'")
        if opened is None:
            return False
        intake.forget("upload")
        asked.reading.open(opened, work)
    except InputError as error:
        asked.reading = UploadReading(problem=str(error))
    return True


def choose_on_server(work: Work, asked: Asked) -> None:
    """Choose a table and have it counted; the work follows as soon as that is done."""
    chosen = tables.choose("server_table")
    if chosen is None:
        return
    look = tables.count("server_table", chosen, look_through)
    if look is None:
        widgets.caption(f"Until a table is counted, '{work.title}' stays in use.")
    elif asked.counted is None or asked.counted.chosen != chosen:
        _adopt(work, asked, look, chosen)
        st.rerun()
    elif asked.shows_counted(work):
        _tell_counted(look)
    elif st.button(f"Use '{widgets.plain(look.sample.title)}' again", icon=":material/history:"):
        _adopt(work, asked, look, chosen)
        st.rerun()


def _adopt(work: Work, asked: Asked, look: Look, about: tables.Chosen) -> None:
    """Plan for all people, with the sample of them as the table in play."""
    table, rules = as_table(look.sample)
    rules = {name: replace(rule, declared=name not in look.learned) for name, rule in rules.items()}
    work.adopt_table(replace(table, drawn_from=look.n if look.sample.n < look.n else None), rules, source="upload")
    work.respondents = look.n
    asked.counted = Counted(about, look.n, work.title, look.edges)


def _tell_counted(look: Look) -> None:
    """What is in play of it, and what is not."""
    sentences = [f"{counted(look.n, 'person', 'people')} on the server."]
    if look.sample.n < look.n:
        sentences.append(
            f"In play are {count_text(look.sample.n)} of them, drawn at random: shares on the pages are theirs, and the plan is for all."
        )
    if look.left_out:
        sentences.append(
            f"Left out, since they cannot be attributes: {', '.join(look.left_out[:8])}{', ...' if len(look.left_out) > 8 else '.'}"
        )
    widgets.caption(" ".join([*sentences, *look.notes]))
