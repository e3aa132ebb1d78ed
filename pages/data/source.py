"""Where the table comes from: a demo, a file, an invention, or a declaration."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from pages.shared import widgets
from pages.shared.state import DEFAULT_DEMO, Source, Work
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.table import DEMOS, ColumnRule, Invention, TextTable, as_table, default_rule, load_demo, read_text_table

_SOURCES: dict[Source, str] = {
    "demo": "Demo table",
    "upload": "Upload a file",
    "synthetic": "Make one up",
    "declare": "Declare only",
}


@dataclass
class Asked:
    """What was asked for on the Data page, or by a link to it; ``turn`` makes its widgets anew.

    Parameters
    ----------
    source : where the page opens, None for the source in use
    upload, problem : the last upload that was read, and what was wrong with it
    table : the last uploaded table and how its columns are read
    declared_people : respondents of the declared plan
    """

    source: Source | None = None
    demo: str = DEFAULT_DEMO
    turn: int = 0
    upload: str = ""
    problem: str = ""
    table: tuple[TextTable, dict[str, ColumnRule]] | None = None
    invented: Invention = field(default_factory=Invention)
    declared_people: int = 2000

    def ask(self, source: Source, demo: str = "") -> None:
        """Have the page open at this source, and at this demo table."""
        self.source, self.demo = source, demo or self.demo
        self.turn += 1


def choose(work: Work, asked: Asked) -> Source:
    """The source to show."""
    sources = list(_SOURCES)
    chosen = st.radio(
        "Where the table comes from",
        sources,
        index=sources.index(asked.source or work.source),
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
    """A table from a file; the work follows as soon as it is read."""
    chosen = st.file_uploader(
        "A table with one row per person",
        key="upload",
        help=f"CSV, TSV, semicolon CSV, any of them gzipped, XLSX or Parquet, up to {MAX_FILE_BYTES // 2**20} MB. "
        "It stays in this session's memory: it is not written to disk and not sent anywhere else.",
    )
    if chosen is not None and chosen.file_id != asked.upload:
        asked.upload, asked.problem = chosen.file_id, ""
        try:
            with st.spinner("Reading the table..."):
                table = read_text_table(chosen.getvalue(), chosen.name)
                work.adopt_table(table, {c.name: default_rule(c, table.n) for c in table.columns}, source="upload")
        except InputError as error:
            asked.problem = str(error)
        st.rerun()
    if chosen is not None and asked.problem:
        widgets.complain(asked.problem)
    if work.source == "upload" and work.table is not None:
        asked.table = work.table, work.rules
        for note in work.table.notes:
            widgets.caption(note)
        return
    widgets.caption(f"Until a file is read, '{work.title}' stays in use.")
    if asked.table is not None:
        table, rules = asked.table
        if st.button(f"Use '{widgets.plain(table.title)}' again", icon=":material/history:"):
            work.adopt_table(table, rules, source="upload")
            st.rerun()
