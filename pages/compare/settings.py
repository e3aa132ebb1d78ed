"""What is compared: schemes, what is varied, how often, and what is held equal."""

from __future__ import annotations

import streamlit as st

from rrcore.errors import InputError
from rrcore.limits import MAX_MARGINAL, MAX_REPEATS, MAX_ROWS
from rrcore.schemes import DEFAULT_SCHEMES, SCHEMES, SPENDS, VARIED, Study, Sweep
from rrcore.table import Invention
from rrcore.wording import read_numbers

_VALUES = {
    "people": "500, 2000, 8000, 32000",
    "eps": "0.5, 1, 2, 4, 8",
    "categories": "2, 4, 8, 16",
    "cramers_v": "0, 0.25, 0.5, 0.75, 1",
}

_QUESTIONS = {
    "nothing": "the number of attributes",
    "people": "the number of people",
    "eps": "the level of every attribute",
    "categories": "the number of categories (invented tables)",
    "cramers_v": "the dependence, Cramér's V (invented tables)",
}

_HELD = {"total": "the total of the record", "levels": "the level of every attribute"}


def choose(attributes: int) -> Sweep:
    """The comparison as the widgets say. Raises InputError with the sentence to show.

    Parameters
    ----------
    attributes : number of attributes of the plan
    """
    schemes = st.multiselect(
        "Schemes",
        list(SCHEMES),
        format_func=lambda key: SCHEMES[key].title,
        help="A scheme is a way to randomise answers together with a way to read them.",
        default=list(DEFAULT_SCHEMES),
        key="compare_schemes",
        persist_state="session",
    )
    with st.popover("What these schemes do", icon=":material/help:"):
        for key in schemes:
            st.markdown(f"**{SCHEMES[key].title}.** {SCHEMES[key].summary} From the {SCHEMES[key].source.split(' (')[0]}.")
    varied = st.selectbox(
        "What is varied", format_func=_QUESTIONS.__getitem__, options=list(VARIED), key="compare_varied", persist_state="session"
    )
    invented = varied in ("categories", "cramers_v")
    values: tuple[float, ...] = ()
    if varied != "nothing":
        text = st.text_input(
            "Values, separated by commas", value=_VALUES[varied], key=f"compare_values_{varied}", persist_state="session"
        )
        values = tuple(read_numbers(text))
    invention, level = _invent(varied) if invented else (Invention(), 1.0)
    ways = _choose_ways(min(MAX_MARGINAL, invention.attributes if invented else attributes), varied)
    spend = st.radio(
        "What is held equal",
        format_func=_HELD.__getitem__,
        help="; ".join(SPENDS.values()).capitalize() + ".",
        options=list(SPENDS),
        key="compare_spend",
        persist_state="session",
    )
    repeats = st.number_input(
        "Releases",
        min_value=1,
        max_value=MAX_REPEATS,
        value=10,
        key="compare_repeats",
        persist_state="session",
        help="Every release is one draw of luck; the bands show how far they differ.",
    )
    with st.expander("More", icon=":material/tune:"):
        sets = st.number_input(
            "Sets of attributes at a time, at most",
            min_value=1,
            max_value=1000,
            value=10,
            key="compare_sets",
            persist_state="session",
            help="For each number of attributes so many joint distributions are drawn at random and compared.",
        )
        projected = st.checkbox(
            "Put every estimate back to probabilities",
            key="compare_projected",
            persist_state="session",
            help="Raw estimates may be negative. The nearest distribution is then taken for every scheme, not only where the scheme says so.",
        )
        coverage = st.slider(
            "Cells in a count query", 0.05, 0.95, step=0.05, value=0.1, key="compare_coverage", persist_state="session"
        )
        st.caption("A count query asks how many people are in a random part of the cells (section 6.5 of Multi-Dimensional RR).")
        cells = st.number_input(
            "Clusters: most combinations (T_v)",
            min_value=2,
            max_value=2000,
            value=100,
            key="compare_cells",
            persist_state="session",
        )
        least = st.slider(
            "Clusters: least dependence (T_d)", 0.0, 1.0, step=0.05, value=0.3, key="compare_least", persist_state="session"
        )
        st.caption("Clusters are found from the true table here; to find them from a release, see the Dependence page.")
        seed = st.number_input("Seed", min_value=0, max_value=2**32 - 1, key="compare_seed", persist_state="session")
    study = Study(
        tuple(schemes),
        ways,
        repeats=repeats,
        seed=seed,
        spend=spend,
        projected=projected,
        sets=sets,
        coverage=coverage,
        max_cells=cells,
        min_dependence=least,
    )
    return Sweep(study, varied, values, invention, level)


def _choose_ways(most: int, varied: str) -> tuple[int, ...]:
    if most < 2:
        raise InputError(
            "The plan has a single attribute: choose at least two on the Budget page to compare joint distributions."
        )
    if most == 2:
        return (2,)
    key = f"compare_ways_{most}_{varied == 'nothing'}"
    low, high = st.slider(
        "Attributes of a joint distribution",
        2,
        most,
        step=1,
        value=(2, min(6, most) if varied == "nothing" else min(3, most)),
        key=key,
        persist_state="session",
    )
    return tuple(range(low, high + 1))


def _invent(varied: str) -> tuple[Invention, float]:
    """The rest of the invented tables, and the level of their attributes."""
    people = st.number_input(
        "People", min_value=2, max_value=MAX_ROWS, step=1000, value=10_000, key="compare_people", persist_state="session"
    )
    attributes = st.number_input(
        "Attributes", min_value=2, max_value=6, value=3, key="compare_attributes", persist_state="session"
    )
    level = st.number_input(
        "Level of every attribute (nats)",
        min_value=0.1,
        max_value=10.0,
        step=0.5,
        value=1.0,
        key="compare_level",
        persist_state="session",
    )
    categories, dependence = 5, 0.5
    if varied == "cramers_v":
        categories = st.number_input(
            "Categories of each", min_value=2, max_value=100, value=5, key="compare_categories", persist_state="session"
        )
    else:
        dependence = st.slider(
            "Dependence of neighbours (Cramér's V)", 0.0, 1.0, step=0.05, value=0.5, key="compare_v", persist_state="session"
        )
    return Invention(people, attributes, categories, dependence), level
