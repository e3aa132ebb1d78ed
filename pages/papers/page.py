"""Papers: do the tables and figures of five papers come out the same when they are measured again?"""

import streamlit as st

from pages.papers import choice, results
from pages.shared import jobs, state, widgets
from rrcore.research.papers import run

_JOB = "papers"

answer = widgets.header(
    "Papers", "Do the tables and figures that five papers print come out the same when they are measured again?"
)

answer(results.overview())
work = state.current()
shelf = state.of_page(results.Shelf)
left, right = st.columns([2, 5], gap="large")
with left:
    entry = choice.choose()
    fast = not widgets.checkbox(
        "As many repeats as the paper",
        "papers_full",
        help="Without it, few repeats: the verdict is nearly always the same, within seconds. With it, some figures take many minutes.",
    )
    adult = choice.adult(work) if entry.needs_adult else None
    about = (entry.id, fast)
    pressed = st.button(
        "Measure again",
        type="primary",
        icon=":material/play_arrow:",
        width="stretch",
        disabled=entry.measure is None or (entry.needs_adult and adult is None),
    )
    if pressed or (about == (choice.OPENING, True) and jobs.find(_JOB) is None):
        seed = shelf.next_seed(about)
        jobs.start(_JOB, about, lambda report: iter([run(entry, seed=seed, fast=fast, adult=adult, report=report)]))
with right:
    job = jobs.find(_JOB)
    if job is not None and job.about == about:
        jobs.watch(_JOB, "The measurement", lambda pieces: results.show(shelf, entry, pieces, fast=fast))
    else:
        results.show(shelf, entry, [], fast=fast)
