"""The table of attributes: which are included, and one column to type ε or weights into.

The browser keeps what is typed until the page has taken it, so that nothing is lost while the page is at work. Enter and the arrows move
on, and a column can be pasted from a spreadsheet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from pages.shared.components import component

_column = component("column")


@dataclass(frozen=True)
class Line:
    """One row: the attribute, its number of categories, the text to edit, and what follows from it (text and help)."""

    name: str
    categories: str
    included: bool
    text: str = ""
    typed: bool = True
    wrong: bool = False
    facts: tuple[dict[str, str], ...] = ()


def changes(key: str) -> dict[str, str | bool]:
    """Return what was changed in the table called ``key`` since the last call: "type 3" -> text, "include 3" -> whether."""
    taken, state = st.session_state.get(f"{key}_taken", 0.0), st.session_state.get(key, {})
    fresh = {about: value for about, (turn, value) in (state.get("changes") or {}).items() if turn > taken}
    turns = [turn for turn, _ in (state.get("changes") or {}).values()]
    st.session_state[f"{key}_taken"] = max([taken, *turns])
    return fresh


def show(key: str, what: str, lines: Sequence[Line], heads: Mapping[str, str]) -> None:
    """Show the table.

    Parameters
    ----------
    key : of the table
    what : what the edited column holds, for screen readers
    lines : its rows
    heads : title -> help of every column
    """
    _column(
        key=key,
        height=min(400, 30 + 29 * len(lines)),  # from the start, so that nothing below moves
        data={
            "what": what,
            "rows": [asdict(line) for line in lines],
            "heads": [{"title": title, "help": help} for title, help in heads.items()],
            "taken": st.session_state.get(f"{key}_taken", 0.0),
        },
        on_changes_change=lambda: None,
    )
