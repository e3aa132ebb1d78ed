"""Figures of trade-offs: what more accuracy, less leakage or a larger total would cost."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.budget import FrontierPoint
from rrcore.estimate import ExpectedErrors, margin
from rrcore.mechanisms import Kronecker, recipe
from rrcore.plots.frame import Spec, framed, logarithmic, note, scatter
from rrcore.plots.palette import Palette, mechanism_colour
from rrcore.wording import EVEN_WITHIN, Kind, Quantity, points, total_text

_CLICK = "<br>click to adopt"
_WIDTH_AXIS = "safe for joint distributions of up to ... attributes"


def frontier_figure(
    trade: Sequence[FrontierPoint],
    palette: Palette,
    *,
    axis: str,
    current: tuple[float, float] | None = None,
    ends: tuple[str, str] = ("", ""),
) -> go.Figure:
    """Record total against what is traded for it; every marker is a plan, its number in ``customdata``.

    Parameters
    ----------
    trade : Points; those without a mechanism are left out, an infinite value is drawn one step beyond the last finite one
    axis : what is traded, with its unit
    current : value and total of the plan in play
    ends : what the first and the last point are
    """
    kept = _made(trade)
    finite = [point.value for _, point in kept if math.isfinite(point.value)]
    beyond = finite[-1] + (finite[-1] - finite[-2] if len(finite) > 1 else 1.0) if finite else 1.0
    x = [point.value if math.isfinite(point.value) else beyond for _, point in kept]
    y = [point.total for _, point in kept]
    texts = [
        [
            number,
            f"{point.value:.3g}" if math.isfinite(point.value) else "no cap",
            total_text(point.total),
            _odds("whole record", point, point.total),
            recipe(point.plan.mechanism).title,
        ]
        for number, point in kept
    ]
    plans = scatter(
        x,
        y,
        line={"color": palette.released, "width": 2},
        marker={"color": palette.estimate, "size": 11},
        customdata=texts,
        hover=f"%{{customdata[4]}}, {axis} %{{customdata[1]}}: "
        f"whole record %{{customdata[3]}}, total %{{customdata[2]}} nats{_CLICK}",
        name="possible plans",
    )
    along: Spec = {"title": axis}
    if len(finite) < len(kept):
        ticks = [*np.unique(np.round(np.linspace(finite[0], finite[-1], 5), 1)), beyond] if finite else [beyond]
        along |= {"tickvals": ticks, "ticktext": [*(f"{tick:g}" for tick in ticks[:-1]), "no cap"]}
    return framed(
        [plans, *_plan_in_play(current and (current[0] if math.isfinite(current[0]) else beyond, current[1]), palette)],
        palette,
        height=380,
        showlegend=False,
        annotations=[
            note(x[position], y[position], text, yshift=16, xanchor=anchor)
            for position, text, anchor in ((0, ends[0], "left"), (-1, ends[1], "right"))
            if text and kept
        ],
        xaxis=along,
        yaxis={"title": "total for the whole record (nats)", "rangemode": "tozero"},
    )


def safe_frontier_figure(
    trade: Sequence[FrontierPoint], palette: Palette, *, kronecker: Kronecker, current: tuple[float, float] | None = None
) -> go.Figure:
    """Record total and largest leakage against w, Kronecker's beside them; every marker is a plan, its number in ``customdata``.

    Parameters
    ----------
    trade : Points of ``safe_frontier``; those without a mechanism are left out
    kronecker : Kronecker at the same levels
    current : width and total of the plan in play
    """
    kept, traces = _made(trade), []
    spent: list[tuple[Kind, str, str, str]] = [
        ("whole record", palette.truth, "total", "diamond"),
        ("others known", palette.estimate, "leakage", "circle"),
    ]
    for name, colour, of, symbol in spent:
        values = [getattr(point, of) for _, point in kept]
        texts = [
            [number, recipe(point.plan.mechanism).title, total_text(value), _odds(name, point, value)]
            for (number, point), value in zip(kept, values, strict=True)
        ]
        traces.append(
            scatter(
                [point.value for _, point in kept],
                values,
                line={"color": colour, "width": 2},
                marker={"color": colour, "size": 11, "symbol": symbol},
                name=name,
                customdata=texts,
                hover=f"%{{customdata[1]}}, {name}: odds up to %{{customdata[3]}}, %{{customdata[2]}} nats{_CLICK}",
            )
        )
    widths = [point.value for point in trade] or [1]
    ends = [min(widths) - 0.4, max(widths) + 0.4]
    for what, level, dash in (
        ("whole record", kronecker.total_level, "dash"),
        ("others known", float(kronecker.leakage.max()), "dot"),
    ):
        line = {"color": mechanism_colour("kronecker"), "width": 2, "dash": dash}
        traces.append(scatter(ends, [level] * 2, line=line, name=f"Kronecker, {what}"))
    return framed(
        [*traces, *_plan_in_play(current, palette)],
        palette,
        height=400,
        xaxis={"title": _WIDTH_AXIS, "dtick": 1, "range": ends, "showgrid": False},
        yaxis={"title": "nats", "rangemode": "tozero"},
    )


def frontier_errors_by_width_figure(
    errors: Mapping[float, ExpectedErrors], palette: Palette, *, current: float | None = None
) -> go.Figure:
    """What a share is typically off by against w, unbiased and read with the whole table, from weak to strong dependence.

    Parameters
    ----------
    errors : width -> ExpectedErrors, as ``frontier_errors_by_width`` returns them
    current : width of the plan in play
    """
    looks = {
        "unbiased": ("unbiased", palette.released, 2, "solid"),
        "whole table, usual dependence": ("usual", palette.estimate, 2, "solid"),
        "strong": ("strong", palette.estimate, 1, "dot"),
        "weak": ("weak", palette.estimate, 1, "dash"),
    }
    traces = []
    for name, (which, colour, width, dash) in looks.items():
        values = [getattr(one, which) for one in errors.values()]
        traces.append(
            scatter(
                list(errors),
                [100 * value for value in values],
                line={"color": colour, "width": width, "dash": dash},
                marker={"color": colour, "size": 9 if width > 1 else 5},
                name=name,
                customdata=[points(value) for value in values],
                hover=f"{name}: typically off by %{{customdata}}",
            )
        )
    known = errors.get(current) if current is not None else None
    return framed(
        [*traces, *_plan_in_play((current, 100 * known.usual) if known and current is not None else None, palette)],
        palette,
        height=320,
        xaxis={"title": _WIDTH_AXIS, "dtick": 1, "showgrid": False},
        yaxis={"title": "a share is typically off by (points)", "rangemode": "tozero"},
    )


def frontier_errors_figure(
    curves: Mapping[str, Sequence[FrontierPoint]], palette: Palette, *, current: tuple[float, float] | None = None
) -> go.Figure:
    """Expected error against record total, one line per mechanism, so that lines compare at equal total.

    Parameters
    ----------
    curves : key of ``RECIPES`` -> Points whose value is an error of a share (0.01 = one point), NaN where not identifiable
    current : error and total of the plan in play
    """
    traces = []
    for key, trade in curves.items():
        kept, title = [(number, point) for number, point in _made(trade) if math.isfinite(point.value)], recipe(key).title
        traces.append(
            scatter(
                [point.total for _, point in kept],
                [100 * float(margin(point.value)) for _, point in kept],
                line={"color": mechanism_colour(key), "width": 2},
                marker={"color": mechanism_colour(key), "size": 9},
                name=title,
                customdata=[
                    [f"{key}:{number}", total_text(point.total), points(float(margin(point.value)))] for number, point in kept
                ],
                hover=f"{title}: total %{{customdata[1]}} nats; {EVEN_WITHIN}: %{{customdata[2]}}{_CLICK}",
            )
        )
    known = current if current is not None and math.isfinite(current[0]) else None
    return framed(
        [*traces, *_plan_in_play(known and (known[1], 100 * float(margin(known[0]))), palette)],
        palette,
        height=400,
        xaxis={"title": "total for the whole record (nats)", "rangemode": "tozero"},
        yaxis=logarithmic(palette) | {"title": "expected error of a share (points)"},
    )


def _made(trade: Sequence[FrontierPoint]) -> list[tuple[int, FrontierPoint]]:
    """The points that have a mechanism, with their numbers."""
    return [(number, point) for number, point in enumerate(trade) if point.mechanism is not None]


def _plan_in_play(place: tuple[float, float] | None, palette: Palette) -> list[Spec]:
    """The plan in play, as a ring, if there is one."""
    ring = {"symbol": "circle-open", "color": palette.truth, "size": 20, "line": {"width": 3}}
    return [] if place is None else [scatter([place[0]], [place[1]], marker=ring, name="your plan")]


def _odds(kind: Kind, point: FrontierPoint, nats: float) -> str:
    return Quantity(kind, f"{recipe(point.plan.mechanism).title} at {point.value:g}").odds(nats)
