"""The question which encoding a text is in that is UTF-8 in some lines and not in others, with what either answer reads there."""

from collections.abc import Callable

import streamlit as st

from pages.shared import widgets
from rrcore.table import MixedEncodingError

MIXTURE, WINDOWS = "A mixture", "All Windows-1252"
"""What the buttons are called."""


def ask(name: str, doubt: MixedEncodingError, key: str, *, beside: Callable[[], None] = lambda: None) -> str:
    """Ask it about the file called ``name``; the encoding whose button was pressed, or "". ``beside`` adds buttons."""
    st.markdown(f"**Which encoding is '{widgets.plain(name)}' in?**")
    widgets.caption(
        "Letters beyond plain English ones are UTF-8 in some of its lines and not in others, as where tables of two programs were put "
        "together. The same answer written in two ways would count as two. Choose the way in which both lines are right; where neither is, "
        "save the file again as UTF-8."
    )
    for each in doubt.examples:
        mixed, latin = widgets.plain(each.mixed), widgets.plain(each.latin)
        st.markdown(f"Line {each.line:,}: **{mixed}** as a mixture, **{latin}** as Windows-1252")
    with st.container(horizontal=True):
        mixture = st.button(MIXTURE, type="primary", key=f"mixed_{key}", help="UTF-8, and Windows-1252 where it is not UTF-8")
        windows = st.button(WINDOWS, key=f"latin_{key}", help="Also called Latin-1")
        beside()
    return "mixed" if mixture else "latin-1" if windows else ""
