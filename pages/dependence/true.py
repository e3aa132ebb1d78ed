"""The true dependence of a table that is at hand, by any measure."""

import streamlit as st

from pages.shared import state, widgets
from rrcore import plots
from rrcore.arrays import Floats
from rrcore.dependence import MEASURES, PairTables, measure_pairs
from rrcore.table import Dataset
from rrcore.wording import meaning

TITLES = {name: name.replace("Cramer", "Cramér") for name in MEASURES}
"""Measure -> its name on the page; project files know it by the other spelling."""


def dependence(work: state.Work, dataset: Dataset, tables: PairTables, name: str, *, ordinal: bool = False) -> Floats:
    """The true dependence of every pair by the measure ``name``; ordinal pairs by |Pearson| where that is asked for."""
    kinds = [attribute.kind == "ordinal" for attribute in dataset.schema.attributes] if ordinal else []
    key = (work.version, work.wishes.chosen, name, ordinal)
    return work.remember(f"true_dependence_{name}_{ordinal}", key, lambda: measure_pairs(tables, MEASURES[name], ordinal=kinds))


def section(work: state.Work, dataset: Dataset, tables: PairTables) -> None:
    """A map by a measure of one's choice."""
    left, right = st.columns([1, 3], gap="large")
    with left:
        measure = widgets.select(
            "Measure", TITLES, "dependence_measure", help=meaning("Cramér's V") + " The other measures are 0 there, too."
        )
        ordinal = widgets.checkbox(
            "Pearson for ordered pairs",
            "dependence_pearson",
            help="Two ordinal attributes are measured by the absolute correlation of their category numbers, as Multi-Dimensional RR does.",
        )
    with right:
        truth = dependence(work, dataset, tables, measure, ordinal=ordinal)
        figure = plots.dependence_map(truth, dataset.schema.names, widgets.palette(), title=TITLES[measure].split(" (")[0])
        widgets.figure(figure, "true-association", alt="True dependence of every pair", truth=True)
        st.caption(
            "Nobody but whoever holds the true answers can see this. "
            + plots.drawn_note(dataset.k, "attributes of the most dependent pairs")
        )
