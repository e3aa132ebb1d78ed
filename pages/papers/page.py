"""Papers: do the tables and figures of five papers come out the same when they are measured again?"""

from collections import Counter
from functools import partial

import streamlit as st

from pages.papers import results
from pages.shared import jobs, state, uploads, widgets
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES
from rrcore.research.papers import ENTRIES, PAPERS, PaperEntry, read_adult_file, run
from rrcore.table import Dataset
from rrcore.wording import count_text, counted

_JOB = "papers"
OPENING = "castell-figure-10a"
"""The entry that the page opens with, measured at once: it takes a fraction of a second."""


def choose() -> PaperEntry:
    """The entry that is chosen, paper first."""
    papers = {key: paper.short for key, paper in PAPERS.items() if any(entry.paper.key == key for entry in ENTRIES.values())}
    paper = widgets.select("Paper", papers, "papers_paper", at=ENTRIES[OPENING].paper.key)
    own = [entry for entry in ENTRIES.values() if entry.paper.key == paper]
    places = Counter(entry.place for entry in own)
    there = {entry.id: entry.place if places[entry.place] == 1 else f"{entry.place}: {entry.title}" for entry in own}
    at = OPENING if OPENING in there else None
    return ENTRIES[widgets.select("Table or figure", there, f"papers_entry_{paper}", at=at)]


def adult_table(shelf: results.PaperResults) -> Dataset | None:
    """The table UCI Adult; None until its file is there."""
    chosen = uploads.choose_file(
        "UCI Adult",
        key="papers_adult",
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="The table with a header, as CSV, XLSX or Parquet. It stays in this session's memory.",
    )
    if chosen is not None:
        try:
            found = jobs.read(
                "papers_adult",
                chosen.file_id,
                read_adult_file,
                chosen.getvalue(),
                chosen.name,
                what="Reading UCI Adult",
            )
            shelf.adult = found or shelf.adult
        except InputError as error:
            widgets.complain(error)
    if shelf.adult is None:
        st.info(
            "This was measured on UCI Adult, which is not part of the workbench: choose its file.", icon=":material/upload_file:"
        )
    else:
        st.caption(f"{count_text(shelf.adult.n)} people, {counted(shelf.adult.k, 'column', 'columns')}.")
    return shelf.adult


answer = widgets.header(
    "Papers", "Do the tables and figures that five papers print come out the same when they are measured again?"
)

answer(results.overview())
shelf = state.of_page(results.PaperResults)
left, right = st.columns([2, 5], gap="large")
with left:
    entry = choose()
    fast = not widgets.checkbox(
        "As many repeats as the paper",
        "papers_full",
        help="Without it, few repeats: the verdict is nearly always the same, within seconds. With it, some figures take many minutes.",
    )
    adult = adult_table(shelf) if entry.needs_adult else None
    about = (entry.id, fast)
    pressed = st.button(
        "Measure again",
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        disabled=entry.measure is None or (entry.needs_adult and adult is None),
    )
    if pressed or (about == (OPENING, True) and jobs.find(_JOB) is None):
        seed = shelf.next_seed(about)
        jobs.start(_JOB, about, partial(run, entry, seed=seed, fast=fast, adult=adult))
with right:
    job = jobs.find(_JOB)
    if job is not None and job.about == about:
        jobs.watch(_JOB, "The measurement", lambda pieces: results.show(shelf, entry, pieces, fast=fast))
    else:
        results.show(shelf, entry, [], fast=fast)
