"""All sources side by side at the same cost of the record."""

from __future__ import annotations

import math
from collections.abc import Iterator

import streamlit as st

from pages.shared import jobs, state, widgets
from pages.synthesize.settings import Settings
from rrcore import plots
from rrcore.budget import untouched_warning
from rrcore.lopub import SOURCES, Standing, closest, contest
from rrcore.progress import Report
from rrcore.table import Dataset
from rrcore.wording import total_text

_SETS = 6


def show(work: state.Work, dataset: Dataset, settings: Settings) -> None:
    """Start, follow and show the contest."""
    widths = [w for w in (2, 3) if w <= dataset.k]
    keys = [key for key in SOURCES if key != "truth"]
    eps, filters = settings.eps, settings.filters

    def run(report: Report) -> Iterator[Standing]:
        yield from contest(dataset, keys, eps, widths, sets=_SETS, filters=filters, rng=work.rng("contest"), report=report)

    def draw(pieces: list[Standing]) -> None:
        if not pieces:
            return
        known = {SOURCES[one.key]: {w: error for w, error in one.errors.items() if not math.isnan(error)} for one in pieces}
        widgets.figure(
            plots.half_l1_figure(known, widgets.palette()), "contest", alt="Half L1 of every source by number of attributes"
        )
        rows = [
            {"Source": SOURCES[one.key], "Total": total_text(one.total), "One answer": total_text(one.level)}
            | {f"w = {w}": "refused" if math.isnan(error) else f"{error:.3f}" for w, error in one.errors.items()}
            | {"Note": one.refusal}
            for one in pieces
        ]
        widgets.table(rows)
        st.caption(
            "Half L1 by number of attributes w: 0 is best, 1 is as wrong as can be. Total and one answer: nats that the whole record and the "
            "most telling single answer give away; at an equal total pair-safe lets single answers tell more."
        )
        if len(pieces) == len(keys):
            widgets.caption(verdict(pieces, widths))

    st.markdown(
        f"Every source may spend {total_text(eps * dataset.k)} nats on the record, and estimates the same joint distributions of two and "
        "three attributes. EM takes a while."
    )
    widgets.warn(untouched_warning(dataset.schema.sizes, eps * dataset.k))
    about = (work.version, work.chosen, eps, filters, work.seed)
    button = "Compare all sources"
    jobs.on_demand("contest", about, run, button=button, icon=":material/compare_arrows:", what="The comparison", show=draw)


def verdict(pieces: list[Standing], widths: list[int]) -> str:
    """Which source is closest, in one sentence."""
    parts = []
    for w in widths:
        best, factor = closest(pieces, w)
        lead = f"{factor:.1f}" if factor < 100 else "more than 100"
        parts.append(f"for {w} attributes {SOURCES[best.key]} is closest, {lead} times closer than the next")
    told = "; ".join(parts)
    return f"{told[0].upper()}{told[1:]}. Half L1, mean over the sets looked at; one simulated collection."
