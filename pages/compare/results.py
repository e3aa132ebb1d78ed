"""The comparison as it grows: curves, medians, who wins where, downloads."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.schemes import STUDY_METRICS, VARIED, Outcome, Summary, Sweep, Winner, find_scheme, outcomes_csv, summarise, winners

_DEFAULT_METRIC = "largest absolute cell error"
_METRIC_HELP = (
    "The Castell paper calls the largest absolute cell error 'AVD'; LoPub gives that name to half the L1 distance. "
    "They are different measures and are never compared with each other here."
)


def show(sweep: Sweep, outcomes: Sequence[Outcome], names: Callable[[], Sequence[str]]) -> tuple[str, float] | None:
    """Everything about the finished releases. Returns the scheme and place on the x axis of a clicked point.

    ``names`` gives the names of the attributes.
    """
    metric = widgets.select("Error", STUDY_METRICS, "compare_metric", at=_DEFAULT_METRIC, help=_METRIC_HELP)
    summaries = summarise(outcomes, metric)
    for reason in dict.fromkeys(f"{find_scheme(one.scheme).title}: {one.reason}" for one in summaries if one.reason):
        widgets.warn(reason)
    varied = sweep.varied != "nothing"
    shown = summaries
    ways = sweep.study.ways
    if varied and len(ways) > 1:
        asked = st.segmented_control(
            "Attributes of the joint distribution",
            list(ways),
            default=ways[0],
            required=True,
            key=f"compare_shown_{ways}",
            persist_state="session",
        )
        shown = [one for one in summaries if one.ways == asked]
    axis = VARIED[sweep.varied] if varied else "number of attributes"
    if all(math.isnan(one.median) for one in shown):
        st.info("No scheme has an estimate here.", icon=":material/info:")
        return None
    figure = plots.errors_by_scheme(shown, widgets.palette(), axis=axis, metric=metric, by_ways=not varied)
    clicked = widgets.clickable_figure(figure, "comparison", alt=f"{metric} of every scheme against {axis}")
    st.caption(
        "Lines: the median release; bands: 80 % of the releases. Each error is the mean over the sets of attributes that were compared. "
        "Click a point to look at that scheme's estimate beside the truth."
    )
    _tables(sweep, summaries, axis, metric)
    widgets.download("Every outcome (CSV)", lambda: outcomes_csv(outcomes, names(), axis), "comparison.csv")
    return (str(clicked[0]), float(clicked[1])) if clicked else None


def _tables(sweep: Sweep, summaries: Sequence[Summary], axis: str, metric: str) -> None:
    best = winners(summaries)
    varied = sweep.varied != "nothing"
    st.markdown(f"**Median {metric}**")
    rows: dict[str, dict[str, str]] = {}
    for one in summaries:
        place = _place(one, varied, len(sweep.study.ways) > 1)
        won = any(each.best is one for each in best)
        text = "no estimate" if math.isnan(one.median) else f"{one.median:.3g}{'  (best)' if won else ''}"
        rows.setdefault(find_scheme(one.scheme).title, {})[place] = text
    st.dataframe(pd.DataFrame(rows).T, width="stretch")
    if varied:
        st.markdown("**Who is closest where**")
        widgets.figure(plots.winner_map(best, widgets.palette(), axis=axis), "winners", alt="Scheme with the smallest error")
        st.caption(
            "The scheme with the smallest median error, and how many times larger the next one's is. Pale: their bands overlap, so the "
            "order may be luck."
        )
    else:
        st.caption(" ".join(_told(one) for one in best))


def _told(one: Winner) -> str:
    scheme = find_scheme(one.best.scheme).title
    if one.second is None:
        return f"{one.ways} attributes: {scheme} alone has an estimate."
    lead = f"the error of {find_scheme(one.second.scheme).title}, the next, is {one.lead:.1f} times as large"
    return f"{one.ways} attributes: {scheme}; {lead}{'' if one.clear else ', though their bands overlap'}."


def _place(one: Summary, varied: bool, several: bool) -> str:
    if not varied:
        return f"{one.ways} attributes"
    return f"{one.value:,g}" + (f", {one.ways} attributes" if several else "")
