"""How many deny when they are asked directly: both parts of a split sample, beside each other."""

from __future__ import annotations

import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.answers import Answers
from rrcore.estimate import DENIAL_RATES, Denial, denials
from rrcore.wording import cell_label, meaning


@widgets.complaining
def show(randomised: Answers, directly: Answers, names: list[str]) -> None:
    """Both shares, their difference with its interval, and what it says of the next survey."""
    found = denials(randomised.estimate(names), directly.estimate(names))
    labels = {i: _label(each) for i, each in enumerate(found)}
    at = widgets.select("Answer", labels, f"read_direct_{hash((tuple(names), randomised.mechanism.sha256))}", at=len(labels) - 1)
    chosen = found[at]
    st.markdown(f"**{widgets.plain(chosen.text)}**", help=meaning("denial"))
    widgets.figure(
        plots.denial_figure(chosen, widgets.palette(), of=labels[at]), "read-direct", alt=f"Share of {labels[at]}, either way"
    )
    st.markdown(widgets.plain(chosen.advice(randomised.n + directly.n)), help=meaning("break-even denial"))
    least, most = (f"{100 * rate:.0f}" for rate in (DENIAL_RATES[0].rate, DENIAL_RATES[-1].rate))
    st.caption(
        f"In {len(DENIAL_RATES)} validation studies {least} to {most} of 100 denied what was true of them: page Budget lists them."
    )


def _label(found: Denial) -> str:
    return cell_label([each.categories[i] for each, i in zip(found.randomised.schema.attributes, found.cell, strict=True)])
