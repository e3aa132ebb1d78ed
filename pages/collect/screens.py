"""Which screens respondents go through before and after the questions, and what the picture of 100 people is about."""

import streamlit as st

from pages.shared import surveys, widgets
from rrcore.asking.direct import check_directly
from rrcore.errors import InputError
from rrcore.limits import MAX_DIRECTLY, SECONDS_A_QUESTION
from rrcore.promise import MechanismFile
from rrcore.wording import meaning

DIRECTLY = "Of 100 people, ask so many directly (0: nobody)"

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
    "form_check": (
        "A question that checks whether it was understood",
        "Does what is sent prove anything? An explanation follows. What somebody chooses is not sent, unless you name an attribute for it.",
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
    ask_filled(file)


def ask_filled(file: MechanismFile) -> None:
    """Which attributes the form answers itself: who passed the check question, and how long it took."""
    by_size = {size: [each.name for each in file.schema.attributes if each.size == size] for size in (2, 3)}
    told = (
        ("form_passed", 2, "Who passed the check question goes into", meaning("check question")),
        (
            "form_timed",
            3,
            "How long a question takes goes into",
            f"Three answers: below {SECONDS_A_QUESTION[0]} seconds a question, below {SECONDS_A_QUESTION[1]}, and more. They are randomised "
            "like any others, and their level counts in the total.",
        ),
    )
    for where, (key, size, label, help_text) in zip(st.columns(2), told, strict=True):
        offered = {"": "no attribute", **dict(zip(by_size[size], by_size[size], strict=True))}
        if st.session_state.get(key, "") not in offered:
            st.session_state[key] = ""
        widgets.select(label, offered, key, help=help_text, where=where)


def direct_refusal(file: MechanismFile) -> str:
    """Why nobody can be asked directly as was chosen so far, in a sentence; empty where that can be."""
    typed = st.session_state
    try:
        check_directly(file, int(typed.get("form_directly") or 0))
    except InputError as error:
        return str(error)
    return ""


def ask_directly(file: MechanismFile) -> None:
    """How many of 100 people are asked directly, and what that costs them."""
    number = widgets.number(
        DIRECTLY,
        "form_directly",
        0,
        (0, MAX_DIRECTLY),
        help=f"{meaning('split sample')} The form deals people out by chance before it shows anything; page Budget says how many it takes.",
    )
    if refused := direct_refusal(file):
        widgets.complain(refused)
    elif number:
        widgets.warn(
            f"Of 100 people {number} hand in their answers as they are: nothing protects them, and the form tells them first. Tick "
            "'Some were asked directly' on page Read."
        )


def ask_handing_on() -> None:
    """Whether interviewers hand the device on."""
    widgets.checkbox(
        "Interviewers hand the device from one person to the next",
        "form_interviewer",
        help="Above every screen the interviewer finds how many interviews are completed, and a button that clears everything; after each "
        "report the next person starts clean.",
    )
