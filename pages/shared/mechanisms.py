"""Where a mechanism file comes from: the plan in play, or a file that somebody chose."""

from __future__ import annotations

import streamlit as st

from pages.shared import guards, state, widgets
from rrcore.collect import MechanismFile, integer_groups
from rrcore.errors import InputError
from rrcore.limits import MAX_MECHANISM_BYTES


def planned(work: state.Work, key: str) -> MechanismFile | None:
    """The mechanism of the plan in play, in integers; None where it cannot be written so, which is then said. ``key`` differs by page."""
    plan = guards.need_plan(work)
    option = widgets.mechanism_choice(work, widgets.options(work, plan), key)
    mechanism = option.mechanism
    assert mechanism is not None
    try:
        return work.remember(
            "planned_file",
            (work.version, plan.with_mechanism(option.key)),
            lambda: MechanismFile(plan.schema, integer_groups(mechanism)),
        )
    except InputError as error:
        widgets.complain(error)
        return None


def uploaded(work: state.Work, key: str, present: MechanismFile | None = None) -> MechanismFile | None:
    """The mechanism file that is chosen, else ``present``; None where the chosen one cannot be used, which is then said."""
    chosen = st.file_uploader(
        "Mechanism file",
        type=["json"],
        key=key,
        max_upload_size=MAX_MECHANISM_BYTES // 2**20,
        help="A file saved by 'Download mechanism file'. It holds no answers.",
    )
    if chosen is None:
        return present
    try:
        return work.remember(f"file_{key}", chosen.file_id, lambda: MechanismFile.from_bytes(chosen.getvalue()))
    except InputError as error:
        widgets.complain(error)
        return None
