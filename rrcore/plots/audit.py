"""Figures of an audit: claims, what runs have shown of them, how strongly answers speak against their file, and what an observer learns."""

import math
from collections.abc import Sequence
from itertools import pairwise
from textwrap import wrap
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from rrcore.audit import BANDS, Bound, Certainty, Check, Knows, rounded_attack
from rrcore.plots.cells import inks
from rrcore.plots.frame import Spec, bar, framed, label, scatter, shortened, ticked
from rrcore.plots.palette import VERMILION, Palette
from rrcore.wording import count_text, percent, total_text

_FARTHEST = 12.0  # powers of ten; evidence beyond is drawn up to here
_TICKS = {0: "1", 3: "1,000", 6: "10⁶", 9: "10⁹", 12: "10¹²"}
_PROMISES = {"level": "one answer", "leakage": "others known", "total": "whole record"}
_LETTERS = 18  # longer names are cut, so that a phone has room for the figure


def audit_figure(bounds: Sequence[Bound], names: Sequence[str], palette: Palette) -> go.Figure:
    """One row per promise: a bar as long as what was shown, a line across at the claim. A bar beyond its line is hatched: contradicted.

    Parameters
    ----------
    bounds : as ``rrcore.audit.attack`` gives them
    names : of the attributes
    """
    rows = [_row(bound, names) for bound in bounds]
    bars = _against_claims(
        [bound.shown for bound in bounds],
        [bound.contradicted for bound in bounds],
        ("shown by runs", "shown, above the claim"),
        palette,
        width=0.6,
        texts=[(row, rounded_attack(bound.shown)) for row, bound in zip(rows, bounds, strict=True)],
        hover="%{customdata[0]}: at least %{customdata[1]} nats",
    )
    claims = {row: bound.promise.claim for row, bound in enumerate(bounds) if math.isfinite(bound.promise.claim)}
    texts = [(rows[row], total_text(claim)) for row, claim in claims.items()]
    hover = "%{customdata[0]}: claimed %{customdata[1]} nats"
    lines = scatter([*claims.values()], [*claims], marker=_claim(palette), name="claimed", customdata=texts, hover=hover)
    return framed(
        [*bars, lines],
        palette,
        height=110 + 26 * len(rows),
        xaxis={"title": "given away (nats)", "rangemode": "tozero"},
        yaxis=ticked(range(len(rows)), rows, range=[len(rows) - 0.5, -0.5]),
    )


def audit_evidence_figure(checks: Sequence[Check], palette: Palette) -> go.Figure:
    """One row per check: how rarely honest answers look as odd as these do, on a log axis, and where that is too rare to be chance.

    Parameters
    ----------
    checks : with their p-values and the level ``alpha`` at which each is caught
    """
    rows, rarities = list(range(len(checks))), [_rarity(check.p_value) for check in checks]
    bars = _against_claims(
        rarities,
        [check.caught for check in checks],
        ("as chance would have it", "beyond chance"),
        palette,
        width=0.5,
        texts=[f"{check.p_value:.2g}" for check in checks],
        hover="p-value %{customdata}",
    )
    caught = scatter([_rarity(check.alpha) for check in checks], rows, marker=_claim(palette), name="caught from here")
    longest = max([4.0, *rarities])
    ticks = {power: text for power, text in _TICKS.items() if power <= longest}
    return framed(
        [*bars, caught],
        palette,
        height=130 + 66 * len(rows),
        xaxis={
            "title": "this odd by chance once in ...",
            "range": [0, 1.05 * longest],
            "tickangle": 0,
            "tickvals": [*ticks],
            "ticktext": [*ticks.values()],
        },
        yaxis=ticked(rows, ["<br>".join(wrap(label(check.title), 20)) for check in checks], range=[len(rows) - 0.5, -0.5]),
    )


