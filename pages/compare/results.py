"""The comparison as it grows: curves, medians, who wins where, downloads."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.mechanisms import safe_width
from rrcore.schemes import (
    STUDY_METRICS,
    VARIED,
    Outcome,
    Summary,
    Sweep,
    Winner,
    closer_than,
    find_scheme,
    missing_sets,
    outcomes_csv,
    summarise,
    winners,
)
from rrcore.wording import count_text

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
        _missing(outcomes, metric, summaries, names())
        st.info("No scheme has an estimate here.", icon=":material/info:")
        return None
    figure = plots.errors_by_scheme(shown, widgets.palette(), axis=axis, metric=metric, by_ways=not varied)
    clicked = widgets.clickable_figure(figure, "comparison", alt=f"{metric} of every scheme against {axis}")
    st.caption(
        "Lines: the median release; bands: 80 % of the releases. Each error is the mean over the sets of attributes that were compared, "
        "the same sets for every scheme. "
        "Click a point to look at that scheme's estimate beside the truth."
    )
    _missing(outcomes, metric, summaries, names())
    _tables(sweep, summaries, axis, metric)
    widgets.download("Every outcome (CSV)", lambda: outcomes_csv(outcomes, names(), axis), "comparison.csv")
    return (str(clicked[0]), float(clicked[1])) if clicked else None


def _missing(outcomes: Sequence[Outcome], metric: str, summaries: Sequence[Summary], names: Sequence[str]) -> None:
    """What is left out of the means, and why."""
    missing = missing_sets(outcomes, metric)
    if not missing:
        return
    varied, several = any(not math.isnan(one.value) for one in summaries), len({one.ways for one in summaries}) > 1
    without = [
        f"{find_scheme(one.scheme).title} ({_place(one, varied, several)})"
        for one in summaries
        if one.reason and math.isnan(one.median)
    ]
    told = f"Without an error: {', '.join(without)}. " if without else ""
    kept = sum(one.sets for one in summaries if one.sets)
    asked = sum(one.asked for one in summaries if one.sets)
    if kept < asked:
        told += (
            f"Averaged: {count_text(kept)} of {count_text(asked)} estimates, those on sets of attributes for which all other schemes have "
            "an error in the same release. "
        )
    widgets.warn(f"{told}Not every scheme has an estimate, and an error by this name, for every set; the list below says why.")
    with st.expander(f"What is missing, and why ({count_text(len(missing))})", icon=":material/rule:"):
        widgets.table(
            [
                {
                    "Scheme": find_scheme(one.scheme).title,
                    **({} if math.isnan(one.value) else {"At": f"{one.value:,g}"}),
                    "Attributes": ", ".join(names[i] for i in one.axes),
                    "Releases": count_text(one.releases),
                    "Why": one.reason,
                }
                for one in missing
            ]
        )


def _tables(sweep: Sweep, summaries: Sequence[Summary], axis: str, metric: str) -> None:
    best = winners(summaries)
    varied = sweep.varied != "nothing"
    st.markdown(f"**Median {metric}**")
    rows: dict[str, dict[str, str]] = {}
    for one in summaries:
        place = _place(one, varied, len(sweep.study.ways) > 1)
        won = any(each.best is one for each in best)
        text = "none" if math.isnan(one.median) else f"{one.median:.3g}{'  (best)' if won else ''}"
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
    widgets.warn(behind_independence(summaries, varied=varied, several=len(sweep.study.ways) > 1))


def behind_independence(summaries: Sequence[Summary], *, varied: bool, several: bool) -> str:
    """Where taking attributes as independent is closer than the scheme that is safe for joint distributions, and inverted."""
    safe = next((one.scheme for one in summaries if safe_width(one.scheme) is not None), "")
    found = closer_than(summaries, "rr-independent", safe)
    if not found:
        return ""
    places = "; ".join(
        f"{_place(one, varied, several)}, {one.median:.3g} against {beside.median:.3g}" for one, beside in found[:6]
    )
    return (
        f"RR-Independent is closer than {find_scheme(safe).title} here: {places}{' and more' if len(found) > 6 else ''}. So little of "
        "what attributes have in common survives that estimating it adds more noise than taking them as independent leaves out; "
        "the blended readers weigh both."
    )


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
