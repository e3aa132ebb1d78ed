"""Synthesize: a table rebuilt from randomised answers, and what it is good for."""

from __future__ import annotations

import streamlit as st

from pages.shared import guards, state, widgets
from pages.synthesize import sections, settings, standings, work
from rrcore.errors import InputError

SECTIONS = {
    "collection": "What is sent",
    "graph": "What hangs together",
    "table": "Synthetic table",
    "use": "Is it useful?",
    "contest": "All sources compared",
}

session = state.current()
in_play = widgets.header(
    "Synthesize", "How much of a table can be rebuilt from randomised answers alone, and what is it good for?", session
)
dataset = guards.need_dataset(session)
chosen = session.remember("chosen", (session.version, session.chosen), lambda: dataset.select(session.chosen))
if chosen.k < 2:
    st.info(
        "A table of one attribute has nothing to piece together: choose at least two on the Budget page.", icon=":material/info:"
    )
    st.page_link("pages/budget/page.py", label="Go to Budget", icon=":material/arrow_back:")
    st.stop()

left, right = st.columns([1, 3], gap="large")
with left:
    asked = settings.choose(session, chosen)
with right:
    section = (
        st.segmented_control(
            "Look at",
            list(SECTIONS),
            format_func=SECTIONS.get,
            label_visibility="collapsed",
            **state.keep("synthetic_section", "graph", "default"),
        )
        or "graph"
    )
    if section == "contest":
        standings.show(session, chosen, asked)
        st.stop()
    try:
        found = work.collected(session, chosen, asked)
        if found is None:
            st.stop()
        if section == "collection":
            sections.collection(found, asked)
        elif section == "graph":
            sections.graph(found, asked)
        else:
            made = work.made(session, found, asked)
            if made is None:
                st.stop()
            if section == "table":
                sections.table(session, found, made, asked)
            else:
                sections.usefulness(session, found, made)
    except InputError as error:
        widgets.complain(error)
in_play()
