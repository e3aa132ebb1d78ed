"""Audit: does a mechanism, or a set of randomized answers, keep its claim?"""

from dataclasses import dataclass
from functools import partial

import streamlit as st

from pages.shared import jobs, mechanisms, state, uploads, widgets
from rrcore import plots
from rrcore.answers import Answers, read_answers
from rrcore.audit import AnswersAudit, Audit, Check, audit_file, check_answers
from rrcore.limits import AUDIT_CONFIDENCE, MAX_FILE_BYTES
from rrcore.promise import MechanismFile
from rrcore.wording import count_text

RUNS = {10_000: "10,000", 100_000: "100,000", 1_000_000: "1,000,000"}
SECTIONS = {"program": "Mechanism", "answers": "Collected answers"}
_SOURCES = {"plan": "The plan", "made": "The file made on Collect", "file": "A mechanism file"}


@dataclass
class _Audited:
    """The mechanism file that was uploaded last, and how often the audit was repeated."""

    file: MechanismFile | None = None
    turn: int = 0


def _choose(work: state.Work, audited: _Audited) -> MechanismFile | None:
    missing = {"plan": work.schema is None, "made": work.made_file is None, "file": False}
    there = {key: title for key, title in _SOURCES.items() if not missing[key]}
    source = widgets.radio("Mechanism to audit", there, "audit_source")
    if source == "plan":
        return mechanisms.planned(work)
    if source == "file":
        audited.file = mechanisms.uploaded(work, "audit_upload", audited.file)
    file = work.made_file if source == "made" else audited.file
    if file is not None:
        widgets.caption(f"{', '.join(file.schema.names)}. Fingerprint {file.sha256[:12]}.")
    return file


@widgets.complaining
def _answers(file: MechanismFile) -> Answers | None:
    chosen = uploads.choose_files(
        "Randomized answers",
        key="audit_answers",
        max_upload_size=MAX_FILE_BYTES // 2**20,
        help="CSV, XLSX, Parquet, or JSON lines from the form. The answers stay in this session's memory.",
    )
    if not chosen:
        return None
    key = (file.sha256, tuple(each.file_id for each in chosen))
    files = [(each.getvalue(), each.name) for each in chosen]
    found: Answers | None = jobs.read("audited_answers", key, read_answers, files, file, what="Reading the answers")
    return found


def _audit(file: MechanismFile, runs: int, turn: int) -> Audit | None:
    about = file.sha256, runs, turn
    found: Audit | None = jobs.result("audit", about, audit_file, file, runs, what="The audit")
    return found


def _fit(work: state.Work, held: Answers) -> AnswersAudit | None:
    about, rng = (held.mechanism.sha256, id(held)), work.rng("audit of answers")
    found: AnswersAudit | None = jobs.result("audit_answers", about, partial(check_answers, held, rng=rng), what="The audit")
    return found


def _headline(sentence: str, *, sound: bool) -> str:
    return f":material/{'check_circle' if sound else 'gpp_bad'}: {widgets.plain(sentence)}"


def _unseen(sentences: tuple[str, ...]) -> None:
    st.markdown("**What this audit cannot see**")
    st.markdown("\n".join(f"- {widgets.plain(sentence)}" for sentence in sentences))


def _checks(checks: tuple[Check, ...]) -> None:
    widgets.prose_table(
        [
            {
                "Check": check.title,
                "Result": "caught" if check.caught else "passed",
                "Counts": count_text(check.tests),
                "Worst": check.sentence,
            }
            for check in checks
        ]
    )
    st.caption(f"A correct sampler fails any of these once in {count_text(round(1 / (1 - AUDIT_CONFIDENCE)))} audits.")


def _show(audit: Audit) -> None:
    answer(_headline(audit.headline(), sound=audit.sound))
    widgets.figure(
        plots.audit_figure(audit.attacks, widgets.palette()), "audit", alt="Claimed and shown epsilon of every attribute"
    )
    st.caption(
        "Line: claimed epsilon for an attacker who knows the other answers. Bar: the epsilon that the attacker's best guesses show at least. "
        "A correct sampler keeps every bar short of its line."
    )
    st.markdown("**Every probability written out**")
    written = (audit.not_enumerated,) if audit.enumeration is None else audit.enumeration.sentences()
    st.markdown("\n\n".join(widgets.plain(sentence) for sentence in written))
    st.markdown("**Frequency test**")
    _checks(audit.checks)
    _unseen(audit.unseen())
    st.page_link("pages/collect/page.py", label="Next: collect answers with it", icon=":material/arrow_forward:")


work = state.current()
answer = widgets.header("Audit", "Does this mechanism keep its claim?")
audited = state.of_page(_Audited)
section = widgets.section("What to audit", SECTIONS, "audit_section")
left, right = st.columns([1, 3], gap="large")
with left:
    file = _choose(work, audited)
    if section == "program":
        runs = widgets.radio("Runs", RUNS, "audit_runs", at=100_000, help="Number of true records to randomize.")
        if st.button("Run again", icon=":material/refresh:", disabled=file is None):
            audited.turn += 1
    held = _answers(file) if section == "answers" and file is not None else None
with right:
    if file is None:
        st.info("Choose a mechanism file on the left, or choose a table and audit its plan.", icon=":material/upload_file:")
    elif section == "program":
        found = _audit(file, runs, audited.turn)
        if found is not None:
            _show(found)
        elif not jobs.at_work("audit"):
            answer("This audit did not finish, so it shows nothing about the mechanism.")
    elif held is None:
        st.info("Upload the randomized answers on the left. True answers are not needed.", icon=":material/upload_file:")
    else:
        fit = _fit(work, held)
        if fit is not None:
            answer(_headline(fit.headline(), sound=fit.sound))
            _checks(fit.checks)
            _unseen((fit.unseen(),))
