"""A declared schema: questions and answers typed in the page, no data at all."""

from __future__ import annotations

import streamlit as st

from pages.shared import state, widgets
from pages.shared.asked import Asked
from rrcore.errors import InputError
from rrcore.limits import MAX_PEOPLE
from rrcore.table import Schema, read_questions
from rrcore.wording import count_text, meaning

_EXAMPLE = "smokes: no, yes\nhealth: poor < fair < good\nregion: north, south, east, west"
_MOST_TYPED = 200_000  # characters


def editor(work: state.Work, asked: Asked) -> None:
    """Type attributes and the planned number of people; the work follows as soon as they make sense."""
    if work.declared is None:
        work.declared = _EXAMPLE
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.text_area(
            "Questions and their possible answers, one question a line",
            height=max(180, 60 + 25 * min(work.declared.count("\n"), 20)),
            max_chars=_MOST_TYPED,
            help="The name of the question, a colon, its answers. Ctrl + Enter, or a click elsewhere, takes over what is typed.",
            **state.shown("declared", work.declared, lambda typed: setattr(work, "declared", typed)),
        )
        st.caption(
            "Separate answers by commas, or by < where their order means something; a number alone stands for that many answers. "
            "Double quotes hold together what contains a comma or a colon."
        )
    with right:
        people = asked.declared_people = st.number_input(
            "People expected to answer",
            min_value=1,
            max_value=MAX_PEOPLE,
            step=100,
            value=work.wishes.respondents if work.source == "declare" else asked.declared_people,
            key="declared_people",
            help=meaning("people"),
        )
        try:
            schema = read_questions(work.declared)
        except InputError as error:
            widgets.complain(error)
            return
        _show(schema)
    if work.source != "declare" or schema != work.schema or people != work.wishes.respondents:
        work.adopt_declared(schema, people)
        st.rerun()


def _show(schema: Schema) -> None:
    """What was understood."""
    widgets.table(
        {
            "Question": schema.names,
            "Answers": [count_text(size) for size in schema.sizes],
            "Kind": [attribute.kind for attribute in schema.attributes],
        }
    )
