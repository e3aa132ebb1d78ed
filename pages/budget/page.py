"""Budget: levels or a total in, what the whole record costs and what can be estimated out."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.budget import bargain, levels, observer, published, questions, safeguards, tradeoffs
from pages.shared import documents, guards, mechanisms, state, widgets
from rrcore.limits import MAX_PEOPLE

SECTIONS = {
    "bargain": "What it costs and buys",
    "tradeoffs": "Trade-offs",
    "observer": "What an observer can learn",
    "published": "The published algorithm",
}

work = state.current()
answer = widgets.header("Budget", "What does the whole record cost, and what can you learn for it?")

left, right = st.columns([5, 6], gap="large")
with left:
    levels.choose_entry(work)
    levels.choose_attributes(work)
    if work.entry != "levels":
        levels.choose_total(work)
    if work.entry == "questions":
        questions.choose_questions(work)
    else:
        if work.entry == "levels":
            widgets.scale_slider(work)
        levels.edit_levels(work)
        safeguards.section(work)
    work.respondents = widgets.number("People", f"people_{work.version}", work.respondents, (1, MAX_PEOPLE), step=100)
    population = widgets.error_meaning()
plan = guards.need_plan(work)
with right:
    options = mechanisms.options(work, plan)
    option, mechanism = bargain.show_totals(work, options)
    if plan.questions is not None:
        questions.show_gains(plan, option, mechanism, population)
plan = plan.with_mechanism(work.mechanism)

section = widgets.section("Look closer", SECTIONS, "budget_section")
if section == "tradeoffs":
    tradeoffs.section(work, plan, options, option, mechanism, population)
elif section == "observer":
    observer.section(work, plan, mechanism)
elif section == "published":
    published.section(work, plan, options)
else:
    bargain.section(work, plan, options, option, mechanism, population)

st.divider()
widgets.download(
    "Download plan",
    partial(plan.to_json, mechanism),
    "plan.json",
    help="Attributes, levels and mechanism as a JSON file. It contains no answers.",
)
documents.before_plan(work, plan, mechanism)
if work.dataset is not None:
    st.page_link("pages/perturb/page.py", label="Next: perturb and estimate", icon=":material/arrow_forward:")
else:
    st.caption("To try the plan on answers, load a demo table or upload one on the Data page.")