def _against_claims(
    lengths: Sequence[float],
    beyond: Sequence[bool],
    names: tuple[str, str],
    palette: Palette,
    *,
    width: float,
    texts: Sequence[Any],
    hover: str,
) -> list[Spec]:
    """Bars by row, those ``beyond`` what is claimed hatched and in another colour."""
    traces = []
    for wrong, name, colour in zip((False, True), names, (palette.estimate, VERMILION), strict=True):
        rows = [row for row, one in enumerate(beyond) if one == wrong]
        if rows:
            look = {"pattern": {"shape": "/" if wrong else ""}}
            own: Spec = {"name": name, "width": width, "customdata": [texts[row] for row in rows]}
            traces.append(bar(rows, [lengths[row] for row in rows], colour, marker=look, hover=hover, **own))
    return traces


def _claim(palette: Palette) -> Spec:
    """A line across: a diamond is the whole record elsewhere."""
    return {"symbol": "line-ns", "size": 18, "line": {"color": palette.truth, "width": 3}}


def _rarity(p: float) -> float:
    return _FARTHEST if p < 10**-_FARTHEST else max(0.0, -math.log10(p))


def _row(bound: Bound, names: Sequence[str]) -> str:
    """What the row is about, short enough for a phone."""
    axis = bound.promise.axis
    about = _PROMISES[bound.promise.about]
    return about if axis is None else f"{label(shortened(names[axis], _LETTERS))}, {about}"


_ROWS: dict[Knows, tuple[str, str]] = {
    "answer": ("nothing seen", "one answer seen"),
    "record": ("nothing seen", "whole record seen"),
    "others": ("other answers known", "... and whole record seen"),
}
_DEPTH = (0.08, 0.3, 0.55, 1.0)  # of the sequential scale, one colour a band; only the last one is strong
_NAMED = 0.12  # least share of a bar that a number fits into


def observer_certainty_figure(found: Sequence[Certainty], palette: Palette) -> go.Figure:
    """One bar of people for each sight, divided by how certain the best guess is; what was known before stands above what is known after.

    Parameters
    ----------
    found : of one attribute, as ``rrcore.audit.certainty_in_table`` gives them
    """
    rows: dict[str, tuple[float, ...]] = {}
    for each in found:
        before, after = each.bands()
        rows.setdefault(_ROWS[each.knows][0], before)
        rows[_ROWS[each.knows][1]] = after
    people = found[0].people
    marks = [f"{100 * mark:g}" for mark in BANDS]
    titles = [f"below {marks[0]} %", *(f"{low} to {high} %" for low, high in pairwise(marks)), f"at least {marks[-1]} %"]
    colours = sample_colorscale([list(stop) for stop in palette.sequential], _DEPTH)
    looks = zip(titles, colours, inks(np.array(_DEPTH), palette.sequential), strict=True)
    traces = []
    for band, (title, colour, ink) in enumerate(looks):
        shares = [bands[band] for bands in rows.values()]
        traces.append(
            bar(
                list(rows),
                shares,
                colour,
                marker={"line": {"width": 0}},
                name=title,
                width=0.72,
                text=[percent(share) if share >= _NAMED else "" for share in shares],
                textposition="inside",
                insidetextanchor="middle",
                textangle=0,
                insidetextfont={"color": ink},
                constraintext="none",
                customdata=[[count_text(round(share * people)), title] for share in shares],
                hover="%{y}: %{customdata[0]} people can be guessed with a certainty %{customdata[1]}",
            )
        )
    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    along = {"tickvals": ticks, "ticktext": [f"{100 * tick:g} %" for tick in ticks]}
    return framed(
        traces,
        palette,
        height=120 + 44 * len(rows),
        barmode="stack",
        legend={"traceorder": "normal", "title": {"text": "certainty of the best guess"}},
        xaxis={"title": "share of people", "range": [0, 1], "showgrid": False, **along},
        yaxis={"autorange": "reversed", "showgrid": False},
    )
