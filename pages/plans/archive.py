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
class Upload:
    """The last file that was read, and what was wrong with it."""

    file: str = ""
    problem: str = ""


def section(pins: Pins) -> None:
    """Download all pinned plans, or add those of a file."""
    with st.container(horizontal=True):
        if pins.pinned.pins and names.settled(
            state.current(), [pin.plan.schema for pin in pins.pinned.pins], "these plans leave"
        ):
            widgets.download(
                "Download pinned plans",
                pins.pinned.to_json,
                "pinned-plans.json",
                help="All of them as one JSON file. It contains no answers.",
            )
        projects.open_button()
    _upload(pins)
    st.caption(
        f"Pinned plans are kept for this session only, at most {MAX_PINNED}: save the project, or download them, to keep them longer. "
        "The file holds questions, possible answers and levels, and nobody's answers."
    )


def _upload(pins: Pins) -> None:
    chosen = st.file_uploader(
        "Add plans from a file",
        key="plans_upload",
        max_upload_size=MAX_DOCUMENT_BYTES // 2**20,
        help="A file saved by 'Download pinned plans' here, or by 'Download plan' on the Budget page.",
    )
    if chosen is None:
        return
    upload = state.of_page(Upload)
    if upload.file != chosen.file_id:
        upload.file, upload.problem = chosen.file_id, ""
        try:
            if chosen.size > MAX_DOCUMENT_BYTES:
                raise InputError(
                    f"The file is larger than {MAX_DOCUMENT_BYTES // 2**20} MB, and no file of plans is that large: choose another."
                )
            added = Pinned.from_json(chosen.getvalue())
            pins.pinned = pins.pinned.add(added)
        except InputError as error:
            upload.problem = f"{error} Nothing was added."
        else:
            st.toast(f"Added {counted(len(added.pins), 'plan', 'plans')}", icon=":material/check:")
            st.rerun()
    if upload.problem:
        widgets.complain(upload.problem)
