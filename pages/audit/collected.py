"""Collected answers against their mechanism file: what no true answers could explain."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.audit import results
from pages.shared import intake, jobs, state, widgets
from rrcore import plots
from rrcore.answers import Answers, check_answers, read_answers
from rrcore.limits import MAX_FILE_BYTES
from rrcore.promise import MechanismFile


@widgets.complaining
def choose(work: state.Work, file: MechanismFile | None) -> Answers | None:
    """The answers to audit; None until some are chosen that belong to ``file``."""
    chosen = st.file_uploader(
        "Collected answers",
        accept_multiple_files=True,
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


def invite() -> None:
    """What to do while there are no answers."""
    st.info(
        "Choose the mechanism file and the answers that are said to be released by it. No true answers are needed.",
        icon=":material/upload_file:",
    )


def show(work: state.Work, answers: Answers, answer: Callable[[str], None]) -> None:
    """The outcome, how strong the evidence is, what such an audit cannot see, and each check in a sentence."""
    rng = work.rng("audit of answers")
    audit = jobs.result(
        "audit_answers",
        (answers.mechanism.sha256, id(answers)),
        lambda report: check_answers(answers, rng=rng, report=report),
        what="The audit",
    )
    if audit is None:
        return
    answer(results.verdict(audit.headline(), sound=audit.sound))
    figure = plots.audit_evidence_figure(audit.checks, widgets.palette())
    widgets.figure(figure, "audit-answers", alt="How strongly each check speaks against the claim")
    st.caption(
        "Bar: how rarely answers that were randomised as the file says look as odd as these, whatever is true. Line across: what is rarer "
        "than that is no chance. Honest answers keep every bar short of its line; where there is no bar, nothing is odd at all."
    )
    results.unseen((audit.unseen(),))
    with st.expander("Details", icon=":material/list:"):
        results.checks(audit.checks)
