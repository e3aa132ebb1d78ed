"""Which screens respondents go through before and after the questions, and what the picture of 100 people is about."""

import streamlit as st

from pages.shared import surveys, widgets
from rrcore.promise import MechanismFile

_BEFORE = {
    "form_picture": (
        "A picture of 100 people",
        "Three sentences and a picture: of 100 people whose answer is no, so many send yes. At the end each report says how many others "
        "send the same. Without it: an explanation in words.",
    ),
    "form_practice": (
        "A question to practise on",
        "Respondents see how chance keeps or changes their answer to a harmless question, as often as they like, by the same chances as "
        "the question of the picture. Nothing of it leaves the page.",
    ),
    "form_one_at_a_time": (
        "One question at a time",
        "Each question has a screen of its own, with a bar that shows how far one is.",
    ),
}


def ask(file: MechanismFile) -> None:
    """Boxes for the screens, and the picture's question, answer and guess."""
    for key, (label, told) in _BEFORE.items():
        widgets.checkbox(label, key, value=surveys.SCREENS_AT_FIRST[key], help=told)
    names = file.schema.names
    abouts = {"": "the first with two answers", **dict(zip(names, names, strict=True))}
    left, right = st.columns(2)
    if st.session_state.get("form_about", "") not in abouts:
        st.session_state["form_about"] = ""
    about = widgets.select("The picture is about", abouts, "form_about", where=left)
    if about:
        (place,) = file.schema.axes([about])
        categories = file.schema.attributes[place].categories
        answers = {"": "the last answer, or yes", **dict(zip(categories, categories, strict=True))}
        if st.session_state.get("form_answer", "") not in answers:
            st.session_state["form_answer"] = ""
        widgets.select("and counts who sends", answers, "form_answer", where=right)
    widgets.number(
        "Your guess: of 100 people, so many have that answer (0: none given)",
        "form_common",
        0,
        (0, 99),
        help="With a guess the form adds: if 10 in 100 people have the answer yes, so many of 100 who send yes have another answer.",
    )


def ask_handing_on() -> None:
    """Whether interviewers hand the device on."""
    widgets.checkbox(
        "Interviewers hand the device from one person to the next",
        "form_interviewer",
        help="Above every screen the interviewer finds how many interviews are completed, and a button that clears everything; after each "
        "report the next person starts clean.",
    )
