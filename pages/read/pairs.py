"""Dependence behind collected answers: how strong, how sure, and whether there is any."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import jobs, widgets
from rrcore import plots
from rrcore.collect import Answers, PairSummary, lie_mechanism, pair_summaries
from rrcore.errors import InputError

_JOB = "read_pairs"


def found(answers: Answers) -> tuple[PairSummary, ...]:
    """Every pair, where it has been looked for; nothing before."""
    return jobs.finished(_JOB, id(answers)) or ()


def seek(answers: Answers) -> tuple[PairSummary, ...] | None:
    """Every pair; None while that is at work or where it is refused, which is then said."""
    try:
        return jobs.result(
            _JOB, id(answers), lambda report: pair_summaries(answers, report=report), what="Looking for dependence"
        )
    except InputError as error:
        widgets.complain(error)
        return None


def show(answers: Answers) -> None:
    """A heat map of V and every pair in numbers."""
    names = answers.mechanism.schema.names
    if len(names) < 2:
        st.info("Dependence is between attributes, and these answers are to one question only.", icon=":material/info:")
        return
    pairs = seek(answers)
    if pairs is None:
        return
    v = np.full((len(names), len(names)), np.nan)
    for pair in pairs:
        i, j = (names.index(name) for name in pair.names)
        v[i, j] = v[j, i] = pair.v
    widgets.figure(
        plots.association_map(v, names, widgets.palette()), "read-dependence", alt="Estimated dependence of every pair"
    )
    rows = [
        {
            "Pair": " with ".join(pair.names),
            "Cramér's V": "not identifiable" if math.isnan(pair.v) else f"{pair.v:.3f}",
            "95 % interval": "" if math.isnan(pair.v) else f"{pair.low:.3f} to {pair.high:.3f}",
            "Independent? p-value": "" if math.isnan(pair.p_value) else _p_value(pair.p_value),
            "Note": pair.note,
        }
        for pair in pairs
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    pooled = lie_mechanism(answers.mechanism) is not None
    st.caption(
        "Cramér's V is 0 for attributes that have nothing to do with each other, 1 at most; what the noise takes away is put back. "
        + ("It also uses what all pairs have in common; the interval uses the pair's own answers only. " if pooled else "")
        + "p-value: how often independent attributes would look at least as dependent by chance, the noise included; small means they do go "
        f"together. Of {len(pairs)} pairs that have nothing to do with each other about {max(1, round(len(pairs) / 20))} would fall below "
        "0.05 by chance."
        if len(pairs) > 1
        else "Cramér's V is 0 for attributes that have nothing to do with each other, 1 at most. p-value: how often independent attributes "
        "would look at least as dependent by chance, the noise included; small means they do go together."
    )


def _p_value(value: float) -> str:
    return "below 0.0001" if value < 1e-4 else f"{value:.4f}"
