"""One scheme's estimate of one joint distribution beside the truth."""

import math
from typing import Any

import streamlit as st

from pages.shared import state, widgets
from rrcore import plots
from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.estimate import METRICS
from rrcore.limits import MAX_PAGE_CELLS
from rrcore.schemes import VARIED, Sweep, close_up, find_scheme
from rrcore.table import Dataset
from rrcore.wording import meaning, percent, points


def ask(point: list[Any]) -> None:
    """Look at the scheme and place of a clicked point."""
    st.session_state["compare_clicked"], st.session_state["compare_to_open"] = (str(point[0]), float(point[1])), True


def show(work: state.Work, sweep: Sweep, dataset: Dataset, levels: Floats) -> None:
    """Heat maps of truth, release and estimate for the point clicked last, or for what the widgets say, once it is opened."""
    if st.session_state.get("compare_to_open"):
        st.session_state["compare_closer"] = True
    clicked = st.session_state.get("compare_clicked")
    widgets.details(
        "A closer look at one scheme", "compare_closer", lambda: _look(work, sweep, dataset, levels, clicked), icon="zoom_in"
    )
    st.session_state["compare_to_open"] = False  # not before it is drawn: a run may be broken off by the next one


def _look(work: state.Work, sweep: Sweep, dataset: Dataset, levels: Floats, clicked: tuple[str, float] | None) -> None:
    schemes, values = list(sweep.study.schemes), list(sweep.values) if sweep.varied != "nothing" else [math.nan]
    turn = f"{hash((sweep, clicked))}"
    scheme, place = clicked if clicked is not None and clicked[0] in schemes else (schemes[0], math.nan)
    left, middle, right = st.columns([2, 3, 2])
    titles = {key: find_scheme(key).title for key in schemes}
    scheme = widgets.select("Scheme", titles, f"close_scheme_{turn}", at=scheme, where=left, help=meaning("scheme"))
    value = values[0]
    if sweep.varied != "nothing":
        at = place if place in values else values[len(values) // 2]
        value = widgets.select(
            VARIED[sweep.varied].capitalize(), {one: f"{one:,g}" for one in values}, f"close_value_{turn}", at=at, where=right
        )
    try:
        study, table, spent = sweep.point(value, dataset, levels)
        sets = study.attribute_sets(table.schema.sizes)
        sets = [axes for axes in sets if math.prod(table.schema.sizes[i] for i in axes) <= MAX_PAGE_CELLS]
        if not sets:
            widgets.caption(f"Every joint distribution compared has more than {MAX_PAGE_CELLS:,} cells, too many to draw.")
            return
        wanted = next((axes for axes in sets if sweep.varied == "nothing" and len(axes) == place), sets[0])
        entry = {axes: ", ".join(table.schema.names[i] for i in axes) for axes in sets}
        axes = widgets.select(
            "Joint distribution of",
            entry,
            f"close_axes_{turn}_{value}",
            at=wanted,
            where=middle,
            help=meaning("joint distribution"),
        )
        key = (sweep, scheme, value, axes, work.version, work.wishes.chosen, tuple(spent))
        found = work.remember("closeup", key, lambda: close_up(study, table, spent, scheme, axes))
    except InputError as error:
        widgets.warn(str(error))
        return
    schema = table.schema.select([table.schema.names[i] for i in axes])
    maps = plots.marginal_heatmaps(schema, found.truth, found.released, found.shares, widgets.palette())
    widgets.figure(maps, "closer-look", alt="Heat maps of truth, released, estimate and difference", truth=True)
    off = (
        ""
        if math.isclose(found.total, 1, abs_tol=1e-6)
        else f" These shares add up to {percent(found.total)}, since this scheme does not make them add up to 100 %."
    )
    largest, half = (
        points(METRICS[name](found.truth, found.shares)) for name in ("largest absolute cell error", "half L1 (total variation)")
    )
    widgets.caption(
        f"The first release. {find_scheme(scheme).title}: largest cell error {largest}, half L1 {half}.{off} {found.story}"
    )
