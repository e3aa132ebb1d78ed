"""The form of an invented table: how many people, what they are asked, and how strongly the answers go together."""

from __future__ import annotations

import streamlit as st

from pages.shared import state, widgets
from pages.shared.asked import Asked
from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, MAX_ROWS, MAX_SYNTHETIC_ATTRIBUTES, MAX_ZIPF
from rrcore.table import Invention, as_table
from rrcore.wording import meaning


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
            widgets.complain(error)
            widgets.caption(f"'{work.title}' stays in use.")
        return
    asked.invented = wanted
    st.rerun()


def _form(known: Invention) -> Invention:
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
