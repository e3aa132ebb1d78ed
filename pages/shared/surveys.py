"""The survey in play: what was typed on Collect about how it is asked, with its mechanism, as one survey file."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.shared import mechanisms, state, widgets
from rrcore.asking import LANGUAGES, Screens, SurveyFile
from rrcore.asking.translation import AS_TYPED, Translation
from rrcore.asking.typed import read_questions
from rrcore.asking.unrandomised import all_asked
from rrcore.documents import decode, encode
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT
from rrcore.promise import MechanismFile
from rrcore.table import Attribute

_ORDER = "form_order"
SOURCE = "collect_source"
"""Where it is kept what randomises the answers, as page Collect asks."""

_AT_ONCE = 40  # questions that are worded on one screen
_TYPED = "translations of the project", "type them again"

SCREENS_AT_FIRST = {
    "form_picture": True,
    "form_practice": True,
    "form_one_at_a_time": True,
    "form_interviewer": False,
}
"""Keys of the boxes for screens, and whether they are ticked until somebody chooses."""


def order(names: Sequence[str]) -> tuple[str, ...]:
    """The attributes in the order in which they are asked: that which was chosen, and behind it those that are new."""
    chosen = [name for name in st.session_state.get(_ORDER, []) if name in names]
    return (*chosen, *(name for name in names if name not in chosen))


def part_of(names: Sequence[str], key: str) -> tuple[int, int]:
    """Which of the questions are worded at once, from the first to before the last: those that are chosen, where there are many."""
    starts = range(0, len(names), _AT_ONCE)
    parts = {start: f"{start + 1} to {min(start + _AT_ONCE, len(names))}" for start in starts}
    first = widgets.select("Questions", parts, f"{key}_{hash(tuple(sorted(names)))}") if len(parts) > 1 else 0
    return first, first + _AT_ONCE


def ask_earlier(names: Sequence[str], name: str) -> None:
    """Ask about an attribute one place earlier."""
    found = list(order(names))
    place = found.index(name)
    if place:
        found[place - 1 : place + 1] = found[place], found[place - 1]
    st.session_state[_ORDER] = found


def unrandomised() -> tuple[Attribute, ...]:
    """The questions that are to be asked and sent as they are. Raises InputError where they were not typed as questions."""
    typed = str(st.session_state.get("form_unrandomised", ""))
    return read_questions(typed).attributes if typed.strip() else ()


def asked(file: MechanismFile) -> tuple[Attribute, ...]:
    """All that is asked, unrandomised questions behind; without these where they cannot be read, which is told elsewhere."""
    try:
        return all_asked(file.schema, unrandomised()).attributes
    except InputError:
        return file.schema.attributes


def of_plan() -> bool:
    """Whether the plan in play is what makes the survey's mechanism file."""
    return bool(st.session_state.get(SOURCE, "plan") == "plan")


@widgets.complaining
def mechanism(work: state.Work) -> MechanismFile | None:
    """What randomises the answers of the survey in play: the plan as it stands now, with name and note as typed on Collect, or what Collect
    made of something else; None while there is none."""
    if not of_plan():
        return work.made_file
    file, typed = mechanisms.planned(work), st.session_state
    return file and replace(file, made_by=str(typed.get("made_by", "")), note=str(typed.get("made_note", "")) or file.note)


def typed_translations() -> dict[str, Translation]:
    """Language -> what was typed in it, also of languages and questions that are not asked now. Raises InputError for other text."""
    kept = str(st.session_state.get("form_translations", ""))
    return decode(kept, dict[str, Translation], *_TYPED) if kept else {}


def keep_translation(code: str, typed: Translation) -> None:
    """Take over what was typed in one language."""
    found = {**typed_translations(), code: typed}
    st.session_state["form_translations"] = encode(found)


def language() -> str:
    """The language that the survey is worded in."""
    return str(st.session_state.get("form_language", "en"))


def further_languages() -> list[str]:
    """The languages that respondents can choose beside it."""
    return [code for code in st.session_state.get("form_languages", ()) if code in LANGUAGES and code != language()]


def ask_title(where: st.delta_generator.DeltaGenerator) -> str:
    """The title of the survey, the same on every page."""
    return widgets.text("Title that respondents see", "form_title", "Survey", max_chars=MAX_TEXT, where=where)


def ask_invited() -> bool:
    """Whether only who is invited may answer, the same on every page."""
    return widgets.checkbox(
        "Invited people only",
        "form_invited",
        help="Each invitation has a code that works once. No answer can be joined with the code behind it.",
    )


def in_play(work: state.Work, file: MechanismFile) -> SurveyFile:
    """The survey as it was typed so far. Raises InputError where a text cannot be used."""
    typed, beside = st.session_state, unrandomised()
    names = (*file.schema.names, *(each.name for each in beside))
    translated = typed_translations()
    return SurveyFile(
        file,
        str(typed.get("form_title", "Survey")),
        str(typed.get("form_introduction", "")),
        {name: work.wishes.wording[name] for name in names if work.wishes.wording.get(name)},
        order(names),
        language(),
        bool(typed.get("form_invited", False)),
        screens_in_play(file),
        beside,
        {code: translated.get(code, AS_TYPED).keeping(names) for code in further_languages()},
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


in_play_or_complain = widgets.complaining(in_play)
