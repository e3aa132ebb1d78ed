"""Repeat a release many times: how far estimates scatter, and how often intervals cover the truth."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from pages.shared import jobs, widgets
from pages.shared.state import Work
from rrcore import plots
from rrcore.arrays import Floats
from rrcore.estimate import Estimate
from rrcore.limits import REPEATS
from rrcore.mechanisms import Mechanism
from rrcore.schemes import Repeats, repeat_perturbation
from rrcore.table import Dataset
from rrcore.wording import percent, points


def section(work: Work, people: Dataset, mechanism: Mechanism, names: Sequence[str], truth: Floats, n: int | None) -> None:
    """Draw ``REPEATS`` releases of ``people`` (``n`` of them drawn anew each time if given) and show what they have in common."""

    key = (work.answers, work.plan(), work.wishes.seed, tuple(names), n)
    draw = partial(repeat_perturbation, people, mechanism, names, REPEATS, n=n, rng=work.rng("repeats"))

    def show(drawn: list[Estimate]) -> None:
        if not drawn:
            return
        repeats = Repeats.collect(truth, drawn, population=n is not None)
        figure = plots.marginal_repeats_figure(people.schema.select(names), repeats.truth, repeats.shares, widgets.palette())
        widgets.figure(figure, "repeated-estimates", alt="Distribution of the estimates over repeated releases", truth=True)
        widgets.caption(
            f"{len(repeats.covered)} releases: the 95 % intervals covered the truth in {percent(repeats.coverage)} of all cases. "
            f"Estimates scatter by up to {points(repeats.largest_spread)} (standard deviation); their mean is off by at most "
            f"{points(repeats.largest_bias)}. {plots.marginal_note(truth.size, list(names))}"
        )

    with st.expander("Would it come out the same again?", icon=":material/repeat:"):
        what = "the same table" if n is None else "people drawn anew each time"
        st.caption(
            f"One release is one random draw. {REPEATS} releases of {what} show how far estimates scatter and how often intervals cover."
        )
        button = f"Repeat {REPEATS} times"
        jobs.on_demand("repeats", key, draw, button=button, icon=":material/repeat:", what="The repetition", show=show)
