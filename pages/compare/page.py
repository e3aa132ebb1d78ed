"""Compare: every scheme on the same releases."""

import numpy as np
import streamlit as st

from pages.compare import closeup, costs, results, settings
from pages.shared import guards, jobs, state, widgets
from rrcore.errors import InputError
from rrcore.schemes import STUDY_METRICS, Outcome, Sweep

_LONG, _GLANCE = "comparison", "comparison_glance"

work = state.current()
answer = widgets.header("Compare", "Which scheme recovers the joint distributions best, for these people and levels?")
chosen = guards.need_chosen(work, "Schemes are compared by joint distributions of several attributes")
plan = guards.need_plan(work)
levels = np.asarray(plan.levels)
sizes = chosen.schema.sizes

left, right = st.columns([2, 5], gap="large")
asked: Sweep | None = None
with left:
    try:
        asked = settings.choose(work.wishes.chosen, work.key)
    except InputError as error:
        widgets.complain(error)
    if st.button("Compare", type="primary", icon=":material/play_arrow:", disabled=asked is None, width="stretch"):
        assert asked is not None
        jobs.forget(_GLANCE)  # it may hold the only worker
        jobs.start(_LONG, (asked, work.answers, plan), asked.run, chosen, levels)
    metric = settings.choose_metric(STUDY_METRICS if asked is None else asked.study.metrics)


def show(sweep: Sweep, name: str, releases: list[list[Outcome]]) -> None:
    """Everything that is known so far: the outcomes of all ``releases`` that are done."""
    outcomes = [outcome for release in releases for outcome in release]
    if not outcomes:
        answer("")  # a fragment fills later only what it wrote when the page ran
        return
    names = sweep.point(outcomes[0].value, chosen, levels)[1].schema.names
    growing = jobs.at_work(name)
    results.show(sweep, outcomes, metric, names, answer, growing=growing)
    if not growing:
        closeup.show(work, sweep, chosen, levels)


with right:
    if asked is not None:
        made = jobs.find(_LONG)
        if made is not None and made.about == (asked, work.answers, plan):
            sweep, name = asked, _LONG
        else:
            sweep, name = settings.glance(asked), _GLANCE
            settings.note_glance(asked, sweep, other=made is not None)
            jobs.ensure(_GLANCE, (sweep, work.answers, plan), sweep.run, chosen, levels)
        jobs.watch(name, "The comparison" if name == _LONG else "The first look", lambda releases: show(sweep, name, releases))
        for sentence in asked.warnings(sizes, levels):
            widgets.warn(sentence)
        costs.show(work, asked, chosen, plan)
    st.page_link("pages/papers/page.py", label="What the papers print, measured again", icon=":material/menu_book:")
