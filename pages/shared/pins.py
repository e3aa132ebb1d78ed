"""Pinning: plans kept side by side for this session, every change of which can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from pages.shared import state, widgets
from rrcore.budget import Pinned
from rrcore.errors import InputError

__all__ = ["change", "pin_button", "pin_when_run", "undo"]

_MOST_UNDONE = 50
"""Changes that can be taken back, one after the other."""

_ASKED, _SAID = "pin_asked", "pin_said"
"""Session keys: that the plan is to be pinned, and what became of it (an icon and a sentence)."""


def change(work: state.Work, pinned: Pinned) -> None:
    """Keep ``pinned`` from now on, and the former pinned plans for undo. What changes nothing cannot be undone."""
    if pinned != work.pinned:
        work.pinned_before = [*work.pinned_before, work.pinned][-_MOST_UNDONE:]
        work.pinned = pinned


def undo(work: state.Work) -> None:
    """Take back the last change of the pinned plans."""
    if work.pinned_before:
        work.pinned = work.pinned_before.pop()


def pin_button() -> None:
    """A small button that pins the plan in play under a free name, or says in one sentence why it cannot be pinned."""
    st.button(
        "Pin plan",
        key="pin_plan",
        on_click=st.session_state.__setitem__,
        args=(_ASKED, True),
        type="tertiary",
        icon=":material/push_pin:",
        help="Keeps the plan in play for this session, to compare it with others on the Plans page.",
    )
    if _SAID in st.session_state:
        icon, sentence = st.session_state.pop(_SAID)
        st.toast(widgets.plain(sentence), icon=icon, duration="long")


@contextmanager
def pin_when_run() -> Iterator[None]:
    """Pin, if the button asked for it, once the page inside has run.

    Not before: a level typed just before the click reaches the work only while the page runs.
    """
    try:
        yield
    except StopException:
        _pin_if_asked()
        raise
    _pin_if_asked()


def _pin_if_asked() -> None:
    if st.session_state.pop(_ASKED, False):
        st.session_state[_SAID] = _pin(state.current())
        st.rerun()


def _pin(work: state.Work) -> tuple[str, str]:
    try:
        plan = work.plan()
        same = next((pin.name for pin in work.pinned.pins if pin.plan == plan), None)
        if same is not None:
            raise InputError(f"This plan is pinned already, as '{same}'.")
        change(work, work.pinned.pin(plan))
    except InputError as error:
        return ":material/warning:", f"Not pinned: {error}"
    return ":material/push_pin:", f"Pinned as '{work.pinned.pins[-1].name}'"
