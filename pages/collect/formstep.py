"""The form that respondents open in their own browser: how each question is asked, and the words around the questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.shared import state, widgets
from pages.shared.answers.holding import Reading
from rrcore.answers import Answers
from rrcore.asking import LANGUAGES, respondent_form
from rrcore.errors import InputError
from rrcore.limits import MAX_ROWS, MAX_TEXT
from rrcore.promise import MechanismFile, randomise
from rrcore.table import invented_answers
from rrcore.wording import counted, meaning

_AT_ONCE = 40  # questions that are worded on one screen


@dataclass(frozen=True)
class Texts:
    """The words around the questions, the language they are in, and where the form may send answers to."""

    title: str
    introduction: str
    address: str
    language: str = "en"
    memory: bool = False


def ask_wordings(work: state.Work, names: Sequence[str]) -> dict[str, str]:
    """One line for each question; what is typed stays with the work. Returns what was typed for any of the ``names``."""
    first = 0
    if len(names) > _AT_ONCE:
        starts = range(0, len(names), _AT_ONCE)
        parts = {start: f"{start + 1} to {min(start + _AT_ONCE, len(names))}" for start in starts}
        first = widgets.select("Questions", parts, f"wording_part_{hash(tuple(names))}")
    shown = names[first : first + _AT_ONCE]
    for start in range(0, len(shown), 2):
        for name, column in zip(shown[start : start + 2], st.columns(2), strict=False):
            _ask_wording(work, name, column)
    return {name: work.wishes.wording[name] for name in names if work.wishes.wording.get(name)}


def _ask_wording(work: state.Work, name: str, where: st.delta_generator.DeltaGenerator) -> None:
    key = f"wording_{name}"

    def keep() -> None:
        work.wish(wording={**work.wishes.wording, name: str(st.session_state[key])})

    if st.session_state.get(key) != work.wishes.wording.get(name, ""):
        st.session_state[key] = work.wishes.wording.get(name, "")
    where.text_input(widgets.plain(name), key=key, max_chars=MAX_TEXT, placeholder=name, on_change=keep, persist_state="session")


def ask_texts() -> Texts:
    """Title, language, introduction and address of the form."""
    with st.expander("Title, language, introduction and address of the form", icon=":material/edit:"):
        left, right = st.columns(2)
        title = widgets.text("Title of the form", "form_title", "Survey", max_chars=MAX_TEXT, where=left)
        introduction = left.text_area(
            "Introduction", max_chars=4 * MAX_TEXT, value="", key="form_introduction", persist_state="session", height=120
        )
        language = widgets.select(
            "Language of the form and the sheets",
            LANGUAGES,
            "form_language",
            help="Of everything but what you type: the title, the introduction, the questions and the answers stay as they are.",
            where=right,
        )
        address = widgets.text(
            "Address that answers are sent to (may stay empty)",
            "form_address",
            placeholder="https://example.org/answers",
            help="Empty: respondents download or copy their randomised answers, and the form can send nothing. With an address they may "
            "also send them there, by POST, as one line of JSON; your server has to allow that to pages of any origin "
            "(Access-Control-Allow-Origin). Without such a server: 'rrcore serve' gives out the form and takes its answers; see the page "
            "Field.",
            where=right,
        )
        memory = widgets.checkbox(
            "The same people will be asked again: memoise their answers",
            "form_memory",
            help=f"{meaning('memoised answers')} The form keeps one random number on the respondent's device, and no answer.",
        )
    return Texts(title, introduction, address.strip(), language, memory)


def form(file: MechanismFile, questions: dict[str, str], texts: Texts) -> str | None:
    """The form as HTML; None where a text cannot be used, which is then said."""
    try:
        return respondent_form(
            file,
            title=texts.title,
            introduction=texts.introduction,
            questions=questions,
            address=texts.address,
            language=texts.language,
            memory=texts.memory,
        )
    except InputError as error:
        widgets.complain(error)
        return None


def try_it(work: state.Work, file: MechanismFile) -> None:
    """A button that has invented people answer, and leads to what would be read from that."""
    people = min(work.wishes.respondents, MAX_ROWS)
    if st.button(
        "Try it on invented answers",
        type="tertiary",
        icon=":material/science:",
        help=f"{meaning('invented answers')} {counted(people, 'person answers', 'people answer')} by this mechanism; Read shows what would "
        "come out.",
    ):
        invented = invented_answers(file.schema, people, rng=work.rng("made-up answers"))
        state.of_page(Reading).start(file, Answers(randomise(file, invented), file))
        st.switch_page("pages/read/page.py")
