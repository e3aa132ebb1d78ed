"""What respondents read: title, questions and their order, further languages and screens, and the survey file made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from pages.shared import state, widgets
from rrcore.asking import LANGUAGES, Screens, SurveyFile
from rrcore.asking.languages import language
from rrcore.asking.translation import AS_TYPED, Translation
from rrcore.asking.typed_questions import read_answers, read_questions, write_answers
from rrcore.asking.unrandomized import all_asked, identifying_sentence
from rrcore.errors import InputError
from rrcore.limits import MAX_TEXT, MAX_TYPED
from rrcore.promise import MechanismFile
from rrcore.table import MISSING, Attribute
from rrcore.wording import and_text, legible

_SCREENS = {
    "picture": "Picture of 100 people",
    "practice": "Practice question",
    "one_at_a_time": "One question at a time",
    "interviewer": "Interviewer hands over the device",
}
_AT_FIRST = ("picture", "practice", "one_at_a_time")
_Row = dict[str, Any]


@dataclass
class Typed:
    """Translations by language and the order of the questions as typed, and what the tables for typing have shown last."""

    translations: dict[str, Translation] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    shown: dict[str, tuple[int, list[_Row], list[_Row]]] = field(default_factory=dict)

    def table(self, key: str, rows: list[_Row], columns: Mapping[str, Any], take: Callable[[list[_Row]], list[_Row]]) -> None:
        """Show ``rows`` to be changed, and have ``take`` all of them as changed; it returns those that need not be drawn again.

        A callback takes them too, so that a change counts even if its run is interrupted by another one.
        """
        turn, start, last = self.shown.get(key, (0, [], []))
        if rows != last or f"{key}_{turn}" not in st.session_state:  # the page was left, and what was edited is in the rows
            turn, start = turn + 1, rows
        self.shown[key] = turn, start, rows

        def keep() -> None:
            edits = st.session_state.get(f"{key}_{turn}", {}).get("edited_rows", {})
            found = take([row | {name: cell or "" for name, cell in edits.get(i, {}).items()} for i, row in enumerate(start)])
            if self.shown[key][0] == turn:  # else a slow browser changed a table that was replaced
                self.shown[key] = turn, start, found

        st.data_editor(
            pd.DataFrame(start),
            key=f"{key}_{turn}",
            hide_index=True,
            num_rows="fixed",
            width="stretch",
            disabled=[name for name in rows[0] if name not in columns],
            column_config=columns,
            on_change=keep,
        )
        keep()


def order(names: Sequence[str]) -> tuple[str, ...]:
    """The attributes in the order in which they are asked: as chosen, then those that are new."""
    chosen = [name for name in state.of_page(Typed).order if name in names]
    return (*chosen, *(name for name in names if name not in chosen))


def ask(work: state.Work, file: MechanismFile) -> None:
    """Title, language, introduction and questions."""
    left, right = st.columns([3, 2])
    widgets.text("Title", "form_title", "Survey", max_chars=MAX_TEXT, where=left)
    spoken = widgets.select("Language", LANGUAGES, "form_language", where=right)
    if status := language(spoken).status:
        right.caption(status)
    widgets.text("Introduction", "form_introduction", max_chars=4 * MAX_TEXT)
    asked = _asked(file)
    _ask_questions(work, [each.name for each in asked])
    if names := [each.name for each in file.schema.attributes if MISSING in each.categories]:
        widgets.caption(f"The form offers '{MISSING}' as an answer to {and_text(names)}. Data can leave these people out.")
    others = {code: name for code, name in LANGUAGES.items() if code != spoken}
    widgets.several("Further languages", others, "form_languages", help="Respondents choose one at the top of the form.")
    if _further():
        _ask_translations(asked)


def _ask_questions(work: state.Work, names: Sequence[str]) -> None:
    """A row for each question, with its place and its words."""
    typed, asked, wording = state.of_page(Typed), order(names), work.draft.wording
    rows = [{"No.": asked.index(name) + 1, "Attribute": legible(name), "Question": wording.get(name, "")} for name in names]
    columns = {
        "No.": st.column_config.NumberColumn(
            width="small", required=True, min_value=1, step=1, help="Type another place to move a question."
        ),
        "Question": st.column_config.TextColumn(width="large", max_chars=MAX_TEXT, help="Empty: the attribute's name."),
    }

    def take(found: list[_Row]) -> list[_Row]:
        places = {name: (row["No."], row["No."] - asked.index(name) - 1) for name, row in zip(names, found, strict=True)}
        worded = {name: row["Question"] for name, row in zip(names, found, strict=True)}
        if changed := {name: text for name, text in worded.items() if text != wording.get(name, "")}:
            work.change(wording={**work.draft.wording, **changed})
        typed.order = tuple(sorted(asked, key=places.__getitem__))
        return found

    typed.table("wording", rows, columns, take)
    if typed.order != asked:
        st.rerun()  # so that the table numbers the questions again


def _ask_translations(asked: Sequence[Attribute]) -> None:
    """A row for each text, a column for each further language. An empty cell shows what was typed first."""
    typed, codes = state.of_page(Typed), _further()
    texts = ["Title", "Introduction", *(f"{each.name}, {part}" for each in asked for part in ("question", "answers"))]

    def rows() -> list[_Row]:
        columns = {}
        for code in codes:
            known = typed.translations.get(code, AS_TYPED)
            columns[code] = [known.title, known.introduction]
            for each in asked:
                columns[code] += [known.questions.get(each.name, ""), write_answers(known.categories.get(each.name, ()))]
        return [{"Text": legible(text)} | {code: columns[code][i] for code in codes} for i, text in enumerate(texts)]

    def take(found: list[_Row]) -> list[_Row]:
        for code in codes:
            title, introduction, *others = (str(row[code]) for row in found)
            kept = typed.translations.get(code, AS_TYPED)
            questions = dict(kept.questions) | {each.name: text for each, text in zip(asked, others[::2], strict=True)}
            answers = {each.name: read_answers(text) for each, text in zip(asked, others[1::2], strict=True)}
            categories = {name: known for name, known in (dict(kept.categories) | answers).items() if known}
            typed.translations[code] = Translation(title, introduction, questions, categories)
        return rows()

    columns = {code: st.column_config.TextColumn(LANGUAGES[code], max_chars=MAX_TYPED) for code in codes}
    typed.table("translated", rows(), columns, take)
    st.caption("Separate answers with commas, in the order of the first language.")


@widgets.complaining
def ask_further(people: int) -> None:
    """Screens, invitations, and questions that are not randomized."""
    widgets.several("Screens of the form", _SCREENS, "form_screens", at=_AT_FIRST)
    widgets.checkbox(
        "Invited people only",
        "form_invited",
        help="Each person needs an invitation code, which works once. No answer can be linked to a code.",
    )
    widgets.text(
        "Address to which the downloaded form sends answers (optional)",
        "form_address",
        placeholder="https://example.org/answers",
        help="Without one, respondents hand in their randomized answers as a file or as text.",
    )
    st.text_area(
        "Questions without randomization, one per line",
        key="form_unrandomized",
        max_chars=MAX_TYPED,
        height=100,
        placeholder="region: north, south",
        persist_state="session",
        help="For what is known anyway. Respondents see that this answer is not randomized.",
    )
    if found := _unrandomized():
        widgets.caption(identifying_sentence(found, people))


def survey_file(work: state.Work, file: MechanismFile) -> SurveyFile:
    """The survey as it was typed so far. Raises InputError if a text cannot be used."""
    typed, known = state.of_page(Typed), st.session_state
    further = _unrandomized()
    names = (*file.schema.names, *(each.name for each in further))
    return SurveyFile(
        file,
        str(known.get("form_title", "Survey")),
        str(known.get("form_introduction", "")),
        {name: work.draft.wording[name] for name in names if work.draft.wording.get(name)},
        order(names),
        _language(),
        bool(known.get("form_invited", False)),
        _screens(known.get("form_screens", _AT_FIRST)),
        further,
        {code: typed.translations.get(code, AS_TYPED).keeping(names) for code in _further()},
    )


def _screens(chosen: Sequence[str]) -> Screens:
    return Screens("picture" in chosen, "practice" in chosen, "one_at_a_time" in chosen, "interviewer" in chosen)


def _asked(file: MechanismFile) -> tuple[Attribute, ...]:
    """All questions, those without randomization last, as far as they can be understood."""
    try:
        return all_asked(file.schema, _unrandomized()).attributes
    except InputError:
        return file.schema.attributes


def _unrandomized() -> tuple[Attribute, ...]:
    """The questions without randomization. Raises InputError if they cannot be understood."""
    typed = str(st.session_state.get("form_unrandomized", ""))
    return read_questions(typed).attributes if typed.strip() else ()


def _language() -> str:
    return str(st.session_state.get("form_language", "en"))


def _further() -> list[str]:
    """The languages that respondents can choose besides the first one."""
    return [code for code in st.session_state.get("form_languages", ()) if code != _language()]
