"""What is audited: the mechanism of the plan in play, the file made on Collect, or a mechanism file."""

from dataclasses import dataclass

import streamlit as st

from pages.shared import mechanisms, state, widgets
from rrcore.arrays import Codes
from rrcore.promise import MechanismFile
from rrcore.wording import counted

_SOURCES = {"plan": "The plan in play", "made": "The file made on Collect", "file": "A mechanism file I have"}


@dataclass
class Audited:
    """The file that was read last, and how often the audit was run again."""

    file: MechanismFile | None = None
    turn: int = 0


def choose(work: state.Work, audited: Audited) -> MechanismFile | None:
    """The mechanism file to audit; None until one is chosen."""
    there = {key: title for key, title in _SOURCES.items() if key != "made" or work.made_file is not None}
    source = widgets.radio("What is audited", there, "audit_source")
    if source == "plan":
        planned = mechanisms.planned(work)
        if planned is None:
            st.stop()
        return planned
    if source == "file":
        audited.file = mechanisms.uploaded(work, "audit_upload", audited.file)
    file = work.made_file if source == "made" else audited.file
    if file is not None:
        widgets.caption(
            f"{counted(len(file.schema.names), 'attribute', 'attributes')}: {', '.join(file.schema.names)}. Fingerprint {file.sha256[:12]}."
        )
    return file


def true_records(work: state.Work, file: MechanismFile) -> Codes | None:
    """The records of the table in play where they are of the attributes of ``file``: those are tried one by one."""
    if work.dataset is None or not set(file.schema.names) <= set(work.dataset.schema.names):
        return None
    own = work.dataset.select(file.schema.names)
    return own.codes if own.schema.attributes == file.schema.attributes else None
