"""What is audited: the mechanism of the plan in play, the file made on Collect, a mechanism file; and answers collected by it."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from pages.shared import intake, mechanisms, state, uploads, widgets
from rrcore.answers import Answers, read_answers
from rrcore.limits import MAX_FILE_BYTES
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


@widgets.complaining
def answers(file: MechanismFile | None) -> Answers | None:
    """The answers to audit; None until some are chosen that belong to ``file``."""
    chosen = uploads.choose_files(
        "Collected answers",
        key="audit_answers",
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="Released answers as they were collected, in their order: CSV, XLSX, Parquet, or JSON lines from the form. They stay in this "
        "session's memory.",
    )
    if file is None or not chosen:
        return None
    key = (file.sha256, tuple(each.file_id for each in chosen))
    files = [(each.getvalue(), each.name) for each in chosen]
    return intake.read("audited_answers", key, partial(read_answers, files, file), what="Reading the answers")
