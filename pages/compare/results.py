"""The comparison as it grows: curves, medians, who wins where, downloads."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from pages.compare import closeup
from pages.shared import widgets
from rrcore import plots
from rrcore.estimate.metrics import WITHIN
from rrcore.mechanisms import safe_recipe_width
from rrcore.schemes import (
    ALIKE,
    VARIED,
    Outcome,
    Summary,
    Sweep,
    Winner,
    find_scheme,
    metric_text,
    summaries_closer_than,
    summarise,
    summary_missing_sets,
    summary_outcomes_csv,
    summary_winners,
    verdict,
    verdict_error_texts,
)
from rrcore.wording import count_text

_CLICK = " Click a point to look at that scheme's estimate beside the truth."
_PLACES = 6  # most that a warning names
_EQUAL = {"levels": "equal levels", "total": "an equal total"}


def show(
    sweep: Sweep, outcomes: Sequence[Outcome], metric: str, names: Sequence[str], answer: Callable[[str], None], *, growing: bool
) -> None:
    """Everything about the finished releases, to which others may be added while it is ``growing``.

    ``names`` are those of the attributes; ``answer`` takes the sentence that sums it all up.
    """
    summaries = summarise(outcomes, metric)
    varied = sweep.varied != "nothing"
    axis = VARIED[sweep.varied] if varied else "number of attributes"
    shown = _of_asked_ways(sweep, summaries) if varied else summaries
    best = summary_winners(shown)
    if not best:
        answer("")
        _missing(outcomes, metric, summaries, names)
        st.info("No scheme has an estimate here.", icon=":material/info:")
        return
    groups = " × ".join(names[i] for i in sweep.study.within) if metric in WITHIN else ""
    within = widgets.plain(groups)
    answer(f"At {_EQUAL[sweep.study.spend]}, {verdict(best, metric, varied=axis if varied else '', within=within)}")
    figure = plots.scheme_errors_figure(shown, widgets.palette(), axis=axis, metric=metric, by_ways=not varied)
    alt = f"{metric} of every scheme against {axis}"
    if growing:  # every new release makes it another figure, which knows nothing of a click on the former
        widgets.figure(figure, "comparison", alt=alt)
    else:
        widgets.figure(figure, "comparison", alt=alt, on_click=closeup.ask)
    _table(sweep, shown, best, metric)
    widgets.swipe("compare")
    st.caption(
        "Lines: the median release; bands: 80 % of the releases. Each error is the mean over the sets of attributes that were compared, "
        f"the same sets for every scheme.{'' if growing else _CLICK}"
    )
    _missing(outcomes, metric, summaries, names)
    widgets.warn(behind_independence(summaries, metric, varied=varied, several=len(sweep.study.ways) > 1))
    if varied:
        _map(sweep, summaries, metric, axis)
    told = outcomes if varied else [replace(one, value=len(one.axes)) for one in outcomes]
    widgets.download("Every outcome (CSV)", lambda: summary_outcomes_csv(told, names, axis), "comparison.csv", type="tertiary")


def _of_asked_ways(sweep: Sweep, summaries: list[Summary]) -> list[Summary]:
    """The results for one number of attributes, which a widget asks for where there are several."""
    ways = sweep.study.ways
    if len(ways) == 1:
        return summaries
    asked = st.segmented_control(
        "Attributes of the joint distribution",
        list(ways),
        default=ways[0],
        required=True,
        key=f"compare_shown_{ways}",
        persist_state="session",
    )
    return [one for one in summaries if one.ways == asked]


def _missing(outcomes: Sequence[Outcome], metric: str, summaries: Sequence[Summary], names: Sequence[str]) -> None:
    """What is left out of the means, and why."""
    missing = summary_missing_sets(outcomes, metric)
    if not missing:
        return
    varied, several = any(not math.isnan(one.value) for one in summaries), len({one.ways for one in summaries}) > 1
    without = [
        f"{find_scheme(one.scheme).title} ({_place(one, varied=varied, several=several)})"
        for one in summaries
        if one.reason and math.isnan(one.median)
    ]
    sentence = f"Without an error: {', '.join(without)}. " if without else ""
    kept = sum(one.sets for one in summaries if one.sets)
    asked = sum(one.asked for one in summaries if one.sets)
    if kept < asked:
        sentence += (
            f"Averaged: {count_text(kept)} of {count_text(asked)} estimates, those on sets of attributes for which all other schemes have "
            "an error in the same release. "
        )
    widgets.warn(
        f"{sentence}Not every scheme has an estimate, and an error by this name, for every set; the list below says why."
    )
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


def _table(sweep: Sweep, shown: Sequence[Summary], best: Sequence[Winner], metric: str) -> None:
    """Every scheme with its errors and its price in the same row; where something is varied, every winner with its price."""
    if sweep.varied != "nothing":
        widgets.table(
            [
                {VARIED[sweep.varied].capitalize(): f"{one.value:,g}", "Closest": find_scheme(one.best.scheme).title}
                | dict(zip(("Off by", "Next"), _first_and_next(one, metric), strict=True))
                | (one.best.price.columns if one.best.price else {})
                for one in best
            ]
        )
        return
    won = {id(one.best) for one in best}
    rows: dict[str, dict[str, str]] = {}
    for ways in dict.fromkeys(one.ways for one in shown):
        here = [one for one in shown if one.ways == ways]
        known = [one.median for one in here if not math.isnan(one.median)]
        texts = dict(zip(known, verdict_error_texts(metric, known), strict=True))
        for one in here:
            row = rows.setdefault(one.scheme, {"Scheme": find_scheme(one.scheme).title})
            row[f"{ways} attributes"] = f"{texts.get(one.median, 'none')}{' (best)' if id(one) in won else ''}"
    for one in shown:
        rows[one.scheme] |= one.price.columns if one.price else {}
    widgets.table(list(rows.values()))


def _first_and_next(one: Winner, metric: str) -> tuple[str, str]:
    """The error of the closest scheme, and that of the next one with its name."""
    if one.second is None:
        return metric_text(metric, one.best.median), ""
    first, second = verdict_error_texts(metric, [one.best.median, one.second.median])
    next_error = ALIKE if first == second else second
    return first, f"{find_scheme(one.second.scheme).title}, {next_error}{'' if one.clear else ' (may be luck)'}"


def _map(sweep: Sweep, summaries: Sequence[Summary], metric: str, axis: str) -> None:
    """Who is closest where, and every median, for all numbers of attributes."""
    with st.expander("Every scheme everywhere", icon=":material/grid_on:"):
        widgets.figure(
            plots.scheme_winners_figure(summary_winners(summaries), widgets.palette(), axis=axis, metric=metric),
            "winners",
            alt="Scheme with the smallest error",
        )
        st.caption(
            "The scheme with the smallest median error, and how many times larger the next one's is. Pale: their bands overlap, so the "
            "order may be luck."
        )
        rows: dict[str, dict[str, str]] = {}
        for one in summaries:
            place = _place(one, varied=True, several=len(sweep.study.ways) > 1)
            rows.setdefault(find_scheme(one.scheme).title, {})[place] = (
                "none" if math.isnan(one.median) else metric_text(metric, one.median)
            )
        st.markdown(f"**Median {metric}**")
        st.dataframe(pd.DataFrame(rows).T, width="stretch")


def behind_independence(summaries: Sequence[Summary], metric: str, *, varied: bool, several: bool) -> str:
    """Where taking attributes as independent is closer than the scheme that is safe for joint distributions, and inverted."""
    safe = next((one.scheme for one in summaries if safe_recipe_width(one.scheme) is not None), "")
    found = summaries_closer_than(summaries, "rr-independent", safe)
    texts = [(one, verdict_error_texts(metric, [one.median, beside.median])) for one, beside in found]
    places = [
        f"{_place(one, varied=varied, several=several)}, {mine} against {other}" for one, (mine, other) in texts if mine != other
    ]
    if not places:
        return ""
    more = " and more" if len(places) > _PLACES else ""
    return (
        f"RR-Independent is closer than {find_scheme(safe).title} here: {'; '.join(places[:_PLACES])}{more}. So little of "
        "what attributes have in common survives that estimating it adds more noise than taking them as independent leaves out; "
        "the blended readers weigh both."
    )


def _place(one: Summary, *, varied: bool, several: bool) -> str:
    if not varied:
        return f"{one.ways} attributes"
    return f"{one.value:,g}" + (f", {one.ways} attributes" if several else "")
