"""Asked again: what waves of the same people would give away, and what they would tell."""

from fractions import Fraction
from functools import partial

import streamlit as st

from pages.shared import mechanisms, state, widgets
from rrcore import plots
from rrcore.budget import Plan
from rrcore.errors import InputError
from rrcore.estimate import foreseen_change
from rrcore.limits import MAX_WAVES
from rrcore.mechanisms import Mechanism
from rrcore.promise import WAYS, MechanismFile, over_waves
from rrcore.wording import percent, points


@widgets.complaining
def section(work: state.Work, plan: Plan, mechanism: Mechanism) -> None:
    """Three ways of drawing chance beside each other: a figure, a sentence each, and what can be read of a change."""
    left, right = st.columns([2, 5], gap="large")
    with left:
        waves = widgets.number("The same people are asked (times)", "again_waves", 4, (2, MAX_WAVES), step=1)
        redrawn = widgets.slider(
            "Two-stage: redrawn in every wave (%)",
            "again_redrawn",
            25.0,
            (5.0, 95.0),
            step=5.0,
            format="%.0f",
            help="How often what is remembered is replaced by a random answer. More hides changes better, and costs precision.",
        )
        name = widgets.select("Change of", plan.schema.names, work.key("again_name"))
        changing = widgets.slider(
            "How many change their answer (% of people)",
            "again_changing",
            5.0,
            (0.0, 50.0),
            step=1.0,
            format="%.0f",
            help="Between two waves.",
        )
    share = Fraction(round(redrawn), 100)
    file = mechanisms.in_integers(work, plan, mechanism)
    with right:
        _give_away(work, file, waves, share)
    _tell(file, name, plan.respondents, changing / 100, float(share))


def _give_away(work: state.Work, file: MechanismFile, waves: int, redrawn: Fraction) -> None:
    given = {}
    for way in WAYS:
        try:
            key = (file.sha256, waves, redrawn)
            given[way] = work.remember(f"again_{way}", key, partial(over_waves, file, waves, way, redrawn=redrawn))
        except InputError as error:
            widgets.complain(error)
    widgets.figure(
        plots.ledger_waves_figure(given, widgets.palette()), "budget-again", alt="What waves give away, by how chance is drawn"
    )
    for course in given.values():
        st.markdown(f"- {widgets.plain(course[-1].sentence())}")


def _tell(file: MechanismFile, name: str, people: int, changing: float, redrawn: float) -> None:
    """What can be read of one attribute, and how often its change shows in one person's reports."""
    channel = file.marginal_channel(file.schema.axes([name]))
    found = [foreseen_change(channel, way, people, changing=changing, redrawn=redrawn) for way in WAYS]
    widgets.table(
        {
            "Chance is drawn": [each.way.capitalize() for each in found],
            "A share, within": [points(each.share) for each in found],
            "A change, within": [points(each.change) for each in found],
            "Reports differ if the answer changed": [_range(each.seen) for each in found],
            "... and if it did not": [_range(each.unseen) for each in found],
        }
    )
    st.caption(
        f"{'; '.join(WAYS.values())}. Margins at 95 %, for equally frequent answers of the same people in two waves. Memoised answers of "
        "attributes that are randomised together are drawn anew when any of them changes."
    )


def _range(ends: tuple[float, float]) -> str:
    low, high = (percent(end) for end in ends)
    return low if low == high else f"{low} to {high}"
