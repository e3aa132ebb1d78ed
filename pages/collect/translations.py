"""What respondents read in further languages: title, introduction, questions and answers, a tab for each."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from pages.shared import state, surveys, widgets
from rrcore.asking import LANGUAGES
from rrcore.asking.languages import language
from rrcore.asking.translation import AS_TYPED, Translation
from rrcore.asking.typed import read_answers, write_answers
from rrcore.limits import MAX_TEXT, MAX_TYPED
from rrcore.table import Attribute


@widgets.complaining
def ask(asked: Sequence[Attribute]) -> None:
    """The further languages, and what is asked in each of them."""
    widgets.several(
        "Further languages",
        {code: name for code, name in LANGUAGES.items() if code != surveys.language()},
        "form_languages",
        help="Respondents choose one at the top of the form, which begins in that of their browser. Answers are the same in all of them.",
    )
    codes = surveys.further_languages()
    if not codes:
        return
    typed = surveys.typed_translations()
    first, last = surveys.part_of([each.name for each in asked], "translated_part")
    for tab, code in zip(st.tabs([LANGUAGES[code] for code in codes]), codes, strict=True):
        with tab:
            if told := language(code).status:
                st.caption(f"The form's own texts in {told}")
            _ask_in(code, typed.get(code, AS_TYPED), asked[first:last])
    st.caption("What is left empty is shown as it was typed first. Answers stand in their order, with commas between them.")


def _ask_in(code: str, typed: Translation, asked: Sequence[Attribute]) -> None:
    """What is typed in one language."""

    def keep(change: Callable[[Translation, str], Translation]) -> Callable[[str], None]:
        return lambda text: surveys.keep_translation(code, change(surveys.typed_translations().get(code, AS_TYPED), text))

    def field(label: str, key: str, value: str, change: Callable[[Translation, str], Translation], **more: Any) -> None:
        st.text_input(label, **({"max_chars": MAX_TEXT} | more), **state.shown(f"translated_{code}_{key}", value, keep(change)))

    field("Title", "title", typed.title, lambda now, text: replace(now, title=text))
    field(
        "Introduction",
        "introduction",
        typed.introduction,
        lambda now, text: replace(now, introduction=text),
        max_chars=4 * MAX_TEXT,
    )
    for each in asked:
        left, right = st.columns(2)
        with left:
            field(
                f"Question about {widgets.plain(each.name)}",
                f"question_{each.name}",
                typed.questions.get(each.name, ""),
                partial(_worded, each.name),
            )
        with right:
            field(
                f"Answers to {widgets.plain(each.name)}",
                f"answers_{each.name}",
                write_answers(typed.categories.get(each.name, ())),
                partial(_answered, each.name),
                max_chars=MAX_TYPED,
                placeholder=write_answers(each.categories),
            )


def _worded(name: str, now: Translation, text: str) -> Translation:
    return replace(now, questions={**now.questions, name: text})


def _answered(name: str, now: Translation, text: str) -> Translation:
    others, typed = {other: texts for other, texts in now.categories.items() if other != name}, read_answers(text)
    return replace(now, categories={**others, name: typed} if typed else others)
