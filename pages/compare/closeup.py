"""One scheme's estimate of one joint distribution beside the truth."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from pages.shared import state, widgets
from rrcore import plots
from rrcore.channel import Floats
from rrcore.errors import InputError
from rrcore.limits import MAX_PAGE_CELLS
from rrcore.metrics import METRICS
from rrcore.schemes import SCHEMES, VARIED, Adjusted, Likeliest, Study, Sweep
from rrcore.table import Dataset, contingency


def show(work: state.Work, sweep: Sweep, dataset: Dataset | None, levels: Floats, clicked: tuple[str, float] | None) -> None:
    """Heat maps of truth, release and estimate for the clicked point, or for what the widgets say."""
    st.markdown("**A closer look**")
    schemes, values = list(sweep.study.schemes), list(sweep.values) if sweep.varied != "nothing" else [math.nan]
    turn = f"{hash((sweep, clicked))}"
    scheme, place = clicked if clicked is not None and clicked[0] in schemes else (schemes[0], math.nan)
    left, middle, right = st.columns([2, 3, 2])
    with left:
        scheme = st.selectbox(
            "Scheme", format_func=lambda key: SCHEMES[key].title, **state.keep_choice(f"close_scheme_{turn}", schemes, scheme)
        )
    value = values[0]
    if sweep.varied != "nothing":
        with right:
            value = st.selectbox(
                VARIED[sweep.varied].capitalize(),
                format_func=lambda value: f"{value:,g}",
                **state.keep_choice(f"close_value_{turn}", values, place if place in values else values[len(values) // 2]),
            )
    try:
        study, table, spent = sweep.point(value, dataset, levels)
        sets = study.attribute_sets(table.schema.sizes)
        sets = [axes for axes in sets if math.prod(table.schema.sizes[i] for i in axes) <= MAX_PAGE_CELLS]
        if not sets:
            widgets.caption(f"Every joint distribution compared has more than {MAX_PAGE_CELLS:,} cells, too many to draw.")
            return
        wanted = next((axes for axes in sets if sweep.varied == "nothing" and len(axes) == place), sets[0])
        with middle:
            axes = st.selectbox(
                "Joint distribution of",
                format_func=lambda axes: ", ".join(table.schema.names[i] for i in axes),
                **state.keep_choice(f"close_axes_{turn}_{value}", sets, wanted),
            )
        key = (sweep, scheme, value, axes, work.version, work.chosen, tuple(spent))
        truth, released, shares, story = work.remember("closeup", key, lambda: _estimate(study, table, spent, scheme, axes))
    except InputError as error:
        widgets.warn(str(error))
        return
    schema = table.schema.select([table.schema.names[i] for i in axes])
    maps = plots.marginal_heatmaps(schema, truth, released, shares, widgets.palette())
    widgets.figure(maps, "closer-look", alt="Heat maps of truth, released, estimate and difference")
    total = float(shares.sum())
    off = (
        ""
        if abs(total - 1) < 1e-6
        else f" These shares add up to {100 * total:.1f} %, since this scheme does not make them add up to 100 %."
    )
    widgets.caption(
        f"The first release. {SCHEMES[scheme].title}: largest cell error {METRICS['largest absolute cell error'](truth, shares):.3g}, "
        f"half L1 {METRICS['half L1 (total variation)'](truth, shares):.3g}.{off} {story}"
    )


def _estimate(
    study: Study, table: Dataset, levels: Floats, scheme: str, axes: tuple[int, ...]
) -> tuple[Floats, Floats, Floats, str]:
    """Truth, released and estimated shares in the first release, and how the estimate came about where that takes a sentence."""
    key = SCHEMES[scheme].mechanism
    made = study.designs(table, levels)[key]
    if isinstance(made, str):
        raise InputError(made)
    people = study.people_of(table, 0)
    release = study.release(people, made, key, 0)
    reader = SCHEMES[scheme].reader(release)
    shares = study.estimate(scheme, reader, axes)
    story = reader.story(axes) if isinstance(reader, Likeliest | Adjusted) else ""
    truth = contingency(people, [table.schema.names[i] for i in axes]) / people.n
    return truth, np.asarray(release.counts(axes) / people.n), shares, story
