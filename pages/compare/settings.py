"""What is compared: schemes, what is varied, how often, and what is held equal."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.shared import widgets
from rrcore.budget import Invention
from rrcore.errors import InputError
from rrcore.limits import MAX_CLUSTER_CELLS, MAX_MARGINAL, MAX_REPEATS, MAX_ROWS, MAX_SEED
from rrcore.mechanisms import RECOMMENDED_WIDTH
from rrcore.schemes import (
    DEFAULT_SCHEMES,
    SCHEMES,
    SPENDS,
    STUDY_METRICS,
    VARIED,
    Spend,
    Study,
    Sweep,
    find_scheme,
    schemes_of_width,
)
from rrcore.wording import count_text, counted, meaning, read_numbers

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

_HELD: dict[Spend, str] = {"levels": "the level of every attribute", "total": "the total of the record"}

_DEFAULT_METRIC = "largest absolute cell error"
_METRIC_HELP = (
    "The Castell paper calls the largest absolute cell error 'AVD'; LoPub gives that name to half the L1 distance. "
    "They are different measures and are never compared with each other here."
)

_RELEASES, _SETS = 3, 6  # of a first look, which takes about a second


def choose(names: Sequence[str], key: Callable[[str], str]) -> Sweep:
    """The comparison as the widgets say. Raises InputError with the sentence to show.

    Parameters
    ----------
    names : of the attributes of the plan
    key : of a widget that offers them, from its name
    """
    main, more = st.container(), _more()
    with main:
        schemes = _choose_schemes(more.pop("width"))
        varied = widgets.select("What is varied", {key: _QUESTIONS[key] for key in VARIED}, "compare_varied")
        invented = varied in ("categories", "cramers_v")
        values: tuple[float, ...] = ()
        if varied != "nothing":
            text = widgets.text("Values, separated by commas", f"compare_values_{varied}", _VALUES[varied])
            values = tuple(read_numbers(text))
        invention, level = _invent(varied) if invented else (Invention(), 1.0)
        ways = _choose_ways(min(MAX_MARGINAL, invention.attributes if invented else len(names)), varied)
        within = () if invented else _choose_groups(names, key("compare_within"))
        spend = widgets.radio("What is held equal", _HELD, "compare_spend", help="; ".join(SPENDS.values()).capitalize() + ".")
        repeats = widgets.number(
            "Releases",
            "compare_repeats",
            10,
            (1, MAX_REPEATS),
            help="How many 'Compare' takes. Every release is one random draw; the bands show how much they differ.",
        )
    study = Study(schemes, ways, repeats=repeats, spend=spend, within=within, **more)
    return Sweep(study, varied, values, invention, level)


def _choose_groups(names: Sequence[str], key: str) -> tuple[int, ...]:
    """The position of what people are grouped by, if anything."""
    by = widgets.select(
        "Within each",
        {-1: "(all people)"} | dict(enumerate(names)),
        key,
        help="Joint distributions with this attribute only, and as an error also that of shares within each of its groups, as in smoking by "
        "sex.",
    )
    return () if by < 0 else (by,)


def choose_metric(metrics: Sequence[str]) -> str:
    """The error that is looked at, one of the ``metrics`` of the study; shares within groups first where there are groups."""
    grouped = tuple(metrics) != STUDY_METRICS
    at = metrics[len(STUDY_METRICS)] if grouped else _DEFAULT_METRIC
    return widgets.select("Error", metrics, "compare_metric_within" if grouped else "compare_metric", at=at, help=_METRIC_HELP)


def glance(sweep: Sweep) -> Sweep:
    """The comparison cut short: few releases, few sets, the two smallest numbers of attributes."""
    study = sweep.study
    repeats, sets = min(_RELEASES, study.repeats), min(_SETS, study.sets or _SETS)
    return replace(sweep, study=replace(study, repeats=repeats, sets=sets, ways=study.ways[:2]))


def note_glance(asked: Sweep, shown: Sweep, *, other: bool) -> None:
    """Say that what is shown is a first look, and whether there is a longer comparison with ``other`` settings."""
    sentence = f"A first look at {counted(shown.study.repeats, 'release', 'releases')}; 'Compare' takes {count_text(asked.study.repeats)}"
    beyond = max(asked.study.ways) > max(shown.study.ways)
    sentence += f", also for joint distributions of up to {max(asked.study.ways)} attributes." if beyond else "."
    st.caption(f"{sentence} The one that was made has other settings: it comes back with them." if other else sentence)


def _choose_schemes(width: int) -> tuple[str, ...]:
    offered = dict(zip(SCHEMES, schemes_of_width(tuple(SCHEMES), width), strict=True))
    chosen = widgets.several(
        "Schemes",
        {key: find_scheme(name).title for key, name in offered.items()},
        "compare_schemes",
        at=DEFAULT_SCHEMES,
        help=meaning("scheme"),
    )
    schemes = tuple(offered[key] for key in chosen)
    with st.popover("What these schemes do", icon=":material/help:"):
        for key in schemes:
            st.markdown(f"**{find_scheme(key).title}.** {find_scheme(key).summary} Source: {find_scheme(key).source}.")
    return schemes


def _more() -> dict[str, Any]:
    """The settings of a study that are rarely changed, by the names of its fields, and the ``width`` of what is safe."""
    with st.expander("More", icon=":material/tune:"):
        width = widgets.number(
            "Safe for joint distributions of up to ... attributes",
            "compare_width",
            RECOMMENDED_WIDTH,
            (1, MAX_MARGINAL),
            help=f"{meaning('safe')} 1 is the optimum, 2 pair-safe. For the schemes that are called after it.",
        )
        sets = widgets.number(
            "Sets of attributes at a time, at most",
            "compare_sets",
            10,
            (1, 1000),
            help="For each number of attributes, this many joint distributions are drawn at random and compared.",
        )
        projected = widgets.checkbox(
            "Turn every estimate back into probabilities",
            "compare_projected",
            help="Unbiased estimates may be negative. The nearest distribution is then taken for every scheme, not "
            "only where the scheme says so.",
        )
        coverage = widgets.slider("Cells in a count query", "compare_coverage", 0.1, (0.05, 0.95), step=0.05, format="percent")
        st.caption("A count query asks how many people are in a random part of the cells (section 6.5 of Multi-Dimensional RR).")
        cells = widgets.number("Most combinations in a cluster (T_v)", "compare_cells", 100, (2, MAX_CLUSTER_CELLS))
        least = widgets.slider("Least dependence to merge (T_d)", "compare_least", 0.3, (0.0, 1.0), step=0.05)
        st.caption("Clusters are found from the true table here; to find them from a release, see the Dependence page.")
        seed = widgets.number("Seed", "compare_seed", 0, (0, MAX_SEED), help=meaning("seed"))
    return {
        "width": width,
        "sets": sets,
        "projected": projected,
        "coverage": coverage,
        "max_cells": cells,
        "min_dependence": least,
        "seed": seed,
    }


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
    people = widgets.number("People", "compare_people", 10_000, (2, MAX_ROWS), step=1000, help=meaning("people"))
    attributes = widgets.number("Attributes", "compare_attributes", 3, (2, 6))
    level = widgets.number("Level of every attribute (nats)", "compare_level", 1.0, (0.1, 10.0), step=0.5, help=meaning("level"))
    categories, dependence = 5, 0.5
    if varied == "cramers_v":
        categories = widgets.number("Categories of each", "compare_categories", 5, (2, 100))
    else:
        dependence = widgets.slider("Dependence of neighbours (Cramér's V)", "compare_v", 0.5, (0.0, 1.0), step=0.05)
    return Invention(people, attributes, categories, dependence), level
