"""One card per pinned plan: its name, what can be done with it, and what must be known about it; and the file of all of them."""

from dataclasses import dataclass

import streamlit as st

from pages.shared import names, projects, state, uploads, widgets
from pages.shared.pins import Pins
from rrcore.budget import Option, Pin, Pinned, Plan
from rrcore.errors import InputError
from rrcore.limits import MAX_DOCUMENT_BYTES, MAX_PINNED, MAX_TEXT
from rrcore.wording import counted


@dataclass
class PinProblem:
    """What went wrong in the last click: the pin it concerns, and the sentence."""

    pin: str = ""
    sentence: str = ""


@dataclass
class Added:
    """What was wrong with the last file of plans; empty where nothing was."""

    problem: str = ""


def show(work: state.Work, pins: Pins, pin: Pin, option: Option | None) -> None:
    """``pin`` with its mechanism, None if that is not made yet."""
    key = _key(pins, pin)
    st.session_state[f"name_{key}"] = pin.name
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                f"Name of '{widgets.plain(pin.name)}'",
                max_chars=MAX_TEXT,
                key=f"name_{key}",
                on_change=_rename,
                args=(pins, pin.name, f"name_{key}"),
                label_visibility="collapsed",
            )
            with st.container(horizontal=True, width="content"):
                load = st.button(
                    "Load", key=f"load_{key}", icon=":material/upload:", help="Makes it the plan in play, on the Budget page."
                )
                st.button(
                    "Remove",
                    key=f"remove_{key}",
                    on_click=_remove,
                    args=(pins, pin.name),
                    icon=":material/delete:",
                    help="Takes it off this page. Undo brings it back.",
                )
        _describe(pin.plan, option)
        problem = state.of_page(PinProblem)
        if problem.pin == pin.name:
            problem.pin = ""
            widgets.complain(problem.sentence)
        if load:
            _load(work, pin)


def _key(pins: Pins, pin: Pin) -> str:
    """One key for a pin whatever its name, so that a click on its card just after a new name was typed is not lost."""
    before = [other.plan for other in pins.pinned.pins[: pins.pinned.pins.index(pin)]]
    return f"{hash(pin.plan)}_{before.count(pin.plan)}"


def _describe(plan: Plan, option: Option | None) -> None:
    parts = [plan.title, counted(len(plan.levels), "attribute", "attributes"), counted(plan.respondents, "person", "people")]
    if option is not None and option.mechanism is not None:
        parts.append(option.price.parts[-1])
    widgets.caption(", ".join(parts))
    if option is None:
        st.caption("Its mechanism is not made yet.")
    elif option.mechanism is None:
        widgets.complain(option.refusal)
    else:
        for sentence in remarks(plan, option):
            widgets.warn(sentence)


def remarks(plan: Plan, option: Option) -> list[str]:
    """What a plan gives up, in words."""
    called, found = plan.schema.names, []
    if option.violations:
        exceeded = ", ".join(called[i] for i in option.violations)
        found.append(f"It gives away more than the level asked for {exceeded}: choose another mechanism.")
    if not option.meets_levels:
        found.append(f"It stays below the levels asked, by up to {option.shortfall:.2f} nats, so its errors are larger.")
    if option.lost_pairs:
        found.append(
            f"{counted(option.lost_pairs, 'pair of attributes is', 'pairs of attributes are')} lost: how they go together is erased, "
            "and no number of people brings it back. Choose a mechanism safe for 2 attributes or more, or raise the levels."
        )
    if option.weak_pairs:
        found.append(
            f"{counted(option.weak_pairs, 'pair of attributes keeps', 'pairs of attributes keep')} less than half of what "
            "Kronecker keeps of what they have in common, and may need many more people. If such a pair matters, choose a mechanism safe for "
            "2 attributes or more."
        )
    return found


def _load(work: state.Work, pin: Pin) -> None:
    work.adopt_plan(pin.plan)
    st.toast(f"Loaded '{widgets.plain(pin.name)}'", icon=":material/check:")
    st.switch_page("pages/budget/page.py")


def _rename(pins: Pins, name: str, key: str) -> None:
    try:
        pins.pinned = pins.pinned.rename(name, st.session_state[key])
    except InputError as error:
        problem = state.of_page(PinProblem)
        problem.pin, problem.sentence = name, f"{error} The previous name was kept."


def _remove(pins: Pins, name: str) -> None:
    pins.pinned = pins.pinned.remove(name)


def archive(pins: Pins) -> None:
    """Download all pinned plans, or add those of a file."""
    known = names.settled(state.current(), [pin.plan.schema for pin in pins.pinned.pins], "these plans leave")
    with st.container(horizontal=True):
        if pins.pinned.pins and known:
            widgets.download(
                "Download pinned plans",
                pins.pinned.to_json,
                "pinned-plans.json",
                help="All of them as one JSON file. It contains no answers.",
            )
        projects.open_button()
    uploads.choose_file(
        "Add plans from a file",
        key="plans_upload",
        on_change=_add,
        args=(pins,),
        max_upload_size=MAX_DOCUMENT_BYTES // 2**20,
        help="A file saved by 'Download pinned plans' here, or by 'Download plan' on the Budget page.",
    )
    if problem := state.of_page(Added).problem:
        widgets.complain(problem)
    st.caption(
        f"Pinned plans are kept for this session only, at most {MAX_PINNED}: save the project, or download them, to keep them longer. "
        "The file holds attributes, possible answers and levels, and nobody's answers."
    )


def _add(pins: Pins) -> None:
    """Pin the plans of the file that was chosen, all or none."""
    chosen, added = st.session_state["plans_upload"], state.of_page(Added)
    added.problem = ""
    if chosen is None:
        return
    try:
        found = Pinned.from_json(chosen.getvalue())
        pins.pinned = pins.pinned.add(found)
    except InputError as error:
        added.problem = f"{error} Nothing was added."
    else:
        st.toast(f"Added {counted(len(found.pins), 'plan', 'plans')}", icon=":material/check:")
