"""The question which encoding a text is in that is UTF-8 in some lines and not in others, with what either answer reads there."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from pages.shared import widgets
from rrcore.table import MixedEncodingError
from rrcore.wording import legible


def ask(name: str, doubt: MixedEncodingError, key: str, *, beside: Callable[[], None] = lambda: None) -> str:
    """Ask it about the file called ``name``; the encoding whose button was pressed, or "". ``beside`` adds buttons."""
    st.markdown(f"**Which encoding is '{widgets.plain(name)}' in?**")
    widgets.caption(
        "Letters beyond plain English ones are UTF-8 in some of its lines and not in others, as where tables of two programs were put "
        "together. The same answer written in two ways would count as two. Choose the way in which both lines are right; where neither is, "
        "save the file again as UTF-8."
    )
    rows = [(f"{each.line:,}", legible(each.mixed), legible(each.latin)) for each in doubt.examples]
    st.dataframe(pd.DataFrame(rows, columns=["line", "as a mixture", "as Windows-1252 throughout"]), hide_index=True)
    with st.container(horizontal=True):
        mixed = st.button("A mixture: UTF-8, and Windows-1252 where it is not", type="primary", key=f"mixed_{key}")
        latin = st.button("Windows-1252 (Latin-1) throughout", key=f"latin_{key}")
        beside()
    return "mixed" if mixed else "latin-1" if latin else ""
