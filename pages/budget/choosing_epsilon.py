"""Budget, tab Choosing ε: this plan's ε on the scale of published ones."""

import math

import streamlit as st

from pages.shared import guards, mechanisms, state, widgets
from rrcore import plots
from rrcore.designs.deployments import published
from rrcore.wording import eps_text


def show() -> None:
    """Show published epsilons as ticks, central or local, and where each was published."""
    work = state.current()
    plan = guards.need_plan(work)
    _, mechanism = mechanisms.in_play(work, mechanisms.options(work, plan))
    own = {"per answer": float(max(mechanism.epsilon)), "whole record": float(mechanism.epsilon_total)}
    found = published()
    each, whole = map(eps_text, own.values())
    widgets.headline()(f"The plan has ε = {each} per answer and {whole} for the record. Compare equal units of protection.")
    hint = (
        "Local means that each device randomizes. Central means that a curator holds the true answers. The table names the unit of "
        "protection."
    )
    with widgets.card("Published ε", hint=hint):
        widgets.figure(
            plots.deployments_figure(found, widgets.palette(), own=own),
            "published_epsilon",
            alt="Published epsilons on a log scale, central and local, with the epsilons of this plan",
        )
    with widgets.card("Units and sources of these ε"):
        widgets.table(
            [
                {
                    "Who": each.who,
                    "What": each.what,
                    "ε": each.epsilon if math.isfinite(each.epsilon) else None,
                    "Model": each.model,
                    "Unit of protection": each.unit,
                    "Source": each.source,
                }
                for each in sorted(found, key=lambda each: each.epsilon)
            ],
            columns={"ε": st.column_config.NumberColumn(format="%.2f")},
        )
