"""What is chosen on the Synthesize page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.shared import state, widgets
from rrcore.limits import MAX_EM_ENTRIES, MAX_FILTER_BITS, MAX_HASHES, MAX_LEVEL, MAX_ROWS
from rrcore.mechanisms import RECOMMENDED_WIDTH, safe_recipe_name
from rrcore.research.lopub import METHODS, SOURCES, Filters, best_hashes, best_length, em_entries
from rrcore.table import Dataset
from rrcore.wording import count_text, meaning

_LEAST_LEVEL = 0.1
_FIRST = {"shrinkage": SOURCES["shrinkage"], "pair-safe": "Safe, inverted"}
_OFFERED = _FIRST | {key: name for key, name in SOURCES.items() if key not in _FIRST}
"""Where joint distributions come from, by name; the first is chosen at first, being much closer where there are many combinations."""
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
    marginal : names of the attributes that are looked at together
    """

    source: str
    eps: float
    filters: Filters
    phi: float
    prune: bool
    records: int
    repeat: bool
    marginal: tuple[str, ...]


def choose(work: state.Work, dataset: Dataset, levels: Sequence[float]) -> Settings:
    """The widgets beside the figure; ``levels`` of the plan, in nats, whose mean every attribute has at first."""
    marginal = widgets.marginal(dataset.schema.names, work.wishes.marginal, f"synthesize_marginal_{work.version}")
    source = widgets.select(
        "Where joint distributions come from",
        _OFFERED,
        "synthesize_source",
        help=f"{meaning('joint distribution')} A synthetic table is pieced together from those of few "
        "attributes. LoPub estimates them from randomised Bloom "
        "filters; the others undo the randomization. "
        f"'{SOURCES['shrinkage']}' makes one table of all attributes, which records are drawn from.",
    )
    usual = max(_LEAST_LEVEL, round(sum(levels) / len(levels), 2))
    eps = widgets.number(
        "Level of every attribute (nats)",
        f"synthesize_eps_{usual:g}",
        usual,
        (_LEAST_LEVEL, MAX_LEVEL),
        step=0.5,
        disabled=source == "truth",
        help=f"{meaning('level')} LoPub spends it on the bits of one attribute's filter.",
    )
    with st.expander("More", icon=":material/tune:"):
        source, filters, phi, prune, records, repeat = _more(work, dataset, source)
    widgets.draw_again(work)
    return Settings(source, eps, filters, phi, prune, records, repeat, tuple(marginal) or dataset.schema.names[:1])


def _more(work: state.Work, dataset: Dataset, source: str) -> tuple[str, Filters, float, bool, int, bool]:
    """The settings that are rarely changed, from the source on as fields of ``Settings``."""
    if source == "pair-safe" and dataset.k > 1:
        width = widgets.number(
            "Safe for joint distributions of up to ... attributes",
            f"synthesize_width_{work.version}",
            min(RECOMMENDED_WIDTH, dataset.k),
            (1, dataset.k),
            help=f"{meaning('safe')} 1 is the optimum, 2 pair-safe. Cliques may have as many attributes as a table of all their answers "
            "allows.",
        )
        source = safe_recipe_name(width)
    filters = _filters(dataset) if source in METHODS else Filters(4, (128,) * dataset.k)
    if source in ("em", "lasso-em"):
        _memory(dataset)
    phi = widgets.slider(
        "Dependency degree phi",
        "synthesize_phi",
        0.2,
        (0.05, 0.6),
        step=0.05,
        help="How strongly two attributes must depend on each other to be kept together. Small: more is kept, and joint distributions "
        "with more combinations must be estimated. "
        f"Records of '{SOURCES['shrinkage']}' do not depend on it, only what is drawn of the graph.",
    )
    pieced = source != "shrinkage"
    prune = pieced and widgets.checkbox(
        "Prune pairs by entropy",
        "synthesize_prune",
        help="Looks only at pairs of the attributes with the largest entropy for their number of answers. This saves work but may lose "
        "dependencies; both are shown.",
    )
    records = widgets.number("Records", f"synthesize_records_{work.version}", dataset.n, (1, MAX_ROWS), step=1000)
    repeat = pieced and widgets.checkbox(
        "Repeat instead of draw",
        "synthesize_repeat",
        help="Every combination occurs as often as estimated, rounded, instead of being drawn at random.",
    )
    return source, filters, phi, prune, records, repeat


def _filters(dataset: Dataset) -> Filters:
    rule = widgets.radio(
        "Bloom filters",
        _FILTERS,
        "synthesize_rule",
        help=f"{meaning('Bloom filter')} One length: 128 bits and 4 hash functions in the paper. "
        "From a rate: its equations (6) and (7), lengths in proportion to the numbers of answers.",
    )
    if rule == "rate":
        rate = widgets.number("False-positive rate", "synthesize_rate", 0.05, (0.001, 0.5), step=0.01, format="%.3f")
        hashes = best_hashes(rate)
        return Filters(hashes, tuple(max(hashes, best_length(rate, size)) for size in dataset.schema.sizes))
    hashes = widgets.number("Hash functions h", "synthesize_hashes", 4, (1, MAX_HASHES))
    bits = widgets.number("Bits m", "synthesize_bits", max(128, hashes), (hashes, MAX_FILTER_BITS), step=16)
    return Filters(hashes, (bits,) * dataset.k)


def _memory(dataset: Dataset) -> None:
    sizes = sorted(dataset.schema.sizes)[-2:]
    entries = em_entries(dataset.n, sizes)
    seconds = "refused: choose fewer people" if entries > MAX_EM_ENTRIES else f"up to {math.ceil(8 * entries / 1e6):,} MB"
    st.caption(
        f"EM on the largest pair needs {seconds} of memory for {count_text(dataset.n)} reports; cliques of more attributes need more."
    )
