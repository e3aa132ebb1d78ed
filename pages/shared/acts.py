"""The record of acts of a survey or a ledger, to look at and to keep."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pages.shared import widgets
from rrcore.table.plain import json_text
from rrcore.work.database.acts import Act, acts_csv


def show(acts: Sequence[Act], name: str) -> None:
    """Who did what and when; ``name`` is that of the files."""
    if acts:
        widgets.details("Who did what", f"{name}_open", partial(_table, acts, name), icon="history")


def _table(acts: Sequence[Act], name: str) -> None:
    columns: dict[str, list[str]] = {
        "When (UTC)": [f"{act.at:%Y-%m-%d %H:%M:%S}" for act in acts],
        "Who": [act.who for act in acts],
        "What": [act.act for act in acts],
        "Entry": ["" if act.entry is None else str(act.entry) for act in acts],
        "Why": [act.why for act in acts],
    }
    told = {name: cells for name, cells in columns.items() if any(cells)}  # a survey has no entries, and few acts have a reason
    widgets.table(told)
    with st.container(horizontal=True, vertical_alignment="center"):
        widgets.download("Record (CSV)", lambda: acts_csv(acts), f"{name}.csv")
        widgets.download("Record (JSON)", lambda: json_text([act.to_dict() for act in acts]), f"{name}.json")
    st.caption("Lines are only ever added, and none holds an answer or a key.")
