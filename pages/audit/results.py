"""What an audit found: certificate, matrix, runs, guessers."""

import math
from collections.abc import Callable, Sequence

import streamlit as st

from pages.shared import jobs, state, widgets
from rrcore import plots
from rrcore.answers import Answers, check_answers
from rrcore.audit import CHEATS, Audit, Bound, Check, rounded_attack
from rrcore.limits import AUDIT_CONFIDENCE
from rrcore.promise import certified_nats
from rrcore.wording import Quantity, count_text, meaning, percent, total_text

_SEEN = {"alone": "one answer", "full": "others known"}


def show(audit: Audit, answer: Callable[[str], None]) -> None:
    """The outcome and its figure first, then what cannot be seen, what was checked, and the promises one by one."""
    if audit.spoilt:
        title = CHEATS[audit.spoilt].title
        st.warning(f"Broken on purpose: {title[0].lower()}{title[1:]}.", icon=":material/construction:")
    answer(verdict(f"{audit.headline()} {audit.measured()}".strip(), sound=audit.sound))
    if audit.spoilt and audit.sound:
        st.caption("The break went unnoticed: so few runs cannot tell. Choose more runs.")
    _figure(audit)
    unseen(audit.unseen())
    with st.expander("Details", icon=":material/list:"):
        checks(audit.checks)
        _certificate(audit)
        _matrix(audit)
        _runs(audit)
        _guessers(audit)
    st.page_link("pages/collect/page.py", label="Next: collect answers with it", icon=":material/arrow_forward:")


def show_answers(work: state.Work, answers: Answers, answer: Callable[[str], None]) -> None:
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
    answer(verdict(audit.headline(), sound=audit.sound))
    figure = plots.audit_evidence_figure(audit.checks, widgets.palette())
    widgets.figure(figure, "audit-answers", alt="How strongly each check speaks against the claim")
    st.caption(
        "Bar: how rarely answers that were randomised as the file says look as odd as these, whatever is true. Line across: what is rarer "
        "than that is no chance. Honest answers keep every bar short of its line; where there is no bar, nothing is odd at all."
    )
    unseen((audit.unseen(),))
    with st.expander("Details", icon=":material/list:"):
        checks(audit.checks)


def verdict(headline: str, *, sound: bool) -> str:
    """The outcome in one sentence, with its sign."""
    return f":material/{'check_circle' if sound else 'gpp_bad'}: {widgets.plain(headline)}"


def checks(found: Sequence[Check]) -> None:
    """Each check with what it found in a sentence."""
    st.markdown("**What was checked, and what was found**")
    lines = [
        f":material/{'gpp_bad' if check.caught else 'check'}: **{check.title}**{': caught.' if check.caught else '.'} "
        f"{widgets.plain(check.sentence)}"
        for check in found
    ]
    st.markdown("\n\n".join(lines))
    st.caption(
        f"{count_text(sum(check.tests for check in found))} comparisons, corrected for their number: what is honest is caught by any of "
        f"them in at most one audit of {count_text(round(1 / (1 - AUDIT_CONFIDENCE)))}."
    )


def unseen(sentences: Sequence[str]) -> None:
    """What the audit cannot see."""
    st.markdown("**What this audit cannot see**")
    st.markdown("\n".join(f"- {widgets.plain(sentence)}" for sentence in sentences))


def _figure(audit: Audit) -> None:
    widgets.figure(
        plots.audit_figure(audit.bounds, audit.file.schema.names, widgets.palette()),
        "audit",
        alt="Claimed and shown, for every promise",
    )
    st.caption(
        f"Line across: what is claimed. Bar: what is given away at least, shown by releasing two true records {count_text(audit.runs)} times "
        "each and betting on the outputs that tell them apart best. An honest mechanism keeps every bar short of its line."
    )


def _certificate(audit: Audit) -> None:
    found = audit.file.certificate
    st.markdown("**What is claimed, exactly**")
    if found.total is None:
        st.markdown("Without bound: some released answers rule some true ones out.")
    else:
        st.markdown(
            f"The whole record: {certified_nats(found.total)} nats. Whatever anyone knows beforehand, it shifts the odds between any two "
            f"people's answers by at most {Quantity('whole record', '').times(found.total)} times."
        )
    st.caption(
        "Computed from the integers of the mechanism in exact arithmetic and rounded up. The claims of the attributes are below."
    )


def _matrix(audit: Audit) -> None:
    st.markdown("**Every probability written out**")
    if audit.enumeration is None:
        widgets.caption(f"Not done. {audit.not_enumerated} The other checks need no such matrix.")
        return
    for sentence in audit.enumeration.sentences():
        st.markdown(widgets.plain(sentence))
    note = (
        " It reads the mechanism file, so it cannot see a program that does not follow it: that takes runs."
        if audit.spoilt
        else ""
    )
    widgets.caption(
        "The slow, obvious way, by code other than the certificate's: for every output, the likeliest true record over the least likely "
        f"one.{note}"
    )


def _runs(audit: Audit) -> None:
    names = audit.file.schema.names
    st.markdown("**Attacked: two records, which one was it?**")
    widgets.table([_row(bound, needed, names) for bound, needed in zip(audit.bounds, audit.needed, strict=True)])
    st.caption(
        f"Level: {meaning('level')} Leakage: {meaning('leakage')} Total: {meaning('total')} "
        "Claimed and shown in nats; shown is rounded down. For leakage and total, half of the runs choose what to bet on and only "
        "the other half counts. Runs that catch 10 %: this many contradict a level that is really 10 % above its claim, 999 times in 1,000. "
        "Out of reach: the claim is larger than any result of this many runs could show."
    )


def _row(bound: Bound, needed: int | None, names: tuple[str, ...]) -> dict[str, str]:
    promise = bound.promise
    return {
        "Attribute": "whole record" if promise.axis is None else names[promise.axis],
        "Promise": promise.about,
        "Verdict": bound.verdict,
        "Claimed": "no bound" if math.isinf(promise.claim) else total_text(promise.claim),
        "Shown at least": rounded_attack(bound.shown),
        "Of the claim": "" if bound.part is None else percent(bound.part),
        "Runs that catch 10 %": "" if promise.about != "level" else "over 10 million" if needed is None else count_text(needed),
    }


def _guessers(audit: Audit) -> None:
    names = audit.file.schema.names
    st.markdown("**Guessed: how often is the best guesser right?**")
    widgets.table(
        [
            {
                "Attribute": names[one.axis],
                "Sees": _SEEN[one.sees],
                "Verdict": one.verdict,
                "Blind guess": percent(one.before),
                "Computed": ("at most " if one.bounded else "") + percent(one.formula),
                "Measured": percent(one.measured),
                "Between": f"{percent(one.low)} and {percent(one.high)}",
            }
            for one in audit.guessers
        ]
    )
    st.caption(
        f"True records are drawn at random, all answers equally likely, and released {count_text(audit.runs)} times in all. The guesser sees "
        "one answer, the released one to guess from, and with the others known also everything else that is released and the other true "
        "answers. Blind guess: "
        "before anything is seen. Computed: by the formula. Measured: by the guesser at work; between: where its long-run rate lies, at the "
        "same confidence."
    )
