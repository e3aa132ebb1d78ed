"""Synthesize: a table rebuilt from randomised answers, and what it is good for."""

from functools import partial

import streamlit as st

from pages.shared import guards, jobs, state, widgets
from pages.synthesize import sections, settings, standings
from rrcore.research.lopub import simulate_collection

work = state.current()
answer = widgets.header(
    "Synthesize", "How much of a table can be rebuilt from randomised answers alone, and what is it good for?"
)
chosen = guards.need_chosen(work, "A table of one attribute has nothing to piece together")
plan = guards.need_plan(work)

left, right = st.columns([2, 5], gap="large")
with left:
    asked = settings.choose(work, chosen, plan.levels)
collection_rng, synthesis_rng = work.rng("collection"), work.rng("synthesis")
with right:
    found = jobs.result(
        "synthesize_collected",
        (work.answers, work.wishes.chosen, asked.source, asked.eps, asked.filters, work.wishes.seed),
        partial(simulate_collection, asked.source, chosen, asked.eps, filters=asked.filters, rng=collection_rng),
        what="Estimating every pair",
    )
    if found is not None:
        collected = found
        made = jobs.result(
            "synthesize_made",
            (id(found), asked.records, *(() if found.source.model else (asked.phi, asked.prune, asked.repeat))),
            partial(collected.synthesize, asked.phi, asked.records, prune=asked.prune, repeat=asked.repeat, rng=synthesis_rng),
            what="Piecing the table together",
        )
        if made is not None:
            table = made
            answer(sections.summary(collected, asked, sections.errors_of(work, collected, table)))
            sections.table(work, collected, table, asked)
            widgets.details(
                "Is it useful?", "synthesize_use", lambda: sections.usefulness(work, collected, table), icon="fact_check"
            )
        widgets.details("What goes together", "synthesize_graph", lambda: sections.graph(collected, asked), icon="hub")
        widgets.details("What is sent", "synthesize_collection", lambda: sections.collection(collected, asked), icon="send")
    widgets.details(
        "All sources compared", "synthesize_contest", lambda: standings.show(work, chosen, asked), icon="compare_arrows"
    )
