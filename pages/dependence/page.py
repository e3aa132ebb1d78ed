"""Dependence: which attributes go together, and how that is found out without seeing answers."""

import streamlit as st

from pages.dependence import clusters, finding, protocol, true
from pages.shared import guards, mechanisms, widgets
from pages.shared.state import current
from rrcore import plots
from rrcore.dependence import PairTables
from rrcore.errors import InputError
from rrcore.wording import meaning

V = "Cramer's V"
SECTIONS = {
    "finding": "Beside the truth",
    "true": "The true table, by any measure",
    "clusters": "Clusters",
    "protocol": "A secure sum, step by step",
}

work = current()
answer = widgets.header("Dependence", "Which answers go together, and how is that found out without seeing anybody's?")
chosen = guards.need_chosen(work, "Dependence is between attributes")
try:
    tables = work.remember(
        "pair_tables", (work.version, work.wishes.chosen), lambda: PairTables.count(chosen.codes, chosen.schema.sizes)
    )
except InputError as error:
    widgets.complain(error)
    st.stop()

left, right = st.columns([1, 3], gap="large")
with left:
    mechanism_line = st.container()
    widgets.scale_slider(work)  # directly above the figure where columns stand on top of each other
    widgets.draw_again(work)
    with mechanism_line:
        plan = guards.need_plan(work)
        option, mechanism = mechanisms.in_play(work, mechanisms.options(work, plan))
true_v = true.dependence(work, chosen, tables, V)
with right:
    routes = finding.released_routes(work, chosen, plan.with_mechanism(option.key), mechanism)
    if routes is not None:
        found = routes[0]
        answer(widgets.plain(found.sentence(chosen.schema.names, true_v)))
        figure = plots.dependence_map(found.v, chosen.schema.names, widgets.palette(), chance=found.chance)
        widgets.figure(figure, "association", alt="Dependence of every pair, found from randomised answers")
        note = plots.drawn_note(chosen.k, "attributes of the most dependent pairs")
        st.caption(f"Found from randomised answers alone. {meaning(true.TITLES[V])} {note}")

section = widgets.section("Look closer", SECTIONS, "dependence_section")
if section == "protocol":
    protocol.section(work, chosen)
elif section == "true":
    true.section(work, chosen, tables)
elif routes is None:
    st.info("Nothing has been found in the release yet.", icon=":material/hourglass_empty:")
elif section == "clusters":
    clusters.section(
        chosen, plan, {"the release, debiased": found.v, "the release as it is": routes[1].v, clusters.TRUE_TABLE: true_v}
    )
else:
    finding.show(work, chosen, plan, routes, true_v)
    finding.table(chosen, routes[0], true_v)
