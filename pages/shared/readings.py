"""Which point estimate is shown first, what its intervals hold for, and what each is expected to be off by."""

import math
from dataclasses import dataclass, replace

import streamlit as st

from pages.shared import widgets
from rrcore import plots
from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.estimate import SHORTER_PROMISE, Estimate, Trade
from rrcore.table import Schema
from rrcore.wording import count_text, interval_text, meaning, points

_FIRST = {"shrinkage": "shrinkage", "unbiased": "the unbiased estimate"}


@dataclass(frozen=True)
class Shown:
    """The estimate that is shown first, with promised intervals, and the one beside it; shorter ones, or why there are none, where asked."""

    name: str
    shares: Floats
    interval: tuple[Floats, Floats]
    beside: dict[str, Floats]
    shorter: tuple[Floats, Floats] | None = None
    note: str = ""

    @property
    def column(self) -> dict[str, list[str]]:
        """The shorter intervals as a column of a table of all combinations; none where there are none."""
        if self.shorter is None:
            return {}
        ends = zip(*(edge.ravel().tolist() for edge in self.shorter), strict=True)
        return {"Shorter interval (95 of 100 cells)": [interval_text(low, high) for low, high in ends]}


@dataclass(frozen=True)
class Reading:
    """What a person chose: the estimate that comes first, whether intervals hold for all combinations at once, or are to be shorter."""

    first: str
    at_once: bool
    shorter: bool
    population: bool

    def of(self, estimate: Estimate) -> Shown:
        """The chosen estimate of a marginal."""
        closest = estimate.closest()
        if self.first == "unbiased":
            note = "Shorter intervals are not shown: they are those of shrinkage." if self.shorter else ""
            return Shown("estimate", estimate.shares, self.unbiased(estimate), {closest.name: closest.shares}, note=note)
        interval = closest.interval(population=self.population, simultaneous=self.at_once)
        shown = Shown(closest.name, closest.shares, interval, {"unbiased estimate": estimate.shares})
        if not self.shorter:
            return shown
        if self.at_once:
            return replace(shown, note="Shorter intervals are not shown: they never hold for all combinations at once.")
        try:
            return replace(shown, shorter=closest.short_interval(population=self.population), note=SHORTER_PROMISE)
        except InputError as error:
            return replace(shown, note=f"Shorter intervals are not shown. {error}")

    def unbiased(self, estimate: Estimate) -> tuple[Floats, Floats]:
        """Intervals of the unbiased estimate."""
        return estimate.interval(population=self.population, simultaneous=self.at_once)


def choose(page: str, *, population: bool) -> Reading:
    """Three controls."""
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
    shorter = widgets.checkbox(
        "Shorter intervals, over the cells of a table",
        f"{page}_shorter",
        help=f"Intervals of shrinkage alone, where simulations found them to hold as often. {SHORTER_PROMISE}",
    )
    return Reading(first, at_once, shorter, population)


def draw(schema: Schema, estimate: Estimate, shown: Shown, name: str, *, truth: Floats | None = None) -> None:
    """The one figure: bars of the shares, true ones first where they are known; where bars are too many, a map of all beside them."""
    known = [*([] if truth is None else ["true"]), *([] if estimate.beside is None else ["released"]), "estimated"]
    interval, ends = (
        (shown.interval, "95 % interval") if shown.shorter is None else (shown.shorter, "interval of 95 of 100 cells")
    )
    about = (schema, truth, estimate.beside, shown.shares, interval, widgets.palette())
    bars = plots.marginal_bars(*about, name=shown.name, beside=shown.beside, ends=ends)
    for each in filter(None, (shown.note, estimate.nobody)):
        widgets.caption(each)
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
