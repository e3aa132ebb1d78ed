"""The survey in play: what was typed on Collect about how it is asked, with its mechanism, as one survey file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.shared import state, widgets
from rrcore.asking import Screens, SurveyFile
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.promise import MechanismFile

_ORDER = "form_order"

SCREENS_AT_FIRST = {
    "form_picture": True,
    "form_practice": True,
    "form_check": True,
    "form_one_at_a_time": True,
    "form_interviewer": False,
}
"""Keys of the boxes for screens, and whether they are ticked until somebody chooses."""


def order(names: Sequence[str]) -> tuple[str, ...]:
    """The attributes in the order in which they are asked: that which was chosen, and behind it those that are new."""
    chosen = [name for name in st.session_state.get(_ORDER, []) if name in names]
    return (*chosen, *(name for name in names if name not in chosen))


def ask_earlier(names: Sequence[str], name: str) -> None:
    """Ask about an attribute one place earlier."""
    found = list(order(names))
    place = found.index(name)
    if place:
        found[place - 1 : place + 1] = found[place], found[place - 1]
    st.session_state[_ORDER] = found


def ask_title(where: st.delta_generator.DeltaGenerator) -> str:
    """The title of the survey, the same on every page."""
    return widgets.text("Title that respondents see", "form_title", "Survey", max_chars=MAX_TEXT, where=where)


def ask_invited() -> bool:
    """Whether only who is invited may answer, the same on every page."""
    return widgets.checkbox(
        "Only invited people may answer",
        "form_invited",
        help="Each invitation has a code that works once. No answer can be joined with the code behind it.",
    )


def in_play(work: state.Work, file: MechanismFile) -> SurveyFile:
    """The survey as it was typed so far. Raises InputError where a text cannot be used."""
    typed, names = st.session_state, file.schema.names
    return SurveyFile(
        file,
        str(typed.get("form_title", "Survey")),
        str(typed.get("form_introduction", "")),
        {name: work.wishes.wording[name] for name in names if work.wishes.wording.get(name)},
        order(names),
        str(typed.get("form_language", "en")),
        bool(typed.get("form_invited", False)),
        bool(typed.get("form_memory", False)),
        screens_in_play(file),
        int(typed.get("form_directly") or 0),
    )


def screens_in_play(file: MechanismFile) -> Screens:
    """The form's screens as they were chosen so far; about another question where the one that was chosen is gone."""
    typed = st.session_state
    chosen: dict[str, Any] = {
        key.removeprefix("form_"): bool(typed.get(key, default)) for key, default in SCREENS_AT_FIRST.items()
    }
    about, answer = (str(typed.get(f"form_{each}", "")) for each in ("about", "answer"))
    if about and about not in file.schema.names:
        return Screens(**chosen)  # the guess was about that question, too
    guess = int(typed.get("form_common") or 0)
    known = about and answer in file.schema.attributes[file.schema.names.index(about)].categories
    return Screens(**chosen, about=about, answer=answer if known else "", common=guess if 0 <= guess < 100 else 0)


def in_play_or_complain(work: state.Work, file: MechanismFile) -> SurveyFile | None:
    """``in_play``; None where a text cannot be used, which is then said."""
    try:
        return in_play(work, file)
    except InputError as error:
        widgets.complain(error)
        return None
