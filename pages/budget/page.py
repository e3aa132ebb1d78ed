"""Budget: levels or a total in, what the whole record costs and what can be estimated out."""

import streamlit as st

from pages.budget import (
    bargain,
    choosing,
    levels,
    observer,
    onward,
    published,
    questions,
    safeguards,
    tradeoffs,
    wanted,
)
from pages.shared import documents, guards, guessing, state, widgets
from rrcore.budget import protects_little, tradeoff_sentence
from rrcore.wording import unbroken

SECTIONS = {
    "bargain": "What it costs and buys",
    "tradeoffs": "Trade-offs",
    "observer": "What an observer can learn",
    "choosing": "Choosing a level",
    "published": "The published algorithm",
}

work = state.current()
answer = widgets.header("Budget", "Who could be guessed, and what can you learn?")

asked = st.container()
left, right = st.columns([5, 6], gap="large")
with left:
    levels.choose_entry(work)
    levels.choose_attributes(work)
with asked:
    row = wanted.ask(work)
with left:
    if work.wishes.entry != "levels":
        levels.choose_total(work)
    if work.wishes.entry == "questions":
        questions.choose_questions(work)
    else:
        table = st.container()
        if work.wishes.entry == "levels":
            widgets.scale_slider(work)
        with table:
            levels.edit_levels(work)
with right:
    costs = st.container()
    if work.wishes.entry != "questions":
        safeguards.section(work)
plan = guards.need_plan(work)
with costs:
    options, option, mechanism = bargain.show_totals(work, plan)
plan = plan.with_mechanism(work.wishes.mechanism)
answer(widgets.plain(guessing.told(work, plan, mechanism)))
with costs:
    st.markdown(unbroken(tradeoff_sentence(option, plan.respondents, population=row.population)))
with asked:
    widgets.warn(protects_little(plan.schema.sizes, mechanism.total_level))
wanted.answer(work, row, plan, mechanism)
if plan.questions is not None:
    with right:
        questions.show_gains(plan, option, mechanism, row.population)

section = widgets.section("Look closer", SECTIONS, "budget_section")
if section == "tradeoffs":
    tradeoffs.section(work, plan, options, option, mechanism, row.population)
elif section == "observer":
    observer.section(work, plan, mechanism)
elif section == "choosing":
    choosing.section(plan, mechanism)
elif section == "published":
    published.section(work, plan, options)
else:
    bargain.section(work, plan, options, option, mechanism, row.population)

onward.show(work, plan, mechanism)
documents.before_plan(work, plan, mechanism)
