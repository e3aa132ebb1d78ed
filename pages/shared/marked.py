"""The mark of a simulation, or of invented answers: said before anything that follows, and on every figure, table and file of a page."""

import streamlit as st

from rrcore.mark import marks_in, warning

_KEY = "simulation_on_page"
_INVENTED = "invented answers"


def begin() -> None:
    """A page begins: nothing on it is marked yet."""
    st.session_state.pop(_KEY, None)


def tell(mark: str) -> None:
    """Say on the page that what follows is of a simulation; nothing where there is no mark."""
    if mark:
        st.session_state[_KEY] = marks_in([present(), *mark.split("; ")])
        st.warning(warning(mark), icon=":material/science:")


def tell_invented() -> None:
    """Say on the page that nobody gave the answers that follow."""
    st.session_state.setdefault(_KEY, _INVENTED)
    st.info("Nobody gave these answers. They were drawn at random to show which errors to expect.", icon=":material/science:")


def said() -> str:
    """What stands before the answer of a page that shows a mark; empty where it has none."""
    if not (mark := present()):
        return ""
    return "Invented answers." if mark == _INVENTED else "Simulation, not a release."


def present() -> str:
    """The mark of what the page shows; empty where it has none."""
    return str(st.session_state.get(_KEY, ""))


def named(file: str) -> str:
    """The name of a file that is saved from the page."""
    if present() == _INVENTED:
        return file if file.startswith("rehearsal") else f"invented-{file}"
    return f"simulated-{file}" if present() else file
