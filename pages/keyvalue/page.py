"""Key-value: how many have rated something, and how highly, from randomised reports."""

import streamlit as st

from pages.keyvalue import protocols, question, source
from pages.shared import state, widgets

work = state.current()
answer = widgets.header(
    "Key-value", "How many people rated each thing, how highly, and what goes with what, when any report may be a lie?"
)

left, right = st.columns([2, 5], gap="large")
with left:
    options = protocols.choose()
    data = source.choose(work)
    widgets.draw_again(work)
with right:
    if data is None:
        st.info("Choose data beside: invent a set, or upload ratings.", icon=":material/star_rate:")
        st.stop()
    ratings = data
    protocols.each_key(work, ratings, options, answer)
    widgets.details("A question in words", "keyvalue_question", lambda: question.ask(work, ratings, options.eps), icon="chat")
    widgets.details(
        "All protocols against the level",
        "keyvalue_level",
        lambda: protocols.against_level(work, ratings, options),
        icon="show_chart",
    )
    widgets.details("Kinds of keys", "keyvalue_cases", lambda: protocols.by_case(work, options), icon="category")
    widgets.details(
        "F2M's default value", "keyvalue_default_value", lambda: protocols.f2m_default(work, ratings, options), icon="tune"
    )
    st.page_link("pages/papers/page.py", label="What the papers print, measured again", icon=":material/menu_book:")
