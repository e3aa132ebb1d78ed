"""Repeat a release many times: a section that works in small steps, shows progress and can be stopped."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared import widgets
from pages.shared.state import Work
from rrcore import plots
from rrcore.estimate import Estimate
from rrcore.limits import REPEATS
from rrcore.mechanisms import Mechanism
from rrcore.schemes import Repeats, repeat_estimates
from rrcore.table import Dataset
from rrcore.wording import percent, points

_STEP_SECONDS = 0.4


@st.fragment
def section(work: Work, people: Dataset, mechanism: Mechanism, names: Sequence[str], truth: np.ndarray, n: int | None) -> None:
    """Draw ``REPEATS`` releases of ``people`` (``n`` of them drawn anew each time if given) and show what they have in common."""
    key = (work.version, work.plan(), work.seed, tuple(names), n)
    drawn: list[Estimate] = work.remember("repeats", key, list)
    running = st.session_state.get("repeating") == key
    if not running:
        _stop()
    st.markdown("**Would it come out the same again?**")
    what = "the same table" if n is None else "people drawn anew each time"
    st.caption(
        f"One release is one draw of luck. {REPEATS} releases of {what} show how far estimates scatter and how often intervals cover."
    )
    st.button(
        "Stop" if running else f"Repeat {REPEATS} times",
        key="repeat_toggle",
        on_click=_stop if running else _start,
        args=() if running else (work, key),
        icon=":material/stop:" if running else ":material/repeat:",
    )
    if running:
        bar = st.progress(len(drawn) / REPEATS, text=_progress(drawn))
        deadline = time.monotonic() + _STEP_SECONDS
        while len(drawn) < REPEATS and time.monotonic() < deadline:
            rng = np.random.default_rng((work.seed, 2, len(drawn)))  # one a release: the same whatever the machine's speed
            drawn.append(next(repeat_estimates(people, mechanism, names, n=n, rng=rng)))
        bar.progress(len(drawn) / REPEATS, text=_progress(drawn))  # also where a click on "Stop" is taken in
        if len(drawn) >= REPEATS:
            _stop()
        context = get_script_run_ctx()
        st.rerun(scope="fragment" if context is not None and context.fragment_ids_this_run else "app")
    if drawn:
        _show(people, names, Repeats.collect(truth, drawn, population=n is not None))


def _progress(drawn: list[Estimate]) -> str:
    return f"{len(drawn)} of {REPEATS} releases"


def _start(work: Work, key: object) -> None:
    work.remember("repeats", (key, "cleared"), list)
    st.session_state["repeating"] = key


def _stop() -> None:
    st.session_state.pop("repeating", None)


def _show(people: Dataset, names: Sequence[str], repeats: Repeats) -> None:
    figure = plots.repeats_figure(people.schema.select(names), repeats.truth, repeats.shares, widgets.palette())
    widgets.figure(figure, "repeated-estimates", alt="Distribution of the estimates over repeated releases")
    note = plots.shown_note(repeats.truth.size, list(names))
    widgets.caption(
        f"{len(repeats.covered)} releases: the 95 % intervals covered the truth in {percent(repeats.coverage)} of all cases. "
        f"Estimates scatter by up to {points(float(repeats.spread.max()))} (standard deviation); their mean is off by at most "
        f"{points(float(np.abs(repeats.bias).max()))}. {note}"
    )
