"""What is audited: the mechanism of the plan in play, the file made on Collect, or a mechanism file."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.shared import guards, state, widgets
from rrcore.collect.document import MechanismFile
from rrcore.collect.rounding import integer_groups
from rrcore.errors import InputError
from rrcore.limits import MAX_MECHANISM_BYTES
from rrcore.wording import counted

_SOURCES = {"plan": "The plan in play", "made": "The file made on Collect", "file": "A mechanism file I have"}


def choose(work: state.Work, settings: dict[str, Any]) -> MechanismFile | None:
    """The mechanism file to audit; None until one is chosen. ``settings`` keeps what is chosen while other pages are shown."""
    sources = [key for key in _SOURCES if key != "made" or work.made_file is not None]
    before = settings.get("source", "plan")
    source = st.radio("What is audited", format_func=_SOURCES.get, **state.keep_choice("audit_source", sources, before))
    settings["source"] = source
    if source == "plan":
        return _from_plan(work)
    file = work.made_file if source == "made" else _uploaded(work, settings)
    if file is not None:
        widgets.caption(
            f"{counted(len(file.schema.names), 'attribute', 'attributes')}: {', '.join(file.schema.names)}. Fingerprint {file.sha256[:12]}."
        )
    return file


def _from_plan(work: state.Work) -> MechanismFile | None:
    plan = guards.need_plan(work)
    option = widgets.mechanism_choice(work, widgets.options(work, plan), "audit_mechanism")
    mechanism = option.mechanism
    assert mechanism is not None
    try:
        return work.remember(
            "audit_plan",
            (work.version, plan.with_mechanism(option.key)),
            lambda: MechanismFile(plan.schema, integer_groups(mechanism)),
        )
    except InputError as error:
        widgets.complain(error)
        st.stop()


def _uploaded(work: state.Work, settings: dict[str, Any]) -> MechanismFile | None:
    """The chosen file; the one read before while none is chosen."""
    chosen = st.file_uploader(
        "Mechanism file",
        type=["json"],
        key="audit_upload",
        max_upload_size=MAX_MECHANISM_BYTES // 2**20,
        help="A file saved by 'Download mechanism file'. It holds no answers.",
    )
    if chosen is None:
        return settings.get("file")
    try:
        file = work.remember("audit_file", chosen.file_id, lambda: MechanismFile.from_bytes(chosen.getvalue()))
    except InputError as error:
        settings.pop("file", None)
        widgets.complain(error)
        return None
    settings["file"] = file
    return file
