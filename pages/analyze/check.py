"""Analyze, Check a mechanism: does it keep the ε that it claims, and do the answers fit it?"""

from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.shared import answers as loaded
from pages.shared import jobs, marked, mechanisms, state, widgets
from rrcore import auditing, plots
from rrcore.auditing import AnswersAudit, Audit, Check, check_answers
from rrcore.limits import AUDIT_CONFIDENCE
from rrcore.wording import count_text

RUNS = 100_000


def show() -> None:
    work, held = state.current(), state.of_page(loaded.HeldAnswers)
    file = loaded.mechanism()
    if file is None:
        if work.schema is not None and st.button("Check the current plan", icon=":material/verified_user:"):
            held.start(mechanisms.planned(work), None, "Current plan")
            st.rerun()
        st.stop()
    answer = widgets.headline()
    if held.answers is not None:
        marked.tell(held.answers.mark)
    audit: Audit | None = jobs.result("audit", file.sha256, auditing.audit, file, RUNS, what="The check")
    if audit is None:
        st.stop()
    answers = held.answers
    fit: AnswersAudit | None = None
    if answers is not None and not answers.mark:
        rng = work.rng("audit of answers")
        fit = jobs.result("audit_answers", id(answers), partial(check_answers, answers, rng=rng), what="The check of the answers")
    _show(audit, fit, answer)


def _show(audit: Audit, fit: AnswersAudit | None, answer: Callable[[str], None]) -> None:
    wrong = audit.sound and fit is not None and not fit.sound
    sentence = fit.headline() if wrong and fit else audit.headline()
    answer(f":material/{'check_circle' if audit.sound and not wrong else 'gpp_bad'}: {widgets.plain(sentence)}")
    left, right = st.columns(2, gap="large")
    with left, widgets.card("Claimed and observed ε"):
        figure = plots.audit_figure(audit.attacks, widgets.palette())
        widgets.figure(figure, "audit", alt="Claimed and observed epsilon of every attribute")
    with right, widgets.card("Checks"):
        written = (audit.not_enumerated,) if audit.enumeration is None else audit.enumeration.sentences()
        result = "not run" if audit.enumeration is None else _result(not audit.enumeration.agrees)
        rows = [{"Check": "All probabilities", "Result": result, "Largest deviation": " ".join(written)}]
        rows += [_row(check) for check in (*audit.checks, *(fit.checks if fit else ()))]
        widgets.prose_table(rows)
        st.caption(f"A correct mechanism fails once in {count_text(round(1 / (1 - AUDIT_CONFIDENCE)))} checks by chance.")
    with st.expander("Not covered by this check", icon=":material/info:"):
        sentences = (*audit.unseen(), *((fit.unseen(),) if fit else ()))
        st.markdown("\n".join(f"- {widgets.plain(sentence)}" for sentence in sentences))


def _row(check: Check) -> dict[str, str]:
    return {"Check": check.title, "Result": _result(check.caught), "Largest deviation": check.sentence}


def _result(caught: bool) -> str:
    return "failed" if caught else "passed"
