"""The tab Describe questions: attributes and their categories, typed without any data."""

from contextlib import suppress

import streamlit as st

from pages.shared import state, widgets
from pages.shared.table_choice import BUDGET
from rrcore.asking.picture import declined
from rrcore.asking.typed_questions import read_questions, write_questions
from rrcore.errors import InputError
from rrcore.limits import MAX_PEOPLE, MAX_TYPED
from rrcore.table import Schema
from rrcore.wording import count_text, counted

_PEOPLE = 2000
_EXAMPLE = "smokes: no, yes\nhealth: poor < fair < good\nregion: north, south, east, west"


def show() -> None:
    work = state.current()
    if work.declared is None:
        work.declared = _EXAMPLE
    line, onward = st.columns([4, 1], vertical_alignment="center")
    with line:
        answer = widgets.headline()
    schema, problem, wanted = None, "", False
    try:
        schema = read_questions(work.declared)
    except InputError as error:
        problem = str(error)
    in_use = work.source == "declare" and work.schema is not None
    if schema is not None:  # before the form, which would move otherwise
        shown = (
            f"**{counted(len(schema.names), 'attribute', 'attributes')}, {count_text(schema.cells)} combinations of answers.** "
        )
        kept = "" if in_use or work.schema is None else f" '{widgets.plain(work.title)}' stays in use until you set the budget."
        answer(f"{shown}Next, choose ε for each attribute.{kept}")
        icon = ":material/arrow_forward:"
        wanted = onward.button("Set the budget", key="questions_budget", type="primary", icon=icon, width="stretch")
    left, right = st.container(key="described").columns([3, 2])
    with left, widgets.card("Questions", hint="Write one question per line: its name, a colon and the possible answers."):
        people = _form(work, work.declared)
    with right, widgets.card("Attributes", hint="These become the attributes of the plan."):
        if schema is None:
            widgets.complain(problem)
            return
        kinds = [attribute.kind for attribute in schema.attributes]
        widgets.table({"Attribute": schema.names, "Categories": [count_text(size) for size in schema.sizes], "Kind": kinds})
    if (in_use or wanted) and (not in_use or schema != work.schema or people != work.draft.n):
        work.adopt_declared(schema, people)
        if not wanted:
            st.rerun()
    if wanted:
        st.switch_page(BUDGET, query_params={})


def _form(work: state.Work, declared: str) -> int:
    """The questions as they are typed, and the sample size."""
    st.text_area(
        "Questions and their possible answers, one question per line",
        height=max(180, 60 + 25 * min(declared.count("\n"), 16)),
        max_chars=MAX_TYPED,
        help="Separate answers with commas, or with < if they have an order. A number instead of the answers, such as 4, "
        "means that many "
        "categories.",
        **state.shown("declared", declared, lambda text: setattr(work, "declared", text)),
    )
    if st.button(
        "Let people decline to answer",
        icon=":material/do_not_disturb_on:",
        type="tertiary",
        help="Adds the answer 'Prefer not to answer' to every question. It is protected like the other answers.",
        on_click=_let_decline,
        args=(work,),
    ):
        st.rerun()
    usual = work.draft.n if work.source == "declare" else _PEOPLE
    more = "Quadrupling the sample size halves the margin of error."
    return widgets.number("Sample size", "declared_people", usual, (1, MAX_PEOPLE), step=100, help=more)


def _let_decline(work: state.Work) -> None:
    """Add the answer for people who prefer not to answer to every question."""
    with suppress(InputError):  # the page shows what is wrong
        code = str(st.session_state.get("form_language", "en"))
        work.declared = write_questions(
            Schema(tuple(declined(each, code) for each in read_questions(work.declared or "").attributes))
        )
