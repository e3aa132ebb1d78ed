"""Reading a plan: what someone who sees an answer, or a whole record, can learn."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.shared import state, widgets
from rrcore.arrays import Floats
from rrcore.audit import commonest_prior, observe
from rrcore.budget import Plan
from rrcore.mechanisms import Mechanism
from rrcore.wording import odds_text, percent

EQUAL, TABLE, OWN = "Every answer equally likely", "As in the table", "A share that I set"


def section(work: state.Work, plan: Plan, mechanism: Mechanism) -> None:
    """Odds and guesses for every attribute, and one sentence for each number of one of them."""
    left, right = st.columns([2, 5], gap="large")
    with left:
        prior_of = _choose_prior(work)
    observers = [observe(mechanism, i, prior_of(i, plan)) for i in range(mechanism.k)]
    with right:
        widgets.table(
            [
                {
                    "Attribute": plan.schema.names[i],
                    "Odds: this answer": f"× {odds_text(each.level)}",
                    "Odds: full record": f"× {odds_text(each.leakage)}",
                    "Guess before": percent(each.before),
                    "Guess after the answer": percent(each.alone),
                    "Guess with the full record": ("≤ " if each.bounded else "") + percent(each.full),
                }
                for i, each in enumerate(observers)
            ]
        )
        st.caption(
            "Guess: how often the best guesser is right about this attribute before seeing anything, after seeing this one released answer, "
            "and after seeing the whole released record while already knowing the person's other true answers."
        )
        name = st.selectbox("In words, for", plan.schema.names, key=f"observed_{work.version}_{hash(work.chosen)}")
        for sentence in observers[plan.schema.names.index(name)].sentences():
            st.markdown(f"- {widgets.plain(sentence)}")


def _choose_prior(work: state.Work) -> Callable[[int, Plan], Floats]:
    """What the observer believes beforehand, as a function of the attribute."""
    kinds = [EQUAL, *([TABLE] if work.dataset is not None else []), OWN]
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
            help="The other answers share the rest equally. Where that would make them commoner, all are equally likely.",
        )

    def prior(axis: int, plan: Plan) -> Floats:
        if kind == TABLE and work.dataset is not None:
            return work.dataset.shares((plan.schema.names[axis],))
        return commonest_prior(plan.schema.sizes[axis], share)

    return prior
