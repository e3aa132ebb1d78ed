"""Reading a plan: what someone who sees an answer, or a whole record, can learn."""

from functools import partial

import numpy as np
import streamlit as st

from pages.shared import guards, jobs, state, widgets
from rrcore import plots
from rrcore.arrays import Floats
from rrcore.budget import (
    BANDS,
    KNOWS,
    Certainty,
    Knows,
    Plan,
    certainties,
    observe,
    observer_prior,
    rounded_certainty,
)
from rrcore.mechanisms import Mechanism
from rrcore.wording import Quantity, count_text, percent

SEEN: dict[Knows, str] = {"answer": "One answer", "record": "Whole record", "others": "Others known"}
EQUAL, TABLE, OWN = "Every answer equally likely", "As in the table", "A share that I set"


def section(work: state.Work, plan: Plan, mechanism: Mechanism) -> None:
    """How many people can be guessed, before and after; then odds and guesses for every attribute, in numbers and in words."""
    left, right = st.columns([2, 5], gap="large")
    with left:
        name = widgets.select(
            "Guessing the answer to",
            plan.schema.names,
            work.key("observed"),
            at=plan.schema.names[int(np.argmax(mechanism.leakage.round(9)))],
        )
        kind, share = _choose_prior(work)
    with right:
        found = _certainties(work, plan, mechanism, name, kind, share)
        if found is not None:
            _show(found, name, kind, single=mechanism.k == 1)
    _show_averages(work, plan, mechanism, name, kind, share)


def _certainties(
    work: state.Work, plan: Plan, mechanism: Mechanism, name: str, kind: str, share: float
) -> list[Certainty] | None:
    """What each observer can guess; None while that is computed, or where it cannot be."""
    dataset = work.dataset if kind == TABLE else None
    axis = plan.schema.names.index(name)
    people = plan.respondents if dataset is None else guards.need_chosen(work).codes
    look = partial(certainties, mechanism, axis, people, observer_prior(plan.schema.sizes[axis], share), rng=work.rng("observer"))
    key = (None if dataset is None else work.answers, plan, name, kind, share, work.wishes.seed)
    found: list[Certainty] | None = jobs.result("observer", key, look, what="Guessing every person")
    return found


def _show(found: list[Certainty], name: str, kind: str, *, single: bool) -> None:
    """One sentence, one figure, and what the observers are taken to know."""
    risk = next(each for each in found if each.knows == ("record" if kind == TABLE else "answer"))
    st.container(key="answer_observer").markdown(widgets.plain(risk.sentence(name)))
    known = (
        KNOWS[risk.knows]
        if kind == TABLE
        else "sees this one released answer and takes the answers to be as common as set beside this"
    )
    st.caption(f"Guessed by someone who {known}. Numbers are what is to be expected over releases.")
    widgets.figure(
        plots.observer_certainty_figure(found, widgets.palette()),
        "certainty",
        alt=f"People by how certain the best guess of {name} is, before and after the release",
    )
    with st.expander("In numbers, and who is guessing", icon=":material/table_rows:"):
        widgets.table(
            [
                {"Seen": SEEN[each.knows]}
                | {f"at least {100 * mark:g} % certain": _people(each, mark) for mark in BANDS}
                | {"Right on average": f"{percent(each.before.mean)}, then {percent(each.after.mean)}"}
                for each in found
            ]
        )
        st.markdown("\n".join(f"- {SEEN[each.knows]}: the observer {_who(each, kind, single=single)}." for each in found))
        widgets.caption(
            "Numbers of people before and after the release, on average over releases. ± marks numbers from drawn releases (95 % of the "
            "time within)."
            + (
                ""
                if single
                else " Seeing more raises doubt about some people, too: the rest of a record may speak against an answer. Who knows all "
                "other answers of a person may be certain before anything is released, where nobody with these answers has another."
            )
        )


def _who(found: Certainty, kind: str, *, single: bool) -> str:
    if kind == TABLE:
        return KNOWS[found.knows]
    if single:
        return "sees this released answer"
    seen = "this released answer" if found.knows == "answer" else "the whole released record, knowing the other true answers"
    return f"sees {seen}, and takes the other attributes to have nothing to do with this one"


def _people(found: Certainty, mark: float) -> str:
    before, after = found.guessed(mark)
    return f"{count_text(round(before))}, then {rounded_certainty(after, found.error(mark))}"


def _show_averages(work: state.Work, plan: Plan, mechanism: Mechanism, name: str, kind: str, share: float) -> None:
    """On average over people: odds and guesses for every attribute, then in words for the chosen one."""

    def prior(axis: int) -> Floats:
        if kind == TABLE and work.dataset is not None:
            return work.dataset.shares((plan.schema.names[axis],))
        return observer_prior(plan.schema.sizes[axis], share)

    observers = [observe(mechanism, i, prior(i)) for i in range(mechanism.k)]
    with st.expander("Every attribute, on average over people", icon=":material/groups:"):
        widgets.table(
            [
                {
                    "Attribute": plan.schema.names[i],
                    "Odds, one answer": Quantity("one answer", plan.schema.names[i]).odds(each.level),
                    "Odds, others known": Quantity("others known", plan.schema.names[i]).odds(each.leakage),
                    "Guess before": percent(each.before),
                    "Guess after the answer": percent(each.alone),
                    "Guess with the others known": ("≤ " if each.bounded else "") + percent(each.full),
                }
                for i, each in enumerate(observers)
            ]
        )
        st.caption(
            "Guess: how often the best guesser is right about this attribute before seeing anything, after seeing this one released answer, "
            "and after seeing the whole released record while already knowing the person's other true answers."
        )
        st.markdown(f"**{widgets.plain(name)}, in words**")
        for sentence in observers[plan.schema.names.index(name)].sentences():
            st.markdown(f"- {widgets.plain(sentence)}")


def _choose_prior(work: state.Work) -> tuple[str, float]:
    """What the observer believes beforehand, and the share of the commonest answer where that is set."""
    kinds = [*([TABLE] if work.dataset is not None else []), EQUAL, OWN]
    kind = widgets.radio(
        "What the observer believes beforehand",
        kinds,
        f"prior_kind_{work.version}",
        help="How common the observer thinks each answer is, before seeing this person's.",
    )
    share = 0.0
    if kind == OWN:
        share = widgets.slider(
            "Share of the commonest answer",
            f"prior_share_{work.version}",
            0.9,
            (0.05, 0.99),
            step=0.01,
            format="percent",
            help="The other answers share the rest equally. Where that would make them commoner, all are equally likely.",
        )
    return kind, share
