"""Figures of a synthetic table: how its estimates came about, how close it comes to the truth, and what it is good for."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.plots.cells import pairs_map
from rrcore.plots.frame import Spec, framed, joined, label, scatter, shortened, ticked
from rrcore.plots.palette import BLUE, GREEN, OLIVE, ORANGE, PINK, SKY, VERMILION, Palette
from rrcore.plots.schemes import scheme_look
from rrcore.research.lopub import SOURCES, Accuracy
from rrcore.wording import minus

_LOOKS = (
    (BLUE, "solid", "circle"),
    (ORANGE, "dash", "square"),
    (GREEN, "dot", "diamond"),
    (PINK, "dashdot", "triangle-up"),
    (VERMILION, "longdash", "x"),
    (SKY, "longdashdot", "star"),
    (OLIVE, "solid", "cross"),
)
"""Colour, line and mark of the lines of a figure, in the order in which they are drawn."""

_SOURCES = {
    SOURCES["pair-safe"]: scheme_look("pair-safe"),
    SOURCES["shrinkage"]: scheme_look("pair-safe-shrinkage"),
    SOURCES["rr-ind-joint"]: scheme_look("rr-ind-joint"),
}
"""Looks of the sources that are schemes, which have them in every figure; what LoPub estimates has the next of ``_LOOKS``."""

_HOVERED = ("iteration %{x}", "ended after %{x} iterations")  # where a line of EM is pointed at, and where its end is
_WIDE = 0.3  # a difference of V that has the full colour, at least: smaller ones are never made to look large
_SHORT = 18  # letters of a name beside an axis; the hover has all


def synthesis_likelihood_figure(curves: Mapping[str, Floats], palette: Palette) -> go.Figure:
    """What EM has gained over its start after every iteration, in nats per respondent; one line a fit, with a mark at its end.

    Parameters
    ----------
    curves : name -> ndarray of shape (iterations + 1,), log-likelihood in nats per respondent; those without an iteration are left out
    """
    moving = {name: np.asarray(values) for name, values in curves.items() if len(values) > 1}
    traces = []
    for number, (name, values) in enumerate(moving.items()):
        colour, dash, mark = _LOOKS[number % len(_LOOKS)]
        iterations, gain = np.arange(1, len(values)), values[1:] - values[0]
        own: Spec = {"line": {"color": colour, "dash": dash}, "name": label(name), "legendgroup": str(number)}
        end = {"symbol": mark, "size": 9}
        during, after = (f"{words}: gained %{{y:.5f}} nats<extra>%{{fullData.name}}</extra>" for words in _HOVERED)
        traces.append(scatter(iterations, gain, **own, showlegend=False, hover=during))
        traces.append(scatter(iterations[-1:], gain[-1:], **own, marker=end, cliponaxis=False, hover=after))
    longest = max([1, *(len(values) - 1 for values in moving.values())])
    ticks = [step * 10**power for power in range(len(str(longest))) for step in (1, 2, 5) if step * 10**power <= longest]
    return framed(
        traces,
        palette,
        height=300 + 20 * len(moving),
        showlegend=True,
        legend={"tracegroupgap": 0},
        xaxis={"title": "iteration", "type": "log", "tickvals": ticks, "ticktext": [f"{tick:,}" for tick in ticks]},
        yaxis={"title": "gain (nats per person)", "rangemode": "tozero"},
    )


def synthesis_half_l1_figure(errors: Mapping[str, Mapping[int, float]], palette: Palette) -> go.Figure:
    """Half L1 against the number of attributes, one line per source, each with a mark of its own; the axis starts at 0.

    Parameters
    ----------
    errors : name of a source -> number of attributes -> half L1, 0 to 1
    """
    traces = []
    for number, (name, by_width) in enumerate(errors.items()):
        colour, dash, mark = _SOURCES.get(name, _LOOKS[number % len(_LOOKS)])
        widths = sorted(by_width)
        traces.append(
            scatter(
                widths,
                [100 * by_width[w] for w in widths],
                line={"color": colour, "dash": dash},
                marker={"symbol": mark, "size": 9},
                cliponaxis=False,
                name=label(name),
                hover="%{x} attributes: %{y:.2f} points<extra>%{fullData.name}</extra>",
            )
        )
    every = sorted({w for by_width in errors.values() for w in by_width})
    return framed(
        traces,
        palette,
        height=340 + 20 * len(errors),
        showlegend=True,
        xaxis={"title": "number of attributes", "tickvals": every},
        yaxis={"title": "half L1 (points)", "rangemode": "tozero"},
    )


def synthesis_v_difference_map(difference: Floats, names: Sequence[str], palette: Palette) -> go.Figure:
    """Cramér's V of every pair in the synthetic minus in the true table, with numbers, on a scale centred at 0; hatched where unknown.

    Parameters
    ----------
    difference : ndarray of shape (k, k), NaN on the diagonal and where unknown
    """
    below = difference[np.tri(len(names), k=-1, dtype=bool)]
    widest = 1.0 if np.isnan(below).all() else max(_WIDE, float(np.nanmax(np.abs(below))))
    return pairs_map(
        difference,
        names,
        palette,
        scale=palette.diverging,
        ends=(-widest, widest),
        title="V, synthetic minus true",
        form="+.3f",
        number=_signed,
        short=_short,
        tilt=-45,
        height=170 + 34 * len(names),
        showlegend=False,
        margin={"t": 12},
    )


def _signed(value: float) -> str:
    """A difference in two decimals without the leading zero, as narrow as it can be."""
    rounded = f"{abs(value):.2f}"
    return "0" if rounded == "0.00" else minus(f"{'+' if value > 0 else '-'}{rounded.removeprefix('0')}")


def synthesis_accuracy_figure(rows: Sequence[tuple[str, Accuracy]], palette: Palette) -> go.Figure:
    """How often a classifier is right, one row per predicted attribute: majority guess, trained on the synthetic table, trained on true rows.

    Parameters
    ----------
    rows : (attribute, its accuracies as shares)
    """
    places = list(range(len(rows)))
    every = [(100 * accuracy.majority, 100 * accuracy.synthetic, 100 * accuracy.true) for _, accuracy in rows]
    looks = {
        "majority guess": {"symbol": "line-ns", "size": 18, "line": {"width": 3, "color": palette.hatch}},
        "trained on synthetic": {"symbol": "circle", "size": 13, "color": palette.estimate},
        "trained on true": {"symbol": "diamond-open", "size": 13, "color": palette.truth, "line": {"width": 2}},
    }
    whole = [label(name) for name, _ in rows]
    traces = [
        scatter(
            [right[number] for right in every],
            places,
            marker=look,
            name=title,
            customdata=whole,
            hover=f"%{{customdata}}: %{{x:.1f}} % correct<extra>{title}</extra>",
            cliponaxis=False,
        )
        for number, (title, look) in enumerate(looks.items())
    ]
    return framed(
        traces,
        palette,
        height=160 + 44 * len(rows),
        shapes=[joined(min(right), max(right), row, palette.grid, 4) for row, right in enumerate(every)],
        xaxis={"title": "correct answers (%)", "zeroline": False},
        yaxis=ticked(places, [_short(name) for name, _ in rows], range=[len(rows) - 0.5, -0.5]),
    )


def _short(text: str) -> str:
    return label(shortened(text, _SHORT))
