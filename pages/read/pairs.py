"""Dependence behind collected answers: how strong, how sure, and whether there is any."""

import math

import streamlit as st

from pages.shared import jobs, widgets
from rrcore import plots
from rrcore.answers import Answers, PairSummary, chance_pairs_summary, pair_summaries, pair_summary_matrix, pooled_pairs
from rrcore.wording import p_text, strength_range_text

_JOB = "read_pairs"


def found(answers: Answers) -> tuple[PairSummary, ...]:
    """Every pair, where it has been looked for; nothing before."""
    return jobs.finished(_JOB, id(answers)) or ()


def show(answers: Answers) -> None:
    """A heat map of V and every pair in numbers."""
    names = answers.mechanism.schema.names
    if len(names) < 2:
        st.info("Dependence is between attributes, and these answers are of one attribute only.", icon=":material/info:")
        return
    pairs = jobs.result(_JOB, id(answers), pair_summaries, answers, what="Looking for dependence")
    if pairs is None:
        return
    chance = chance_pairs_summary(names, pairs)
    figure = plots.dependence_map(pair_summary_matrix(names, pairs), names, widgets.palette(), chance=chance)
    widgets.figure(figure, "read-dependence", alt="Estimated dependence of every pair")
    if len(names) == 2 and chance.any():  # the figure has no room for a legend
        st.caption("Hatched: no stronger than chance.")
    if note := plots.drawn_note(len(names), "attributes of the most dependent pairs"):
        st.caption(note)
    rows = [
        {
            "Pair": " with ".join(pair.names),
            "Cramér's V": "not identifiable" if math.isnan(pair.v) else f"{pair.v:.3f}",
            "95 % interval": "" if math.isnan(pair.v) else strength_range_text(pair.low, pair.high),
            "Independent? p-value": "" if math.isnan(pair.p_value) else p_text(pair.p_value),
            "Note": pair.note,
        }
        for pair in pairs
    ]
    widgets.table(rows)
    pooled = pooled_pairs(answers) is not None
    st.caption(
        "Cramér's V is 0 for attributes that have nothing to do with each other, 1 at most; what the noise takes away is put back. "
        + ("It also uses what all pairs have in common; the interval uses the pair's own answers only. " if pooled else "")
        + "p-value: how often independent attributes would look at least as dependent by chance, the noise included; small means they do go "
        "together. Of pairs that have nothing to do with each other about 1 in 20 falls below 0.05 by chance."
        if len(pairs) > 1
        else "Cramér's V is 0 for attributes that have nothing to do with each other, 1 at most. p-value: how often independent attributes "
        "would look at least as dependent by chance, the noise included; small means they do go together."
    )
