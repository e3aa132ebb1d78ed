"""Which point estimate is shown first, what its intervals hold for, and what each is expected to be off by."""

import math
from dataclasses import dataclass

import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.arrays import Floats
from rrcore.estimate import Estimate, Trade
from rrcore.table import Schema
from rrcore.wording import count_text, meaning, points

_FIRST = {"shrinkage": "shrinkage", "unbiased": "the unbiased estimate"}


@dataclass(frozen=True)
class Shown:
    """The estimate that is shown first, with its intervals, and the other one."""

    name: str
    shares: Floats
    interval: tuple[Floats, Floats]
    beside: dict[str, Floats]


@dataclass(frozen=True)
class Reading:
    """What a person chose: the estimate that comes first, and whether intervals hold for all combinations at once."""

    first: str
    at_once: bool
    population: bool

    def of(self, estimate: Estimate) -> Shown:
        """The chosen estimate of a marginal."""
        closest = estimate.closest()
        if self.first == "unbiased":
            return Shown("estimate", estimate.shares, self.unbiased(estimate), {closest.name: closest.shares})
        interval = closest.interval(population=self.population, simultaneous=self.at_once)
        return Shown(closest.name, closest.shares, interval, {"unbiased estimate": estimate.shares})

    def unbiased(self, estimate: Estimate) -> tuple[Floats, Floats]:
        """Intervals of the unbiased estimate."""
        return estimate.interval(population=self.population, simultaneous=self.at_once)


def choose(page: str, *, population: bool) -> Reading:
    """Two controls."""
    first = widgets.radio(
        "Show first",
        _FIRST,
        f"{page}_first",
        at="shrinkage",
        help=f"Shrinkage: {meaning('shrinkage')}\n\nUnbiased estimate: {meaning('unbiased estimate')}\n\nThe other one is shown beside it.",
    )
    at_once = widgets.checkbox(
        "Intervals hold for all at once",
        f"{page}_at_once",
        help="Wider intervals: 95 % of the time all combinations lie in theirs at once, instead of each on its own.",
    )
    return Reading(first, at_once, population)


def draw(schema: Schema, estimate: Estimate, shown: Shown, name: str, *, truth: Floats | None = None) -> None:
    """The one figure: bars of the shares, true ones first where they are known; where bars are too many, a map of all beside them."""
    known = [*([] if truth is None else ["true"]), *([] if estimate.beside is None else ["released"]), "estimated"]
    about = (schema, truth, estimate.beside, shown.shares, shown.interval, widgets.palette())
    bars = plots.marginal_bars(*about, name=shown.name, beside=shown.beside)
    alt = f"{' and '.join(known).capitalize()} share of each combination"
    note = plots.marginal_note(shown.shares.size, schema.names)
    if not note:
        widgets.figure(bars, name, alt=alt, truth=truth is not None)
        return
    with st.container(key="side_by_side"):
        left, right = st.columns([3, 2])
    with left:
        widgets.figure(bars, name, alt=alt, truth=truth is not None)
        widgets.caption(note)
    with right:
        whole = plots.marginal_map(schema, shown.shares, widgets.palette(), name=shown.name, height=bars.layout.height)
        widgets.figure(whole, f"{name}-map", alt="Estimated share of every combination")
        st.caption(f"All {count_text(shown.shares.size)} combinations at once: the stronger the colour, the more people.")


def explain(trade: Trade, cells: int, ways: int, mechanism: str = "", *, shrunk: float = math.nan) -> None:
    """Why shrinkage comes first, in one sentence, and what it, where ``shrunk`` is known, and the others are expected to be off by here."""
    if ways < 2:
        st.caption(
            "Of a single attribute shrinkage is the unbiased estimate, put back between 0 and 100 %; where its categories have an order, "
            "and the answers show that shares vary smoothly along it, what is rough counts less."
        )
        return
    inversion, independence, _ = (points(error) for error in trade.typical(cells))
    own = "" if math.isnan(shrunk) else f"{points(shrunk)} by shrinkage, by "
    st.caption(
        "Shrinkage comes first because it reads all attributes at once and so comes closest as a rule. A share is typically off by "
        f"{own}{inversion} in the unbiased estimate, by {independence} if the attributes are taken as independent."
    )
    if not trade.pays:
        widgets.caption(
            f"Protection is so strong here that RR-Independent, which ignores how attributes go together, is expected to be closer than "
            f"the unbiased estimate{f' under {mechanism}' if mechanism else ''}: {independence} against {inversion}."
        )
