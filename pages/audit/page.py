"""Audit: does a mechanism keep its promise?"""

import streamlit as st

from pages.audit import results, source
from pages.shared import jobs, state, verdicts, widgets
from rrcore.audit import CHEATS, Audit, audit_file
from rrcore.work import Report

RUNS = {10_000: "10,000", 100_000: "100,000", 1_000_000: "1,000,000"}
SECTIONS = {"program": "What runs", "answers": "Collected answers"}
AS_IT_IS = "as it is"

work = state.current()
answer = widgets.header("Audit", "Does this mechanism keep its promise? Try to break it.")

audited = state.of_page(source.Audited)
section = widgets.section("What is looked at", SECTIONS, "audit_section")
left, right = st.columns([1, 3], gap="large")
with left:
    file = source.choose(work, audited)
if section == "answers":
    with left:
        answers = source.answers(file)
    with right:
        if answers is None:
            st.info(
                "Choose the mechanism file and the answers that are said to be released by it. No true answers are needed.",
                icon=":material/upload_file:",
            )
        else:
            results.show_answers(work, answers, answer)
    st.stop()
with left:
    runs = widgets.radio(
        "Runs",
        RUNS,
        "audit_runs",
        at=100_000,
        help="How often each true record is released. More runs come closer to what is really given away, and take longer.",
    )
    ways = {key: cheat.title for key, cheat in CHEATS.items() if file is not None and cheat.possible(file)}
    spoilt = widgets.select(
        "Break it on purpose",
        {AS_IT_IS: "No, run it as it is", **ways},
        "audit_break",
        help="Runs a program that does not follow the mechanism file. The audit should catch it.",
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
        chosen, broken, known = file, "" if spoilt == AS_IT_IS else spoilt, verdicts.known(work, file)
        table = None if known is None else known.codes  # those are tried one by one
        about = file.sha256, runs, broken, audited.turn, None if known is None else work.answers

        def tried(report: Report) -> Audit:
            return audit_file(chosen, runs, spoilt=broken, table=table, report=report)

        audit = jobs.result("audit", about, tried, what="The audit")
        if audit is not None:
            results.show(audit, answer)
        elif jobs.at_work("audit"):
            answer(f"Trying to break it: {RUNS[runs]} runs of each true record, each held against what is claimed.")
        else:
            answer("This audit did not come to its end, so it shows nothing, for or against the mechanism.")
