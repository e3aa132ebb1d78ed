"""Pinning: plans kept side by side for this session, every change of which can be undone."""

from __future__ import annotations

import streamlit as st

from pages.shared import widgets
from pages.shared.state import Work, current
from rrcore.budget import Pinned
from rrcore.errors import InputError

__all__ = ["change", "pin_button", "pin_if_asked", "undo"]

_MOST_UNDONE = 50
"""Changes that can be taken back, one after the other."""

_ASKED, _SAID = "pin_asked", "pin_said"
"""Session keys: that the plan is to be pinned, and what became of it (an icon and a sentence)."""


def change(work: Work, pinned: Pinned) -> None:
    """Keep ``pinned`` from now on, and the former pinned plans for undo. What changes nothing cannot be undone."""
    if pinned != work.pinned:
        work.pinned_before = [*work.pinned_before, work.pinned][-_MOST_UNDONE:]
        work.pinned = pinned


def undo(work: Work) -> None:
    """Take back the last change of the pinned plans."""
    if work.pinned_before:
        work.pinned = work.pinned_before.pop()


def pin_button(work: Work) -> None:
    """A small button that pins the plan in play under a free name, or says in one sentence why it cannot be pinned."""
    st.button(
        "Pin plan",
        key="pin_plan",
        on_click=_ask,
        type="tertiary",
        icon=":material/push_pin:",
        help="Keeps the plan in play for this session, to compare it with others on the Plans page.",
    )
    if _ASKED in st.session_state:
        try:
            work.plan()
        except InputError as error:  # said here, since the rest of the page will stop at it
            del st.session_state[_ASKED]
            st.session_state[_SAID] = _refusal(error)
    if _SAID in st.session_state:
        icon, sentence = st.session_state.pop(_SAID)
        st.toast(widgets.plain(sentence), icon=icon, duration="long")


def pin_if_asked() -> None:
    """Pin the plan if the button asked for it; to be called once the page has run.

    Not before: a level typed just before the click reaches the work only while the page runs. Where a page stops early, for
    work that takes long, the plan is pinned once the page has run to its end.
    """
    if _ASKED in st.session_state:
        del st.session_state[_ASKED]
        st.session_state[_SAID] = _pin(current())
        st.rerun()


def _ask() -> None:
    st.session_state[_ASKED] = True


def _pin(work: Work) -> tuple[str, str]:
    try:
        plan = work.plan()
        same = next((pin.name for pin in work.pinned.pins if pin.plan == plan), None)
        if same is not None:
            raise InputError(f"This plan is pinned already, as '{same}'.")
        change(work, work.pinned.pin(plan))
    except InputError as error:
        return _refusal(error)
    return ":material/push_pin:", f"Pinned as '{work.pinned.pins[-1].name}'"


def _refusal(error: InputError) -> tuple[str, str]:
    return ":material/warning:", f"Not pinned: {error}"
