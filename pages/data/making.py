"""Tables that are made here: declared, as questions and answers that are typed without any data, or invented."""

from contextlib import suppress

import streamlit as st

from pages.shared import state, widgets
from pages.shared.asked import Asked
from rrcore.asking.picture import declined
from rrcore.asking.typed import read_questions, write_questions
from rrcore.budget import Invention
from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, MAX_PEOPLE, MAX_ROWS, MAX_SYNTHETIC_ATTRIBUTES, MAX_TYPED, MAX_ZIPF
from rrcore.schemes import make_table
from rrcore.table import Schema, as_table
from rrcore.wording import count_text, meaning

_EXAMPLE = "smokes: no, yes\nhealth: poor < fair < good\nregion: north, south, east, west"


def declare(work: state.Work, asked: Asked) -> None:
    """Type attributes and the planned number of people; the work follows as soon as they make sense."""
    if work.declared is None:
        work.declared = _EXAMPLE
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.text_area(
            "Questions and their possible answers, one question a line",
            height=max(180, 60 + 25 * min(work.declared.count("\n"), 20)),
            max_chars=MAX_TYPED,
            help="The name of the question, a colon, its answers. Ctrl + Enter, or a click elsewhere, takes over what is typed.",
            **state.shown("declared", work.declared, lambda typed: setattr(work, "declared", typed)),
        )
        st.caption(
            "Separate answers by commas, or by < where their order means something; a number alone stands for that many answers. "
            "Double quotes hold together what contains a comma or a colon."
        )
        st.button(
            "Let people decline to answer",
            icon=":material/do_not_disturb_on:",
            type="tertiary",
            help="Adds 'Prefer not to answer' to every question, in the language of the form: an answer like the others, protected like "
            "them. The form shows it apart.",
            on_click=_let_decline,
            args=(work,),
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
        widgets.table(
            {
                "Question": schema.names,
                "Answers": [count_text(size) for size in schema.sizes],
                "Kind": [attribute.kind for attribute in schema.attributes],
            }
        )
    if work.source != "declare" or schema != work.schema or people != work.wishes.respondents:
        work.adopt_declared(schema, people)
        st.rerun()


def _let_decline(work: state.Work) -> None:
    """Give every question that is declared an answer for people who prefer not to answer."""
    with suppress(InputError):  # the page says what is wrong with them
        declared = read_questions(work.declared or "")
        code = str(st.session_state.get("form_language", "en"))
        asked = (declined(each, code) for each in declared.attributes)
        work.declared = write_questions(Schema(tuple(asked)))


def invent(work: state.Work, asked: Asked) -> None:
    """Fill in the form; the work follows as soon as there is such a table."""
    problem = st.container()
    wanted = _invention(asked.invented)
    if wanted == asked.invented and work.source == "synthetic":
        return
    try:
        with st.spinner("Inventing the table..."):
            work.adopt_table(*as_table(make_table(wanted)), source="synthetic")
    except InputError as error:
        with problem:
            widgets.complain(error)
            widgets.caption(f"'{work.title}' stays in use.")
        return
    asked.invented = wanted
    st.rerun()


def _invention(known: Invention) -> Invention:
    people = widgets.number("People", "invented_people", known.people, (2, MAX_ROWS), step=1000, help=meaning("people"))
    attributes = widgets.number(
        "Attributes",
        "invented_attributes",
        known.attributes,
        (2, MAX_SYNTHETIC_ATTRIBUTES),
        help="They are called A, B, C and so on. Each depends on the one before it.",
    )
    categories = widgets.number("Categories of each", "invented_categories", known.categories, (2, MAX_CATEGORIES))
    cramers_v = widgets.slider("Dependence of neighbours (Cramér's V)", "invented_v", known.cramers_v, (0.0, 1.0), step=0.01)
    st.caption("0: answers have nothing to do with each other. 1: one answer determines the other.")
    zipf = widgets.slider("Unevenness (Zipf exponent)", "invented_zipf", known.zipf, (0.0, MAX_ZIPF), step=0.1, format="%.1f")
    st.caption("0: all answers are equally common. 1: the first is common, the last is rare.")
    seed = widgets.number(
        "Seed",
        "invented_seed",
        known.seed,
        (0, 2**32 - 1),
        help=f"{meaning('seed')} Another one gives other people with the same shares and the same dependence of neighbours.",
    )
    return Invention(people, attributes, categories, cramers_v, zipf, seed)
