"""Designs of the field by name: how each is done, what it gives away and costs, its paper."""

import streamlit as st

from pages.shared import widgets
from rrcore.designs import DESIGNS, design_facts
from rrcore.errors import InputError


def look_up() -> None:
    """What there is to know of a design of one's choice."""
    key = widgets.select("Design", {key: design.title for key, design in DESIGNS.items()}, "collect_about")
    design = DESIGNS[key]
    st.markdown(widgets.plain(design.story))
    st.markdown(widgets.plain(design.costs))
    try:
        facts = design_facts(design, design.example)
    except InputError as error:
        widgets.complain(error)
        return
    if facts.channel.level is None:
        widgets.warn(facts.channel.protects)
    else:
        st.markdown(widgets.plain(facts.channel.protects))
    st.markdown(widgets.plain(facts.precision))
    st.markdown(f"Its probabilities: {widgets.plain(design.parameters)}, for example `{design.example}`.")
    st.markdown(f"Estimate: `{design.formula}`")
    widgets.caption(design.source)
