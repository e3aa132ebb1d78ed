"""The file of pinned plans: written and read."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.shared import names, projects, state, widgets
from pages.shared.pins import Pins
from rrcore.budget import Pinned
from rrcore.errors import InputError
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_PINNED
from rrcore.wording import counted


@dataclass
class Added:
    """What was wrong with the last file of plans; empty where nothing was."""

    problem: str = ""


def section(pins: Pins) -> None:
    """Download all pinned plans, or add those of a file."""
    known = names.settled(state.current(), [pin.plan.schema for pin in pins.pinned.pins], "these plans leave")
    with st.container(horizontal=True):
        if pins.pinned.pins and known:
            widgets.download(
                "Download pinned plans",
                pins.pinned.to_json,
                "pinned-plans.json",
                help="All of them as one JSON file. It contains no answers.",
            )
        projects.open_button()
    st.file_uploader(
        "Add plans from a file",
        key="plans_upload",
        on_change=_add,
        args=(pins,),
        max_upload_size=MAX_DOCUMENT_BYTES // 2**20,
        help="A file saved by 'Download pinned plans' here, or by 'Download plan' on the Budget page.",
    )
    if problem := state.of_page(Added).problem:
        widgets.complain(problem)
    st.caption(
        f"Pinned plans are kept for this session only, at most {MAX_PINNED}: save the project, or download them, to keep them longer. "
        "The file holds attributes, possible answers and levels, and nobody's answers."
    )


def _add(pins: Pins) -> None:
    """Pin the plans of the file that was chosen, all or none."""
    chosen, added = st.session_state["plans_upload"], state.of_page(Added)
    added.problem = ""
    if chosen is None:
        return
    try:
        found = Pinned.from_json(chosen.getvalue())
        pins.pinned = pins.pinned.add(found)
    except InputError as error:
        added.problem = f"{error} Nothing was added."
    else:
        st.toast(f"Added {counted(len(found.pins), 'plan', 'plans')}", icon=":material/check:")
