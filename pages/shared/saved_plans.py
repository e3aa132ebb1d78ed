"""Saved plans: plans that this session keeps side by side."""

from dataclasses import dataclass, field

import streamlit as st

from pages.shared import widgets
from pages.shared.state import Work, of_page
from rrcore.budget import Pinned
from rrcore.errors import InputError


@dataclass
class Pins:
    """The saved plans of this session."""

    pinned: Pinned = field(default_factory=Pinned)


def save(work: Work) -> None:
    """Keep the plan under a free name, to be called when its button is pressed."""
    pins = of_page(Pins)
    try:
        plan = work.plan()
        same = next((pin.name for pin in pins.pinned.pins if pin.plan == plan), None)
        if same is not None:
            raise InputError(f"This plan is already saved as '{same}'.")
        pins.pinned = pins.pinned.pin(plan)
    except InputError as error:
        st.toast(widgets.plain(f"The plan was not saved. {error}"), icon=":material/warning:", duration="long")
        return
    widgets.end_tutorial()
    st.toast(widgets.plain(f"Saved as '{pins.pinned.pins[-1].name}'"), icon=":material/bookmark_added:")
