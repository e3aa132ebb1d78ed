"""Audit: does a mechanism keep its promise?"""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.audit import results, source
from pages.shared import jobs, state, widgets
from rrcore.audit import audit_file
from rrcore.errors import InputError

RUNS = {10_000: "10,000", 100_000: "100,000", 1_000_000: "1,000,000"}

work = state.current()
in_play = widgets.header("Audit", "Does this mechanism keep its promise? Try to break it.", work)

settings: dict[str, Any] = st.session_state.setdefault("audit_settings", {})
left, right = st.columns([1, 3], gap="large")
with left:
    file = source.choose(work, settings)
    in_play()
    runs = st.radio(
        "Runs",
        format_func=RUNS.get,
        **state.keep_choice("audit_runs", list(RUNS), settings.get("runs", 100_000)),
        help="How often each true record is released. More runs come closer to what is really given away, and take longer.",
    )
    break_it = st.checkbox(
        "Break it on purpose",
        **state.keep("audit_break", settings.get("break_it", False)),
        help="Runs a program that puts true answers in place of some false ones, so that every level is 10 % above what is claimed. "
        "The audit should catch it.",
    )
    settings |= {"runs": runs, "break_it": break_it}
    turn = settings.setdefault("turn", 0)
    if st.button("Run again", icon=":material/refresh:", disabled=file is None, help="The same audit with fresh randomness."):
        turn = settings["turn"] = turn + 1
with right:
    if file is None:
        st.info(
            "Choose a mechanism file on the left: one saved by 'Download mechanism file'. Or audit the plan in play.",
            icon=":material/upload_file:",
        )
        st.stop()
    audited = file
    try:
        audit = jobs.result(
            "audit",
            (file.sha256, runs, break_it, turn),
            lambda report: audit_file(audited, runs, break_it=break_it, report=report),
            what="The audit",
        )
    except InputError as error:
        widgets.complain(error)
        st.stop()
    if audit is not None:
        results.show(audit)
