"""Synthesize: a table rebuilt from randomised answers, and what it is good for."""

from __future__ import annotations

import streamlit as st

from pages.shared import guards, jobs, state, widgets
from pages.synthesize import sections, settings, standings
from rrcore.lopub import Collected, simulate_collection

SECTIONS = {
    "collection": "What is sent",
    "graph": "What goes together",
    "table": "Synthetic table",
    "use": "Is it useful?",
    "contest": "All sources compared",
}


def show(work: state.Work, found: Collected, asked: settings.Settings, section: str) -> None:
    """One section about the collection or the synthetic table made from it."""
    if section == "collection":
        sections.collection(found, asked)
        return
    if section == "graph":
        sections.graph(found, asked)
        return
    phi, records, prune, repeat = asked.phi, asked.records, asked.prune, asked.repeat
    made = jobs.result(
        "synthesize_made",
        (id(found), phi, records, prune, repeat),
        lambda report: found.synthesize(phi, records, prune=prune, repeat=repeat, rng=work.rng("synthesis"), report=report),
        what="Piecing the table together",
    )
    if made is not None and section == "table":
        sections.table(work, found, made, asked)
    elif made is not None:
        sections.usefulness(work, found, made)


work = state.current()
answer = widgets.header(
    "Synthesize", "How much of a table can be rebuilt from randomised answers alone, and what is it good for?"
)
chosen = guards.need_chosen(work, "A table of one attribute has nothing to piece together")

left, right = st.columns([1, 3], gap="large")
with left:
    asked = settings.choose(work, chosen)
with right:
    section = widgets.section("Look at", SECTIONS, "synthesize_section", default="graph")
    if section == "contest":
        standings.show(work, chosen, asked)
    else:
        found = jobs.result(
            "synthesize_collected",
            (work.version, work.chosen, asked.source, asked.eps, asked.filters, work.seed),
            lambda report: simulate_collection(
                asked.source, chosen, asked.eps, filters=asked.filters, rng=work.rng("collection"), report=report
            ),
            what="Estimating every pair",
        )
        if found is not None:
            show(work, found, asked, section)
