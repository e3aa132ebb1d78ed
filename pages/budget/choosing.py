"""Choosing a level: the steward's own beside those that others published, to be sorted by any column."""

import math

import streamlit as st

from pages.shared import widgets
from rrcore.budget import Plan
from rrcore.designs.deployments import LevelRow, compared_levels
from rrcore.mechanisms import Mechanism
from rrcore.wording import counted, meaning, total_text

_DECIMALS = {"Level (nats)": "%.2f", "Guesses of 100": "%.1f", "Within (points)": "%.1f"}
_MODELS = {"local": "on the person's side", "central": "by a trusted curator"}


def section(plan: Plan, mechanism: Mechanism) -> None:
    """Every level of the plan, its total, and published ones; a press on a heading sorts."""
    st.markdown("**Your levels beside published ones**")
    own = dict(zip(plan.schema.names, map(float, plan.levels), strict=True))
    rows = compared_levels(own, plan.respondents, total=float(mechanism.total_level))
    decimals = {name: st.column_config.NumberColumn(format=form) for name, form in _DECIMALS.items()}
    widgets.table([_told(row) for row in rows], columns=decimals)
    st.caption(
        "A press on a heading sorts. Guesses: of 100 yes-or-no answers, both as likely before, so many are guessed right at most by a reader "
        f"of the report. Within: 95 % of shares of one such attribute among {counted(plan.respondents, 'person', 'people')} at that level; "
        "where a curator adds the noise nothing of the kind can be said. A level that has no bound, since a report can prove an answer, is "
        "left out."
    )
    st.caption(
        "No level is right for all. A level for each person and day adds up over days, one for an answer over answers; noise that a "
        f"curator adds protects nobody from the curator. {meaning('level')}"
    )
    with st.expander("Where these numbers stand", icon=":material/menu_book:"):
        for row in rows:
            if not row.own:
                each = row.deployment
                note = f" ({each.note})" if each.note else ""
                st.markdown(f"- {widgets.plain(f'{each.who}, {each.what}{note}: {each.source}')}")


def _told(row: LevelRow) -> dict[str, object]:
    each = row.deployment
    return {
        "Who": each.who,
        "What": each.what,
        "Level (nats)": None if math.isinf(each.level) else float(total_text(each.level)),
        "Guesses of 100": row.guesses,
        "Within (points)": None if math.isnan(row.error) else 100 * row.error,
        "Randomised": _MODELS[each.model],
        "Unit": each.unit,
    }
