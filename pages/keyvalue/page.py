"""Key-value: how many have rated something, and how highly, from randomised reports."""

from __future__ import annotations

import streamlit as st

from pages.keyvalue import protocols, question, source
from pages.shared import state, widgets

SECTIONS = {
    "each": "Each key",
    "level": "Against the level",
    "cases": "Kinds of keys",
    "default": "F2M's default",
    "question": "A question in words",
}

work = state.current()
answer = widgets.header(
    "Key-value", "How many people rated each thing, how highly, and what goes with what, when any report may be a lie?"
)

left, right = st.columns([1, 3], gap="large")
with left:
    data = source.choose(work)
    options = protocols.choose()
    widgets.draw_again(work)
with right:
    if data is None:
        st.info("Choose data on the left: generate a set, or upload ratings.", icon=":material/star_rate:")
        st.stop()
    section = widgets.section("Look at", SECTIONS, "keyvalue_section")
    if section == "level":
        protocols.against_level(work, data, options)
    elif section == "cases":
        protocols.by_case(work, options)
    elif section == "default":
        protocols.f2m_default(work, data, options)
    elif section == "question":
        question.ask(work, data, options.eps)
    else:
        protocols.each_key(work, data, options)
    st.page_link("pages/papers/page.py", label="What the papers print, measured again", icon=":material/menu_book:")
