"""All sources side by side at equal levels, or at an equal total."""

import math
from functools import partial

import streamlit as st

from pages.shared import jobs, state, widgets
from pages.synthesize.settings import Settings
from rrcore import plots
from rrcore.budget import total_warning
from rrcore.research.lopub import SOURCES, Standing, closest, contest
from rrcore.schemes import Spend
from rrcore.table import Dataset
from rrcore.wording import meaning, points, total_text

_SETS = 6
_HELD: dict[Spend, str] = {"levels": "the level of every attribute", "total": "the total of the record"}


def show(work: state.Work, dataset: Dataset, settings: Settings) -> None:
    """Start, follow and show the contest."""
    widths = [w for w in (2, 3) if w <= dataset.k]
    spend: Spend = widgets.radio("What is held equal", _HELD, "synthesize_spend", horizontal=True)
    keys = [key for key in SOURCES if key != "truth"]
    eps, filters = settings.eps, settings.filters
    rng = work.rng("contest")
    run = partial(contest, dataset, keys, eps, widths, sets=_SETS, spend=spend, filters=filters, rng=rng)

    def draw(pieces: list[Standing]) -> None:
        if not pieces:
            return
        known = {SOURCES[one.key]: {w: error for w, error in one.errors.items() if not math.isnan(error)} for one in pieces}
        widgets.figure(
            plots.synthesis_half_l1_figure(known, widgets.palette()),
            "contest",
            alt="Half L1 of every source by number of attributes",
        )
        rows = [
            {"Source": SOURCES[one.key]}
            | {f"{w} attributes": "refused" if math.isnan(error) else _off(one, w, pieces) for w, error in one.errors.items()}
            | (one.price.columns if one.price else {})
            | {"Note": one.refusal}
            for one in pieces
        ]
        widgets.table(rows)
        st.caption(
            f"'Off by' is half L1. {meaning('half L1')} One answer, others known and whole record: the odds that each "
            "can shift; at an equal total pair-safe lets single answers tell more, at equal levels its total is smaller."
        )
        if len(pieces) == len(keys):
            widgets.caption(verdict(pieces, widths))

    may = f"{total_text(eps * dataset.k)} nats on the record" if spend == "total" else f"{total_text(eps)} nats on each answer"
    st.markdown(
        f"Every source may spend {may}, and estimates the same joint distributions of two and three attributes. EM takes a while."
    )
    widgets.warn(total_warning(dataset.schema.sizes, eps * dataset.k))
    about = (work.answers, work.wishes.chosen, eps, spend, filters, work.wishes.seed)
    button = "Compare all sources"
    jobs.on_demand("contest", about, run, button=button, icon=":material/compare_arrows:", what="The comparison", show=draw)


def _off(one: Standing, width: int, pieces: list[Standing]) -> str:
    """How far off a source is, marked where none is closer."""
    return f"{points(one.errors[width])}{' (best)' if one is closest(pieces, width)[0] else ''}"


def verdict(pieces: list[Standing], widths: list[int]) -> str:
    """Which source is closest, in one sentence."""
    parts = []
    for w in widths:
        best, factor = closest(pieces, w)
        lead = f"{factor:.1f}" if factor < 100 else "more than 100"
        parts.append(
            f"for {w} attributes {SOURCES[best.key]} is closest, {lead} times closer than the next ({best.price.text if best.price else ''})"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}. Half L1, mean over the sets looked at; one simulated collection."
