"""What is audited: the mechanism of the plan in play, the file made on Collect, or a mechanism file."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.shared import mechanisms, state, widgets
from rrcore.collect import MechanismFile
from rrcore.wording import counted

_SOURCES = {"plan": "The plan in play", "made": "The file made on Collect", "file": "A mechanism file I have"}


def choose(work: state.Work, settings: dict[str, Any]) -> MechanismFile | None:
    """The mechanism file to audit; None until one is chosen. ``settings`` keeps what is chosen while other pages are shown."""
    sources = [key for key in _SOURCES if key != "made" or work.made_file is not None]
    before = settings.get("source", "plan")
    source = st.radio("What is audited", format_func=_SOURCES.get, **state.keep_choice("audit_source", sources, before))
    settings["source"] = source
    if source == "plan":
        planned = mechanisms.planned(work, "audit_mechanism")
        if planned is None:
            st.stop()
        return planned
    file = work.made_file if source == "made" else _uploaded(work, settings)
    if file is not None:
        widgets.caption(
            f"{counted(len(file.schema.names), 'attribute', 'attributes')}: {', '.join(file.schema.names)}. Fingerprint {file.sha256[:12]}."
        )
    return file


def _uploaded(work: state.Work, settings: dict[str, Any]) -> MechanismFile | None:
    """The chosen file; the one read before while none is chosen."""
    settings["file"] = mechanisms.uploaded(work, "audit_upload", settings.get("file"))
    return settings["file"]
