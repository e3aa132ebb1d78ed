"""Which table or figure is looked at, and the file of UCI Adult that some need."""

from collections import Counter
from dataclasses import dataclass
from functools import partial

import streamlit as st

from pages.shared import intake, state, widgets
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.research.papers import ENTRIES, PAPERS, PaperEntry, read_adult
from rrcore.table import Dataset, read_text_table
from rrcore.wording import count_text, counted

OPENING = "castell-figure-10a"
"""The entry that the page opens with, measured at once: it takes a fraction of a second."""


@dataclass
class Adult:
    """The table that was uploaded last, for this session only."""

    table: Dataset | None = None


def choose() -> PaperEntry:
    """The entry that is chosen, paper first."""
    papers = {key: paper.short for key, paper in PAPERS.items() if any(entry.paper.key == key for entry in ENTRIES.values())}
    paper = widgets.select("Paper", papers, "papers_paper", at=ENTRIES[OPENING].paper.key)
    own = [entry for entry in ENTRIES.values() if entry.paper.key == paper]
    places = Counter(entry.place for entry in own)
    there = {entry.id: entry.place if places[entry.place] == 1 else f"{entry.place}: {entry.title}" for entry in own}
    at = OPENING if OPENING in there else None
    return ENTRIES[widgets.select("Table or figure", there, f"papers_entry_{paper}", at=at)]


def _read(data: bytes, name: str) -> Dataset:
    return read_adult(read_text_table(data, name))


def adult(work: state.Work) -> Dataset | None:
    """The table UCI Adult; None until its file is there."""
    kept = state.of_page(Adult)
    chosen = st.file_uploader(
        "UCI Adult",
        key="papers_adult",
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="The table with a header, as CSV, XLSX or Parquet. It stays in this session's memory.",
    )
    if chosen is not None:
        try:
            read = partial(_read, chosen.getvalue(), chosen.name)
            kept.table = intake.read("papers_adult", chosen.file_id, read, what="Reading UCI Adult") or kept.table
        except InputError as error:
            widgets.complain(error)
    if kept.table is None:
        st.info(
            "This was measured on UCI Adult, which is not part of the workbench: choose its file.", icon=":material/upload_file:"
        )
    else:
        st.caption(f"{count_text(kept.table.n)} people, {counted(kept.table.k, 'column', 'columns')}.")
    return kept.table
