"""A table with one column to type numbers down, for levels and weights.

Every cell is an input of the browser's own: Enter and the arrows go on at once, a column pasted from a spreadsheet fills the cells below,
and since the table is drawn anew around what is typed, not instead of it, nothing is lost while the page takes its time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from pages.shared.components import component

_column = component("column")


@dataclass(frozen=True)
class Line:
    """One row: the attribute, its number of categories, the text to be edited, whether that is wrong, and what follows from it."""

    name: str
    categories: str
    text: str
    wrong: bool
    facts: tuple[str, ...]


def typed(key: str) -> dict[int, str]:
    """What was typed into the table called ``key`` since it is there: row -> text."""
    found = st.session_state.get(key, {}).get("typed") or {}
    return {int(row): str(text) for row, text in found.items()}


def show(key: str, what: str, lines: Sequence[Line], heads: Mapping[str, str]) -> None:
    """The table, which stays the same one as long as its ``key``.

    Parameters
    ----------
    key : of the table
    what : what the edited column holds, for readers of labels: "Level"
    lines : its rows
    heads : title -> explanation of every column: attribute, categories, the edited one, the facts
    """
    _column(
        key=key,
        data={
            "what": what,
            "rows": [asdict(line) for line in lines],
            "heads": [{"title": title, "help": help} for title, help in heads.items()],
        },
        on_typed_change=lambda: None,
    )
