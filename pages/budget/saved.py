"""Budget, tab Saved plans: the saved plans in one table and one figure."""

import math
from collections.abc import Hashable
from dataclasses import dataclass

import streamlit as st

from pages.shared import category_names, jobs, mechanisms, state, uploads, widgets
from pages.shared.saved_plans import Pins
from rrcore import plots
from rrcore.budget import Option, Pinned, Plan, SavedPlan, compare_plans, pinned_attributes, protection, undominated
from rrcore.errors import InputError
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_PINNED, MAX_TEXT
from rrcore.wording import amount_text, eps_text


@dataclass
class Problem:
    """What went wrong in the last click, in two sentences."""

    text: str = ""


def show() -> None:
    """Show the saved plans, or how to save one."""
    work, pins = state.current(), state.of_page(Pins)
    if pins.pinned.pins:
        pair = _pair(work, pins)
        options = _made(work, pins)
        plans = [SavedPlan(pin, options[pin.name], pair) for pin in pins.pinned.pins if pin.name in options]
        _table(work, plans, " × ".join(pair))
        _actions(work, pins)
        _figure(plans)
    else:
        st.header("No saved plan yet", anchor=False)
        st.info(
            "Open Save at the top of the page and choose 'Save plan'. You can then compare plans here.",
            icon=":material/bookmark:",
        )
    _files(work, pins)


def _pair(work: state.Work, pins: Pins) -> tuple[str, ...]:
    """Choose the pair whose margin of error is compared, among attributes that all plans have."""
    shared = [attribute.name for attribute in pinned_attributes(pins.pinned.pins)]
    if len(shared) < 2:
        return tuple(shared)
    pairs = [(one, other) for i, one in enumerate(shared) for other in shared[i + 1 :]]
    at = next((pair for pair in pairs if set(pair) == set(work.pair)), pairs[0])
    titles = {pair: " × ".join(pair) for pair in pairs}
    return widgets.select("Pair", titles, f"saved_pair_{hash(tuple(shared))}", at=at)


def _made(work: state.Work, pins: Pins) -> dict[str, Option]:
    """Return the mechanisms of the saved plans by name: all of them, or those that are designed so far."""
    known: dict[Hashable, Option] = work.remember("pinned_options", "", dict)
    wanted = {_stamp(pin.plan): pin.plan for pin in pins.pinned.pins}
    for old in known.keys() - wanted.keys():
        del known[old]
    missing = {key: plan for key, plan in wanted.items() if key not in known}
    if missing:
        jobs.ensure("pinned", tuple(wanted), compare_plans, missing)
        jobs.watch("pinned", "Designing the saved plans")
        known |= jobs.pieces("pinned")
    return {pin.name: known[_stamp(pin.plan)] for pin in pins.pinned.pins if _stamp(pin.plan) in known}


def _stamp(plan: Plan) -> Hashable:
    """Return everything that the mechanism of a plan depends on."""
    return plan.key, mechanisms.depends_on(plan)


def _table(work: state.Work, plans: list[SavedPlan], pair: str) -> None:
    widgets.table([_row(work, plan, pair) for plan in plans])
    for plan in plans:
        if plan.privacy is None:
            widgets.warn(f"{plan.pin.name}: {plan.option.refusal}")


def _row(work: state.Work, plan: SavedPlan, pair: str) -> dict[str, str]:
    row = {"Plan": plan.pin.name, "Mechanism": plan.option.title, "n": f"{plan.pin.plan.n:,}"}
    if plan.privacy is None or plan.accuracy is None:
        return row
    margin = f"±{amount_text(100 * plan.margin, 2)}" if math.isfinite(plan.margin) else "not usable"
    return row | {
        "ε per answer": eps_text(plan.privacy.alone),
        "ε, attacker who knows the other answers": eps_text(plan.privacy.informed),
        "ε of the whole record": eps_text(plan.privacy.total),
        f"95% margin of {pair}, points": margin if pair else "",
        "Protection": protection(work.draft.epsilon_of_person(plan.privacy.total)),
        "Accuracy": plan.accuracy.verdict,
    }


def _figure(plans: list[SavedPlan]) -> None:
    if any(math.isfinite(plan.margin) for plan in plans):
        with widgets.card(
            "Privacy against accuracy", hint="No other plan is better than a bold plan in both privacy and accuracy."
        ):
            figure = plots.saved_plans_figure(plans, widgets.palette(), bold=undominated(plans))
            widgets.figure(figure, "plans", alt="Margin of error against the whole-record ε of each saved plan")


def _actions(work: state.Work, pins: Pins) -> None:
    """Open, rename or remove one of the plans."""
    problem, known = state.of_page(Problem), [pin.name for pin in pins.pinned.pins]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = widgets.select("Saved plan", known, f"saved_{hash(tuple(known))}")
        new = st.text_input("Name", name, max_chars=MAX_TEXT, key=f"rename_{name}")
        chosen = next(pin for pin in pins.pinned.pins if pin.name == name)
        st.button("Open", icon=":material/folder_open:", on_click=_open, args=(work, chosen.plan))
        st.button("Rename", icon=":material/edit:", on_click=_change, args=(pins, problem, "rename", name, new))
        st.button("Remove", icon=":material/delete:", on_click=_change, args=(pins, problem, "remove", name))
    if problem.text:
        widgets.complain(problem.text)


def _open(work: state.Work, plan: Plan) -> None:
    """Make this the plan of the project, and show it."""
    work.adopt_plan(plan)
    st.session_state["budget_tab"] = "Plan"


def _change(pins: Pins, problem: Problem, act: str, *about: str) -> None:
    problem.text = ""
    try:
        pins.pinned = getattr(pins.pinned, act)(*about)
    except InputError as error:
        problem.text = str(error)


def _files(work: state.Work, pins: Pins) -> None:
    """Download all saved plans, or add those of a file."""
    with st.expander("Plans as a file", icon=":material/save:"):
        known = category_names.settled(work, [pin.plan.schema for pin in pins.pinned.pins], "these plans are saved")
        if pins.pinned.pins and known:
            widgets.download(
                "Download plans", pins.pinned.to_json, "pinned-plans.json", help="One JSON file without any answers."
            )
        uploads.choose_file(
            f"Add plans from a file, at most {MAX_PINNED} in all",
            key="plans_upload",
            on_change=_add,
            args=(pins,),
            max_upload_size=MAX_DOCUMENT_BYTES // 2**20,
        )


def _add(pins: Pins) -> None:
    """Add the plans of the file that was chosen, all or none."""
    chosen, problem = st.session_state["plans_upload"], state.of_page(Problem)
    problem.text = ""
    if chosen is not None:
        try:
            pins.pinned = pins.pinned.add(Pinned.from_json(chosen.getvalue()))
        except InputError as error:
            problem.text = f"{error} Nothing was added."
