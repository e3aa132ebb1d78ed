"""Compare: every scheme on the same releases."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.compare import closeup, costs, results, settings
from pages.shared import findings, guards, jobs, state, widgets
from rrcore.channel import Floats
from rrcore.errors import InputError
from rrcore.papers import FINDINGS
from rrcore.schemes import Outcome, Sweep
from rrcore.table import Dataset

_NAME = "comparison"


def finished(stream: jobs.Stream) -> list[Outcome]:
    """The outcomes of all releases that are done."""
    return [outcome for release in list(stream.pieces) for outcome in release]


def progress(stream: jobs.Stream) -> None:
    """How far the comparison is, and a way to stop it; or how it ended, if not by itself."""
    if stream.running:
        st.progress(min(1.0, max(0.0, stream.job.fraction)), text=f"{stream.job.text or 'At work'} ...")
        if st.button("Stop", key="compare_stop", icon=":material/stop:"):
            jobs.stop(_NAME)
            st.rerun()
    elif stream.stopped:
        widgets.caption(f"Stopped after {len(stream.pieces)} releases; what is finished is shown.")
    elif isinstance(stream.error, InputError):
        widgets.complain(stream.error)
    elif stream.error is not None:
        raise stream.error


def show(work: state.Work, asked: Sweep | None, table: Dataset, levels: Floats) -> None:
    """Progress and everything that is known so far."""
    stream = jobs.follow(_NAME)
    if stream is None:
        st.info(
            "Choose schemes on the left and press 'Compare'. All schemes are tried on the same simulated releases, and their estimates are "
            "held against the truth.",
            icon=":material/compare_arrows:",
        )
        return
    sweep, of, spent, title = stream.about
    if not stream.running and st.session_state.get("compare_was_running"):
        st.session_state["compare_was_running"] = False
        st.rerun()  # once, so that the page no longer looks every second
    progress(stream)
    if stream.running and not stream.pieces:
        return
    outcomes = finished(stream)
    if not outcomes:
        return
    if asked != sweep or of is not table or spent.tolist() != levels.tolist():
        st.info(
            f"These results are for '{widgets.plain(title)}' with other settings than those on the left; press 'Compare' to compare anew.",
            icon=":material/history:",
        )
    clicked = results.show(sweep, outcomes, lambda: sweep.point(outcomes[0].value, of, spent)[1].schema.names)
    if not stream.running:
        closeup.show(work, sweep, of, spent, clicked)


work = state.current()
in_play = widgets.header("Compare", "Which scheme recovers the joint distributions best, for these people and levels?", work)
table = guards.need_dataset(work)
plan = guards.need_plan(work)
chosen = work.remember("chosen", (work.version, work.chosen), lambda: table.select(work.chosen))
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
        jobs.stream(_NAME, (sweep, chosen, levels, work.title), lambda report: asked.run(chosen, levels, report=report))
with right:
    stream = jobs.follow(_NAME)
    running = stream is not None and stream.running
    st.session_state["compare_was_running"] = running
    st.fragment(show, run_every=1.0 if running else None)(work, sweep, chosen, levels)
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
        findings.show(
            FINDINGS, "On the eight categorical columns of UCI Adult (32,561 people), which are not part of the workbench."
        )
