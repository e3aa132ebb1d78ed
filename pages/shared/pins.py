"""Pinning: plans kept side by side for this session."""

from dataclasses import dataclass, field

import streamlit as st

from pages.shared import widgets
from pages.shared.state import Work, current, of_page
from rrcore.budget import Pinned
from rrcore.errors import InputError


@dataclass
class Pins:
    """The pinned plans, whether one more is asked for, and what became of that: an icon and a sentence."""

    pinned: Pinned = field(default_factory=Pinned)
    asked: bool = False
    said: tuple[str, str] | None = None

    def ask(self) -> None:
        """Have the plan in play pinned."""
        self.asked = True


def pin_button(work: Work) -> None:
    """A small button that pins the plan in play under a free name, or says in one sentence why it cannot be pinned."""
    pins = of_page(Pins)
    st.button(
        "Pin plan",
        key="pin_plan",
        on_click=pins.ask,
        type="tertiary",
        icon=":material/push_pin:",
        help="Keeps the plan in play for this session, to compare it with others on the Plans page.",
    )
    if pins.asked:
        try:
            work.plan()
        except InputError as error:  # said here, since the rest of the page will stop at it
            pins.asked, pins.said = False, _refusal(error)
    if pins.said is not None:
        icon, sentence = pins.said
        pins.said = None
        st.toast(widgets.plain(sentence), icon=icon, duration="long")


def pin_if_asked() -> None:
    """Pin the plan if the button asked for it; to be called once the page has run.

    Not before: a level typed just before the click reaches the work only while the page runs. Where a page stops early, for
    work that takes long, the plan is pinned once the page has run to its end.
    """
    pins = of_page(Pins)
    if pins.asked:
        pins.asked, pins.said = False, _pin(current(), pins)
        st.rerun()


def _pin(work: Work, pins: Pins) -> tuple[str, str]:
    try:
        plan = work.plan()
        same = next((pin.name for pin in pins.pinned.pins if pin.plan == plan), None)
        if same is not None:
            raise InputError(f"This plan is pinned already, as '{same}'.")
        pins.pinned = pins.pinned.pin(plan)
    except InputError as error:
        return _refusal(error)
    return ":material/push_pin:", f"Pinned as '{pins.pinned.pins[-1].name}'"


def _refusal(error: InputError) -> tuple[str, str]:
    return ":material/warning:", f"Not pinned: {error}"
