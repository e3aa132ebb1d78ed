"""What is chosen on the Synthesize page."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from pages.shared import state, widgets
from rrcore.limits import MAX_EM_ENTRIES, MAX_FILTER_BITS, MAX_HASHES, MAX_LEVEL, MAX_ROWS
from rrcore.lopub import METHODS, SOURCES, Filters, best_hashes, best_length, em_entries
from rrcore.table import Dataset
from rrcore.wording import count_text

_FILTERS = {"typed": "all of one length", "rate": "from a false-positive rate"}


@dataclass(frozen=True)
class Settings:
    """One synthetic table to make.

    Parameters
    ----------
    source : key of ``SOURCES``
    eps : level of every attribute, nats
    filters : LoPub's Bloom filters
    phi : dependency degree
    prune : whether pairs are pruned by entropy
    records : how many records
    repeat : whether combinations are repeated instead of drawn
    """

    source: str
    eps: float
    filters: Filters
    phi: float
    prune: bool
    records: int
    repeat: bool


def choose(work: state.Work, dataset: Dataset) -> Settings:
    """The widgets at the left."""
    source = st.selectbox(
        "Where marginals come from",
        format_func=SOURCES.__getitem__,
        options=list(SOURCES),
        key="synthesize_source",
        persist_state="session",
        help="A synthetic table is pieced together from joint distributions of few attributes. LoPub estimates them from randomised Bloom "
        "filters; pair-safe and RR-Ind-Joint by undoing the randomization.",
    )
    eps = st.number_input(
        "Level of every attribute (nats)",
        min_value=0.1,
        max_value=MAX_LEVEL,
        step=0.5,
        value=4.0,
        key="synthesize_eps",
        persist_state="session",
        help="How far seeing one answer can shift the odds about it: by e^level. LoPub spends it on the bits of one attribute's filter.",
        disabled=source == "truth",
    )
    filters = _filters(dataset) if source in METHODS else Filters(4, (128,) * dataset.k)
    if source in ("em", "lasso-em"):
        _memory(dataset)
    phi = st.slider(
        "Dependency degree phi",
        min_value=0.05,
        max_value=0.6,
        step=0.05,
        value=0.2,
        key="synthesize_phi",
        persist_state="session",
        help="How strongly two attributes must depend on each other to be kept together. Small: more is kept, and joint distributions "
        "with more combinations must be estimated.",
    )
    prune = st.checkbox(
        "Prune pairs by entropy",
        key="synthesize_prune",
        persist_state="session",
        help="Looks only at pairs of the attributes with the largest entropy for their number of answers. Saves work, may lose "
        "dependencies; both are shown.",
    )
    records = st.number_input(
        "Records",
        min_value=1,
        max_value=MAX_ROWS,
        step=1000,
        value=dataset.n,
        key=f"synthesize_records_{work.version}",
        persist_state="session",
    )
    repeat = st.checkbox(
        "Repeat instead of draw",
        key="synthesize_repeat",
        persist_state="session",
        help="Every combination occurs as often as it is estimated to, rounded, instead of being drawn at random.",
    )
    widgets.draw_again(work)
    return Settings(source, eps, filters, phi, prune, records, repeat)


def _filters(dataset: Dataset) -> Filters:
    rule = st.radio(
        "Bloom filters",
        format_func=_FILTERS.__getitem__,
        options=list(_FILTERS),
        key="synthesize_rule",
        persist_state="session",
        help="A Bloom filter is the string of bits that stands for an answer. One length: 128 bits and 4 hash functions in the paper. "
        "From a rate: its equations (6) and (7), lengths in proportion to the numbers of answers.",
    )
    if rule == "rate":
        rate = st.number_input(
            "False-positive rate",
            min_value=0.001,
            max_value=0.5,
            step=0.01,
            format="%.3f",
            value=0.05,
            key="synthesize_rate",
            persist_state="session",
        )
        hashes = best_hashes(rate)
        return Filters(hashes, tuple(max(hashes, best_length(rate, size)) for size in dataset.schema.sizes))
    hashes = st.number_input(
        "Hash functions h", min_value=1, max_value=MAX_HASHES, value=4, key="synthesize_hashes", persist_state="session"
    )
    bits = st.number_input(
        "Bits m",
        min_value=int(hashes),
        max_value=MAX_FILTER_BITS,
        step=16,
        value=max(128, int(hashes)),
        key="synthesize_bits",
        persist_state="session",
    )
    return Filters(hashes, (bits,) * dataset.k)


def _memory(dataset: Dataset) -> None:
    sizes = sorted(dataset.schema.sizes)[-2:]
    entries = em_entries(dataset.n, sizes)
    seconds = "refused: choose fewer people" if entries > MAX_EM_ENTRIES else f"up to {math.ceil(8 * entries / 1e6):,} MB"
    st.caption(
        f"EM on the largest pair needs {seconds} of memory for {count_text(dataset.n)} reports; cliques of more attributes need more."
    )
