"""Compare: every scheme on the same releases."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.compare import closeup, costs, results, settings
from pages.shared import guards, jobs, state, widgets
from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.schemes import Outcome, Sweep
from rrcore.table import Dataset

_JOB = "comparison"


def show(
    work: state.Work, job: jobs.Job, asked: Sweep | None, table: Dataset, levels: Floats, releases: list[list[Outcome]]
) -> None:
    """Everything that is known so far: the outcomes of all ``releases`` that are done."""
    if not releases:
        return
    sweep, of, spent, title = job.about
    if asked != sweep or of is not table or spent.tolist() != levels.tolist():
        st.info(
            f"These results are for '{widgets.plain(title)}' with other settings than those on the left; press 'Compare' to compare anew.",
            icon=":material/history:",
        )
    outcomes = [outcome for release in releases for outcome in release]
    clicked = results.show(sweep, outcomes, lambda: sweep.point(outcomes[0].value, of, spent)[1].schema.names)
    if not job.running:
        closeup.show(work, sweep, of, spent, clicked)


work = state.current()
answer = widgets.header("Compare", "Which scheme recovers the joint distributions best, for these people and levels?")
chosen = guards.need_chosen(work)
plan = guards.need_plan(work)
levels = np.asarray(plan.levels)

left, right = st.columns([1, 3], gap="large")
with left:
    sweep: Sweep | None = None
    try:
        sweep = settings.choose(len(work.chosen))
    except InputError as error:
        widgets.complain(error)
    if st.button("Compare", type="primary", icon=":material/play_arrow:", disabled=sweep is None, width="stretch"):
        assert sweep is not None
        asked = sweep
        jobs.start(_JOB, (sweep, chosen, levels, work.title), lambda report: asked.run(chosen, levels, report=report))
with right:
    for sentence in sweep.warnings(chosen.schema.sizes, levels) if sweep is not None else []:
        widgets.warn(sentence)
    job = jobs.find(_JOB)
    if job is None:
        st.info(
            "Choose schemes on the left and press 'Compare'. All schemes are tried on the same simulated releases, and their estimates are "
            "compared with the truth.",
            icon=":material/compare_arrows:",
        )
    else:
        started = job
        jobs.watch(_JOB, "The comparison", lambda releases: show(work, started, sweep, chosen, levels, releases))
    if sweep is not None:
        st.divider()
        if sweep.varied in ("nothing", "people"):
            study = sweep.study
            stamp = (study.schemes, study.spend, study.max_cells, study.min_dependence, work.version, plan)
            made = jobs.result(
                "compare_designs",
                stamp,
                lambda report: study.designs(chosen, levels, report=report),
                what="Designing the mechanisms",
            )
            if made is not None:
                costs.spending(study, made, levels)
                costs.reasons(study, chosen, made, (stamp, study.ways, study.sets, study.seed, study.people))
            costs.bounds(study, chosen, levels)
        st.page_link("pages/papers/page.py", label="What the papers print, measured again", icon=":material/menu_book:")
