"""The mark of a simulation on a page: said before anything that follows, and on every figure, table and file of that page."""

from __future__ import annotations

import streamlit as st

from rrcore.table.mark import marks_in, warning

_KEY = "simulation_on_page"


def begin() -> None:
    """A page begins: nothing on it is marked yet."""
    st.session_state.pop(_KEY, None)


def tell(mark: str) -> None:
    """Say on the page that what follows is of a simulation; nothing where there is no mark."""
    if mark:
        st.session_state[_KEY] = marks_in([present(), *mark.split("; ")])
        st.warning(warning(mark), icon=":material/science:")


def present() -> str:
    """The mark of what the page shows; empty where it has none."""
    return str(st.session_state.get(_KEY, ""))


def named(file: str) -> str:
    """The name of a file that is saved from the page."""
    return f"simulated-{file}" if present() else file
