"""Dependence: which attributes go together, and how that is found out without seeing answers."""

from __future__ import annotations

import streamlit as st

from pages.dependence import clusters, finding, protocol
from pages.shared import guards, mechanisms, state, widgets
from rrcore import plots
from rrcore.dependence import MEASURES, PairTables
from rrcore.errors import InputError

V = "Cramer's V"
SECTIONS = {"finding": "Find it without seeing answers", "clusters": "Clusters", "protocol": "A secure sum, step by step"}

work = state.current()
answer = widgets.header("Dependence", "Which answers go together, and how is that found out without seeing anybody's?")
chosen = guards.need_chosen(work, "Dependence is between attributes")
try:
    tables = work.remember(
        "pair_tables", (work.version, work.chosen), lambda: PairTables.count(chosen.codes, chosen.schema.sizes)
    )
except InputError as error:
    widgets.complain(error)
    st.stop()

left, right = st.columns([1, 3], gap="large")
with left:
    measure = widgets.select(
        "Measure", list(MEASURES), "dependence_measure", help="All are 0 for attributes that have nothing to do with each other."
    )
    ordinal = widgets.checkbox(
        "Pearson for ordered pairs",
        "dependence_pearson",
        help="Two ordinal attributes are measured by the absolute correlation of their category numbers, as Multi-Dimensional RR does.",
    )
with right:
    st.markdown("**In the true table**")
    truth = finding.true_dependence(work, chosen, tables, measure, ordinal=ordinal)
    figure = plots.association_map(truth, chosen.schema.names, widgets.palette(), title=measure.split(" (")[0])
    widgets.figure(figure, "association", alt="Dependence of every pair")
    if note := plots.drawn_note(chosen.k, "attributes of the most dependent pairs"):
        st.caption(note)

section = widgets.section("Look closer", SECTIONS, "dependence_section")
true_v = finding.true_dependence(work, chosen, tables, V)
if section == "protocol":
    protocol.section(work, chosen)
    st.stop()
left, right = st.columns([1, 3], gap="large")
with left:
    widgets.scale_slider(work)
    plan = guards.need_plan(work)
    option, mechanism = mechanisms.choose(work, mechanisms.options(work, plan))
    widgets.draw_again(work)
with right:
    routes = finding.released_routes(work, chosen, plan.with_mechanism(option.key), mechanism)
    if routes is None:
        st.stop()
    if section == "clusters":
        clusters.section(
            chosen, plan, {"the release, debiased": routes[0].v, "the release as it is": routes[1].v, "the true table": true_v}
        )
    else:
        finding.show(work, chosen, plan, routes, true_v)
        finding.table(chosen, routes[0], true_v)
