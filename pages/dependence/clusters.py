"""Clusters of attributes, from the true table or from the release, and what they cost."""

import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.arrays import Floats
from rrcore.budget import Plan
from rrcore.dependence import cluster_attributes
from rrcore.limits import MAX_CLUSTER_CELLS
from rrcore.mechanisms import Blocks
from rrcore.table import Dataset
from rrcore.wording import count_text, level_text, percent, total_text

TRUE_TABLE = "the true table"


def section(dataset: Dataset, plan: Plan, sources: dict[str, Floats]) -> None:
    """Algorithm 1 of Multi-Dimensional RR on one of the ``sources`` (title -> V of every pair)."""
    st.caption(
        "RR-Clusters keeps or replaces the answers of a cluster together, so that what goes together stays together. Two clusters merge "
        "if they depend on each other strongly enough and have few enough combinations."
    )
    left, right = st.columns([1, 2], gap="large")
    with left:
        source = widgets.radio("Dependence from", list(sources), "cluster_source")
        cells = widgets.number("Most combinations in a cluster (T_v)", "cluster_cells", 100, (2, MAX_CLUSTER_CELLS))
        least = widgets.slider("Least dependence to merge (T_d)", "cluster_least", 0.3, (0.0, 1.0), step=0.05)
    names = dataset.schema.names
    found = cluster_attributes(sources[source], dataset.schema.sizes, max_cells=cells, min_dependence=least)
    made = Blocks.rr_clusters(dataset.schema.sizes, plan.levels, found.clusters)
    with right:
        tree = plots.dependence_cluster_tree(found, names, widgets.palette())
        widgets.figure(tree, "merge-tree", alt="Tree of merged clusters", truth=source == TRUE_TABLE)
    rows = [
        {
            "Cluster": ", ".join(names[i] for i in members),
            "Combinations": count_text(dataset.schema.select([names[i] for i in members]).cells),
            "Level (nats)": level_text(part.total_level),
            "Answers kept on purpose": percent(float(part.retentions.min())),
        }
        for members, part in zip(made.members, made.parts, strict=True)
    ]
    widgets.table(rows)
    st.caption(
        "Risk-equivalent to the plan's levels under Kronecker: the level of a cluster is the sum of those of its attributes; the record "
        f"costs {total_text(made.total_level)} nats either way. Hollow marks in the tree: two clusters that would have "
        "too many combinations together."
    )
