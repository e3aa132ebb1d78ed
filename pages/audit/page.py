"""Audit: does a mechanism keep its promise?"""

from __future__ import annotations

import streamlit as st

from pages.audit import results, source
from pages.shared import jobs, state, widgets
from rrcore.audit import audit_file

RUNS = {10_000: "10,000", 100_000: "100,000", 1_000_000: "1,000,000"}

work = state.current()
in_play = widgets.header("Audit", "Does this mechanism keep its promise? Try to break it.", work)

audited = state.of_page(source.Audited)
left, right = st.columns([1, 3], gap="large")
with left:
    file = source.choose(work, audited)
    in_play()
    runs = widgets.radio(
        "Runs",
        RUNS,
        "audit_runs",
        at=100_000,
        help="How often each true record is released. More runs come closer to what is really given away, and take longer.",
    )
    break_it = widgets.checkbox(
        "Break it on purpose",
        "audit_break",
        help="Runs a program that puts true answers in place of some false ones, so that every level is 10 % above what is claimed. "
        "The audit should catch it.",
    )
    if st.button("Run again", icon=":material/refresh:", disabled=file is None, help="The same audit with fresh randomness."):
        audited.turn += 1
with right:
    if file is None:
        st.info(
            "Choose a mechanism file on the left: one saved by 'Download mechanism file'. Or audit the plan in play.",
            icon=":material/upload_file:",
        )
    else:
        chosen = file
        audit = jobs.result(
            "audit",
            (file.sha256, runs, break_it, audited.turn),
            lambda report: audit_file(chosen, runs, break_it=break_it, report=report),
            what="The audit",
        )
        if audit is not None:
            results.show(audit)
