"""Plans: the pinned plans side by side."""

import math
from collections.abc import Hashable, Sequence

import streamlit as st

from pages.plans import cards, table
from pages.shared import jobs, mechanisms, state, widgets
from pages.shared.pins import Pins
from rrcore import plots
from rrcore.budget import (
    Option,
    Plan,
    Tradeoff,
    compare_plans,
    efficient_tradeoffs,
    pinned_attributes,
    tradeoff,
    tradeoff_verdict,
)


def made(work: state.Work, pins: Pins) -> dict[str, Option]:
    """The mechanisms of the pinned plans by name: all of them, or those that are made so far."""
    known: dict[Hashable, Option] = work.remember("pinned_options", "", dict)
    wanted = {stamp(pin.plan): pin.plan for pin in pins.pinned.pins}
    for old in known.keys() - wanted.keys():
        del known[old]

    missing = {key: plan for key, plan in wanted.items() if key not in known}
    if missing:
        jobs.ensure("pinned", tuple(wanted), compare_plans, missing)
        jobs.watch("pinned", "Making the pinned plans")
        known |= jobs.pieces("pinned")
    return {pin.name: known[stamp(pin.plan)] for pin in pins.pinned.pins if stamp(pin.plan) in known}


def stamp(plan: Plan) -> Hashable:
    """Everything that the mechanism of a plan depends on."""
    return plan.mechanism, mechanisms.depends_on(plan)


def choose_marginal(work: state.Work, pins: Pins) -> tuple[str, ...]:
    """The question whose error is compared: one to four attributes that all plans share."""
    shared = [attribute.name for attribute in pinned_attributes(pins.pinned.pins)]
    if not shared:
        st.caption("The pinned plans have no attribute in common, so only their costs can be compared.")
        return ()
    known = [name for name in work.wishes.marginal if name in shared]
    names = widgets.marginal(
        shared,
        known or shared[:2],
        f"plans_marginal_{hash(tuple(shared))}",
        help="One to four attributes that all pinned plans have: how far off will the shares of their combinations be?",
    )
    return tuple(names)


def show_figure(bargains: Sequence[Tradeoff], names: tuple[str, ...]) -> None:
    """Cost beside error, and which plans no other one beats."""
    best = [one.pin.name for one in efficient_tradeoffs(bargains)]
    known = [one for one in bargains if math.isfinite(one.error)]
    figure = plots.budget_plans_figure(bargains, widgets.palette(), bold=best if len(known) > 1 else ())
    widgets.figure(figure, "plans", alt="Total and expected error of each pinned plan")
    sentences = []
    if len(known) > 1:
        sentences.append("In bold: every other plan costs and errs at least as much as one of these.")
        if len({one.pin.plan.respondents for one in known}) > 1:
            sentences.append("The plans assume different numbers of people, which alone changes the error.")
    if any(one.option.violations for one in bargains):
        sentences.append("Crossed bars: the levels asked are exceeded.")
    if any(not one.option.meets_levels for one in bargains):
        sentences.append("Striped bars: the levels asked are not reached.")
    widgets.caption(" ".join(sentences))


work = state.current()
pins = state.of_page(Pins)
answer = widgets.header("Plans", "Which of my plans is the best bargain?")
if not pins.pinned.pins:
    st.info(
        "No plan is pinned yet. On the Budget page, choose levels and a mechanism and press 'Pin plan' at the top of the page. Change "
        "something, pin again, and both plans stand here side by side.",
        icon=":material/push_pin:",
    )
    st.page_link("pages/budget/page.py", label="Go to Budget", icon=":material/arrow_forward:")
else:
    left, right = st.columns([3, 2], gap="large")
    with left:
        names = choose_marginal(work, pins)
    declared = population = work.dataset is None
    if names:
        with right:
            population = widgets.error_meaning("population_declared" if declared else "population", value=declared)
    options = made(work, pins)
    ready = [pin for pin in pins.pinned.pins if pin.name in options]
    bargains = work.remember(
        "bargains",
        (tuple(ready), names, population),
        lambda: [tradeoff(pin, options[pin.name], names, population=population) for pin in ready],
    )
    answer(widgets.plain(tradeoff_verdict(bargains, " with ".join(names))))
    if any(one.option.mechanism is not None for one in bargains):
        show_figure(bargains, names)
    if bargains:
        with st.expander("Side by side", icon=":material/table:"):
            table.show(bargains, names)
    st.markdown("**Rename, load or remove**")
    for pin in pins.pinned.pins:
        cards.show(work, pins, pin, options.get(pin.name))
    st.caption("Loading a plan replaces the one in play; Undo brings that back.")
st.divider()
cards.archive(pins)
