"""What few plans need: other mechanisms, accuracy floors, leakage caps, and margins for these people instead of the population."""

import streamlit as st

from pages.shared import state, widgets
from rrcore.budget import MECHANISMS, preserved_width, preserving_key, recipe
from rrcore.limits import MAX_FLOOR, MAX_PROGRAMME_ATTRIBUTES, MAX_SLACK, MIN_FLOOR

_OTHERS = tuple(key for key in MECHANISMS if key != "independent" and preserved_width(key) is None)


def section(work: state.Work) -> None:
    """Everything in one expander, which opens if the plan uses it."""
    widgets.details("More mechanisms, constraints and margins", "constraints", lambda: _draw(work), icon="tune")


def _draw(work: state.Work) -> None:
    k = len(work.draft.chosen)
    if work.draft.entry != "questions":
        offered = ("independent", *(preserving_key(width) for width in range(k, 0, -1)), *_OTHERS)
        if k > 1:
            offered += ("constrained",)
        st.selectbox(
            "Mechanism",
            list(dict.fromkeys((*offered, work.draft.mechanism))),
            format_func=lambda key: recipe(key).title,
            help=" ".join(
                f"{recipe(key).title}: {recipe(key).summary}" for key in ("independent", work.dial, "optimal", *_OTHERS)
            ),
            **state.shown("any_mechanism", work.draft.mechanism, lambda key: _choose(work, key)),
        )
        if work.draft.mechanism == "constrained":
            _floor(work)
            _caps(work)
    st.radio(
        "Margins of error are for",
        [True, False],
        format_func=lambda population: "the population" if population else "these people",
        horizontal=True,
        help="For the population, the margin includes the sampling error.",
        **state.shown("premise", work.draft.population, lambda population: work.change(population=population)),
    )


def _choose(work: state.Work, key: str) -> None:
    width = preserved_width(key)
    if width is not None:
        work.choose_safe(width)
    else:
        work.change(mechanism=key)
    if key == "constrained" and work.draft.floor is None and not work.draft.slacks:
        work.change(floor=1.0)


def _floor(work: state.Work) -> None:
    draft = work.draft
    st.number_input(
        "Accuracy floor for pairs (1 = as accurate as independent randomization, 0 = none)",
        0.0,
        MAX_FLOOR,
        step=0.1,
        **state.shown("floor", draft.floor or 0.0, lambda floor: work.change(floor=floor if floor >= MIN_FLOOR else None)),
    )


def _caps(work: state.Work) -> None:
    """One cap for any attributes: by how much an attacker who knows the other answers can learn more than its ε."""
    draft = work.draft
    if len(draft.chosen) > MAX_PROGRAMME_ATTRIBUTES:
        work.change(slacks={})
        return
    capped = widgets.several(
        "Cap what an attacker who knows the other answers learns about",
        draft.chosen,
        work.key("capped"),
        at=[name for name in draft.chosen if name in draft.slacks],
        placeholder="No attribute",
    )
    if capped:
        known = next(iter(draft.slacks.values()), 1.0)
        slack = widgets.number(
            "Largest ε above the attribute's own ε", f"slack_{work.version}", known, (0.0, MAX_SLACK), step=0.25
        )
        work.change(slacks=dict.fromkeys(capped, slack))
    else:
        work.change(slacks={})
