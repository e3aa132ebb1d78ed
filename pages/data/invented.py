"""The form of an invented table: how many people, what they are asked, and how strongly the answers hang together."""

from __future__ import annotations

import streamlit as st

from pages.data.source import Asked
from pages.shared import state
from pages.shared.widgets import caption, complain
from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, MAX_ROWS, MAX_SYNTHETIC_ATTRIBUTES, MAX_ZIPF
from rrcore.table import Invention, as_table


def invent(work: state.Work, asked: Asked) -> None:
    """Fill in the form; the work follows as soon as there is such a table."""
    problem = st.container()
    wanted = _form(asked.invented)
    if wanted == asked.invented and work.source == "synthetic":
        return
    try:
        with st.spinner("Inventing the table..."):
            work.adopt_table(*as_table(wanted.table()), source="synthetic")
    except InputError as error:
        with problem:
            complain(error)
            caption(f"'{work.title}' stays in use.")
        return
    asked.invented = wanted
    st.rerun()


def _form(known: Invention) -> Invention:
    people = st.number_input(
        "People", min_value=2, max_value=MAX_ROWS, step=1000, value=known.people, key="invented_people", persist_state="session"
    )
    attributes = st.number_input(
        "Attributes",
        min_value=2,
        max_value=MAX_SYNTHETIC_ATTRIBUTES,
        value=known.attributes,
        key="invented_attributes",
        persist_state="session",
        help="They are called A, B, C and so on. Each depends on the one before it.",
    )
    categories = st.number_input(
        "Categories of each",
        min_value=2,
        max_value=MAX_CATEGORIES,
        value=known.categories,
        key="invented_categories",
        persist_state="session",
    )
    cramers_v = st.slider(
        "Dependence of neighbours (Cramér's V)",
        min_value=0.0,
        max_value=1.0,
        step=0.01,
        value=known.cramers_v,
        key="invented_v",
        persist_state="session",
    )
    st.caption("0: answers have nothing to do with each other. 1: one answer determines the other.")
    zipf = st.slider(
        "Unevenness (Zipf exponent)",
        min_value=0.0,
        max_value=MAX_ZIPF,
        step=0.1,
        format="%.1f",
        value=known.zipf,
        key="invented_zipf",
        persist_state="session",
    )
    st.caption("0: all answers are equally common. 1: the first is common, the last is rare.")
    seed = st.number_input(
        "Seed",
        min_value=0,
        max_value=2**32 - 1,
        value=known.seed,
        key="invented_seed",
        persist_state="session",
        help="Another seed gives other people with the same shares and the same dependence of neighbours.",
    )
    return Invention(people, attributes, categories, cramers_v, zipf, seed)
