"""Undo, and the file of pinned plans: written and read."""

from __future__ import annotations

import streamlit as st

from pages.shared import pins, state, widgets
from rrcore.budget import Pinned
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_BYTES, MAX_PINNED
from rrcore.wording import counted

_READ, _PROBLEM = "plans_file", "plans_file_problem"
"""Session keys of the last file that was read, and of what was wrong with it."""


def undo_button(work: state.Work) -> None:
    """Takes back the last change, if there was one."""
    if work.pinned_before:
        st.button(
            "Undo",
            on_click=pins.undo,
            args=(work,),
            type="tertiary",
            icon=":material/undo:",
            help="Takes back the last change of the pinned plans.",
        )


def section(work: state.Work) -> None:
    """Download all pinned plans, or add those of a file."""
    if work.pinned.pins:
        st.download_button(
            "Download pinned plans",
            data=work.pinned.to_json,
            file_name="pinned-plans.json",
            mime="application/json",
            on_click="ignore",
            icon=":material/download:",
            help="All of them as one JSON file. It contains no answers.",
        )
    _upload(work)
    st.caption(
        f"Pinned plans are kept for this session only, at most {MAX_PINNED}: download them to keep them longer. The file holds "
        "questions, possible answers and levels, and nobody's answers."
    )


def _upload(work: state.Work) -> None:
    chosen = st.file_uploader(
        "Add plans from a file",
        key="plans_upload",
        help="A file saved by 'Download pinned plans' here, or by 'Download plan' on the Budget page.",
    )
    if chosen is None:
        return
    if st.session_state.get(_READ) != chosen.file_id:
        st.session_state[_READ], st.session_state[_PROBLEM] = chosen.file_id, ""
        try:
            if chosen.size > MAX_FILE_BYTES:
                raise InputError(
                    f"The file is larger than {MAX_FILE_BYTES // 2**20} MB, which no file of plans is: choose another."
                )
            added = Pinned.from_json(chosen.getvalue())
            pins.change(work, work.pinned.add(added))
        except InputError as error:
            st.session_state[_PROBLEM] = f"{error} Nothing was added."
        else:
            st.toast(f"Added {counted(len(added.pins), 'plan', 'plans')}", icon=":material/check:")
            st.rerun()
    if st.session_state[_PROBLEM]:
        widgets.complain(st.session_state[_PROBLEM])
