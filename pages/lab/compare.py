"""Compare methods: which one has the smallest error, against ε, the number of attributes or the sample size."""

import math
from dataclasses import replace

import numpy as np
import streamlit as st

from pages.lab import published, tables
from pages.shared import jobs, state, widgets
from rrcore import plots
from rrcore.papers import (
    GROUPS,
    SPENDS,
    STUDY_METRICS,
    VARIED,
    Outcome,
    Study,
    Summary,
    Sweep,
    best_sentence,
    find_scheme,
    summarise,
)
from rrcore.papers.comparison import Varied, values_around
from rrcore.simulation.metrics import metric_text
from rrcore.wording import eps_text

_AXES: dict[Varied, str] = {"eps": "ε", "nothing": "Attributes at once (width)", "people": "Sample size"}
_SETS = 10  # of attributes that are drawn for each width, so that a first look takes seconds
_WIDEST = 6
_HINT = "Choose what to compare. Each point is the median of simulated releases. Its bar contains the middle 80% of them."


def show() -> None:
    work = state.current()
    answer = widgets.headline()
    people, plan = tables.need_people(work)
    epsilon = np.asarray(plan.epsilon)
    left, right = st.columns([2, 5])
    with left, widgets.card("Comparison", hint=_HINT):
        sweep, metric = _choose(people.n, people.k, epsilon)
    varied = sweep.varied != "nothing"
    here = {"people": float(people.n), "eps": float(epsilon.mean())}.get(sweep.varied, math.nan)

    def draw(releases: list[list[Outcome]]) -> None:
        summaries = summarise([outcome for release in releases for outcome in release], metric)
        if not summaries:
            answer("")  # a fragment later fills only what was written when the page ran
            return
        at_plan = [one for one in summaries if one.ways == 2 and (not varied or one.value == here)]
        equal = (
            f"{eps_text(epsilon.sum())} for the whole record"
            if sweep.study.spend == "total"
            else f"{eps_text(epsilon.max())} per answer"
        )
        answer(f"At ε = {equal}, {text}" if (text := best_sentence(at_plan, metric)) else "")
        # with equal totals, the axis is what all methods spend on a record
        whole = sweep.varied == "eps" and sweep.study.spend == "total"
        times, axis = (people.k, "ε of the whole record") if whole else (1, VARIED[sweep.varied])
        drawn = [replace(one, value=one.value * times) for one in summaries]
        figure = plots.scheme_errors_figure(
            drawn, widgets.palette(), axis=axis, metric=metric, by_ways=not varied, here=here * times
        )
        widgets.figure(figure, "methods", alt=f"{metric} of each method against {axis}")
        if at_plan:  # the first ε that is compared can be another one
            _table(at_plan, metric)

    with right, widgets.card("Error of each method", key="lab_methods"):
        jobs.ensure("comparison", (sweep, work.answers, plan), sweep.run, people, epsilon)
        jobs.watch("comparison", "The comparison", draw)
    widgets.details(
        "Published heuristic for a lower whole-record ε", "lab_published", lambda: published.show(work, plan), icon="functions"
    )


def _choose(n: int, k: int, epsilon: np.ndarray) -> tuple[Sweep, str]:
    """Return the comparison and the error that is shown."""
    group = widgets.select("Methods", list(GROUPS), "compare_group")
    varied = widgets.select("Horizontal axis", _AXES, "compare_axis")
    metric = widgets.select("Error", STUDY_METRICS, "compare_metric")
    spend = widgets.radio("Equal for all methods", SPENDS, "compare_spend")
    repeats = int(widgets.slider("Simulated releases", "compare_repeats", 5, (1, 50)))
    values = values_around(varied, n, epsilon)
    ways = (2,) if values else tuple(range(2, min(k, _WIDEST) + 1))
    return Sweep(Study(GROUPS[group], ways, repeats=repeats, spend=spend, sets=_SETS), varied, values), metric


def _table(found: list[Summary], metric: str) -> None:
    """Show the methods at the plan's ε with their errors on pairs and their privacy loss."""
    rows = []
    for one in sorted(found, key=lambda each: (math.isnan(each.median), each.median)):
        price = one.price
        spent = [eps_text(nats) for nats in (price.alone, price.informed, price.total)] if price else ["", "", ""]
        rows.append(
            {"Method": find_scheme(one.scheme).title}
            | {"Error on pairs": one.reason if math.isnan(one.median) else metric_text(metric, one.median)}
            | dict(zip(("ε, answer alone", "ε, attacker knows the other answers", "ε, whole record"), spent, strict=True))
        )
    widgets.prose_table(rows)
