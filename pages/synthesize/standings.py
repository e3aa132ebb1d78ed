"""All sources beside each other at equal cost of the record."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import jobs, state, widgets
from pages.synthesize.settings import Settings
from rrcore import plots
from rrcore.lopub import SOURCES, Filters, Standing, contest
from rrcore.progress import Report
from rrcore.table import Dataset
from rrcore.wording import total

_JOB = "synthetic_contest"
_SETS = 6


def show(work: state.Work, dataset: Dataset, settings: Settings) -> None:
    """Start, follow and show the contest."""
    filters = Filters(settings.filters.hashes, settings.filters.lengths)
    key = (work.version, work.chosen, settings.eps, filters, work.seed)
    widths = [w for w in (2, 3) if w <= dataset.k]

    def run(report: Report) -> Iterator[Standing]:
        keys = [key for key in SOURCES if key != "truth"]
        rng = np.random.default_rng((work.seed, 10))
        yield from contest(dataset, keys, settings.eps, widths, sets=_SETS, filters=filters, rng=rng, report=report)

    st.markdown(
        f"Every source may spend {total(settings.eps * dataset.k)} nats on the record, and estimates the same joint distributions of two and "
        "three attributes. EM takes a while."
    )
    stream = jobs.follow(_JOB)
    mine = stream is not None and stream.about == key
    if not mine or (stream is not None and stream.stopped):
        st.button("Compare all sources", icon=":material/compare_arrows:", on_click=jobs.stream, args=(_JOB, key, run))
    if stream is None or not mine:
        return
    if stream.running:
        _watch()
    elif stream.error is not None:
        widgets.complain(stream.error)
    pieces: list[Standing] = list(stream.pieces)
    if not pieces:
        return
    figure = plots.half_l1_figure({SOURCES[piece.key]: _finite(piece.errors) for piece in pieces}, widgets.palette())
    widgets.figure(figure, "contest", alt="Half L1 of every source by number of attributes")
    rows = [
        {"Source": SOURCES[piece.key], "Total": total(piece.total), "One answer": total(piece.level)}
        | {f"w = {w}": "refused" if math.isnan(error) else f"{error:.3f}" for w, error in piece.errors.items()}
        | {"Note": piece.refusal}
        for piece in pieces
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    st.caption(
        "Half L1 by number of attributes w: 0 is best, 1 is as wrong as can be. Total and one answer: nats that the whole record and the "
        "most telling single answer give away; at an equal total pair-safe lets single answers tell more."
    )
    if not stream.running and len(pieces) == len(SOURCES) - 1:
        widgets.caption(verdict(pieces, widths))


def verdict(pieces: list[Standing], widths: list[int]) -> str:
    """Which source is closest, in one sentence."""
    parts = []
    for w in widths:
        known = [piece for piece in pieces if not math.isnan(piece.errors[w])]
        best = min(known, key=lambda piece: piece.errors[w])
        others = [piece.errors[w] for piece in known if piece.key != best.key]
        factor = min(others) / best.errors[w] if best.errors[w] > 0 else math.inf
        lead = f"{factor:.1f} times closer than the next" if factor < 100 else "more than 100 times closer than the next"
        parts.append(f"for {w} attributes {SOURCES[best.key]} is closest, {lead}")
    told = "; ".join(parts)
    return f"{told[0].upper()}{told[1:]}. Half L1, mean over the sets looked at; one simulated collection."


def _finite(errors: dict[int, float]) -> dict[int, float]:
    return {w: error for w, error in errors.items() if not math.isnan(error)}


@st.fragment(run_every=0.5)
def _watch() -> None:
    stream = jobs.follow(_JOB)
    if stream is None or not stream.running:
        st.rerun()
    st.progress(min(1.0, max(0.0, stream.job.fraction)), text=f"{stream.job.text or 'At work'} ...")
    if st.button("Stop", key="stop_contest", icon=":material/stop:"):
        jobs.stop(_JOB)
        st.rerun()
