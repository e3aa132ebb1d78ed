"""The card with the mechanisms side by side: what each costs the whole record, and how accurate the chosen pair is."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import streamlit as st

from pages.shared import guards, state, verdict, widgets
from pages.shared.components import component
from rrcore.budget import Accuracy, Option, Plan, Risk, accuracy, beliefs_of, recipe, risk_of
from rrcore.limits import MAX_PEOPLE
from rrcore.mechanisms import Mechanism
from rrcore.plots import mechanism_color
from rrcore.wording import amount_text, eps_text, legible

_options = component("options")

_COUNTED_AT_ONCE = 3_000_000  # people times pairs of attributes: below one second

NOT_COVERED = (
    "The verdict on protection covers one randomization of this record. Each additional data collection adds to ε. Population statistics can "
    "still help to guess an answer."
)


def choose_pair(work: state.Work, plan: Plan, **look: Any) -> tuple[int, int]:
    """Choose the pair whose margin of error is shown, at first a usable one. A single attribute is a pair with itself."""
    names = plan.schema.names
    pairs = list(combinations(names, 2))
    if pairs:
        st.selectbox(
            "Pair",
            pairs,
            format_func=lambda pair: legible(" × ".join(pair)),
            **state.shown(f"pair_{hash(names)}", tuple(sorted(work.pair, key=names.index)), work.choose_marginal),
            **look,
        )
    axes = sorted(plan.schema.axes(work.pair))
    return axes[0], axes[-1]


def take_pair(work: state.Work, plan: Plan, pair: Sequence[int]) -> None:
    """Look at this pair, also on other pages."""
    work.choose_marginal(tuple(plan.schema.names[int(i)] for i in sorted(pair)))


def ask_people(work: state.Work) -> None:
    """Ask for the sample size."""
    st.number_input(
        "Sample size n",
        1,
        MAX_PEOPLE,
        width=95,
        label_visibility="collapsed",
        **state.shown("people_planned", work.draft.n, lambda n: work.change(n=n)),
    )


def table(work: state.Work, plan: Plan, options: Sequence[Option], pair: tuple[int, int]) -> None:
    """Show one row for each mechanism. A click on its button chooses it."""
    names, population = plan.schema.names, work.draft.population
    made = {option.key: option.mechanism for option in options if option.mechanism is not None}
    longest = max(mechanism.epsilon_total for mechanism in made.values())
    bounds = [mechanism.lower_bound for key, mechanism in made.items() if key == "optimal" and mechanism.lower_bound is not None]
    what = " × ".join(names[i] for i in dict.fromkeys(pair))
    heads = {
        "Mechanism": "How answers are randomized",
        "Whole record ε": "Bounds what anyone learns from a whole randomized record.",
        "A 50:50 guess becomes at most": "Someone is undecided about a yes/no fact in the record. Seeing the randomized record "
        "makes them at most this sure.",
        "Attacker knows the other answers, ε": "Bounds what the randomized record reveals about one answer to an attacker "
        "who knows all other answers of the person.",
        f"95% margin of {what}, points": f"In percentage points, for {'the population' if population else 'these people'}. "
        "It is the margin of the share that is hardest to estimate.",
    }
    rows = [
        {
            "key": key,
            "title": recipe(key).title,
            "help": recipe(key).summary,
            "chosen": key == work.draft.mechanism,
            "part": mechanism.epsilon_total / longest,
            "color": mechanism_color(key),
            "amount": eps_text(mechanism.epsilon_total),
            "facts": [
                verdict.sure_text(mechanism.epsilon_total),
                eps_text(float(mechanism.epsilon_informed.max())),
                margin_text(accuracy(plan, mechanism, population=population), pair),
            ],
        }
        for key, mechanism in made.items()
    ]

    def choose() -> None:
        if key := st.session_state["mechanism_options"].get("chosen"):
            work.change(mechanism=key)

    note = f"Dotted line: no mechanism with these ε can have less than {eps_text(bounds[0])}. " if bounds else ""
    note += price(plan, made[plan.key])
    data = {"heads": [{"title": title, "help": help} for title, help in heads.items()], "rows": rows, "note": note}
    _options(key="mechanism_options", data=data | {"bound": bounds[0] / longest if bounds else None}, on_chosen_change=choose)
    for option in options:
        if option.mechanism is None:
            widgets.caption(f"{option.title} is not possible. {option.refusal}")


def margin_text(found: Accuracy, pair: tuple[int, int]) -> str:
    """The margin of error of a pair in percentage points."""
    margin = 100 * float(found.margins[pair])
    return "not estimable" if margin == float("inf") else f"±{amount_text(margin, 2)}" if margin < 100 else "above ±100"


def price(plan: Plan, mechanism: Mechanism) -> str:
    """What an optimized mechanism costs; empty if nothing."""
    alone, informed = eps_text(max(plan.epsilon)), eps_text(float(mechanism.epsilon_informed.max()))
    cost = (
        f"The price: an attacker who knows the other answers learns more, ε = {informed} instead of {alone}."
        if mechanism.epsilon_informed.max() > max(plan.epsilon) * 1.01 and alone != informed
        else ""
    )
    return cost


def people_guessed(work: state.Work, plan: Plan, mechanism: Mechanism) -> None:
    """Count the people whose answer could be guessed, for the attribute where they are most. It decides nothing."""
    key = (plan, work.answers)
    if work.dataset is None:
        return
    if len(work.dataset.codes) * len(plan.epsilon) ** 2 > _COUNTED_AT_ONCE and st.session_state.get("count_guessed") != key:
        st.button(
            "Simulate how many people could be guessed",
            type="tertiary",
            icon=":material/groups:",
            on_click=lambda: st.session_state.update(count_guessed=key),
        )
        return
    found = _risk(work, plan, mechanism)
    if found is None:
        return
    widgets.caption(
        f"Simulated: an attacker who knows the other answers becomes 95% certain of '{found.name}' for {found.number} of 1,000 people. "
        f"The attacker could already guess it for another {found.without} without this release."
    )


def _risk(work: state.Work, plan: Plan, mechanism: Mechanism) -> Risk | None:
    """Return the attribute of which most of them can be guessed under the plan; None if too many attributes are coupled."""
    table = guards.need_chosen(work)
    beliefs = work.remember("beliefs", (work.answers, work.draft.chosen), lambda: beliefs_of(table))
    return work.remember("risk", (plan, id(mechanism), id(beliefs)), lambda: risk_of(mechanism, table, beliefs))
