"""Figures of a plan: what the record costs, what each attribute gives away, which pairs survive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats
from rrcore.budget import Option
from rrcore.mechanisms import Mechanism
from rrcore.plots.cells import written
from rrcore.plots.palette import Palette, across, framed, hatching, label, mechanism_colour
from rrcore.plots.summary import drawn
from rrcore.wording import odds_text, points, total_text


def totals_figure(options: Sequence[Option], palette: Palette, *, lower_bound: float | None = None) -> go.Figure:
    """Record-level budget of every option that exists, as bars, with the certified lower bound as a line.

    Beside the saving stands its price: what one answer's odds become for someone who knows the other answers.

    Parameters
    ----------
    options : as ``compare`` returns them
    lower_bound : nats, optional; no mechanism with these levels can cost less
    """
    shown = [option for option in options if option.mechanism is not None][::-1]
    traces, costs = [], []
    for option in shown:
        assert option.mechanism is not None
        cost = option.mechanism.total_level
        note = "" if option.key in ("kronecker", "design") else f"  ({option.saving_text})"
        alone, known = (odds_text(eps) for eps in option.dearest)
        price = f"full record: × {alone}" + ("" if known == alone else f" → × {known}")
        costs.append(cost)
        traces.append(
            {
                "type": "bar",
                "y": [option.title],
                "x": [cost],
                "orientation": "h",
                "marker": {
                    "color": mechanism_colour(option.key),
                    "pattern": {"shape": "x" if option.violations else "" if option.meets_levels else "/"},
                },
                "text": [f"{total_text(cost)}{note}<br>{price}"],
                "textposition": "outside",
                "constraintext": "none",
                "textfont": {"size": 12},
                "cliponaxis": False,
                "hovertemplate": f"{option.title}: {total_text(cost)} nats, odds up to × {odds_text(cost)}<extra></extra>",
                "showlegend": False,
            }
        )
    least: dict[str, Any] = {}
    if lower_bound is not None:
        line = {"color": palette.text, "dash": "dot", "width": 1}
        through = {"type": "line", "x0": lower_bound, "x1": lower_bound, "line": line}
        least["shapes"] = [
            through | {"y0": row - 0.5, "y1": row + 0.5}
            for row, cost in enumerate(costs)  # not through the number beside a bar that ends before it
            if cost >= lower_bound - 1e-9
        ]
        least["annotations"] = [
            {
                "x": lower_bound,
                "y": 1,
                "yref": "paper",
                "yanchor": "bottom",
                "showarrow": False,
                "text": "none with these levels can be below",
                "font": {"size": 12},
            }
        ]
    return framed(
        traces,
        palette,
        height=90 + 52 * len(shown),
        bargap=0.35,
        xaxis={"title": {"text": "total for the whole record (nats)"}, "range": [0, max(costs) * 1.75], "showgrid": False},
        yaxis={"showgrid": False},
        **least,
    )


def leakage_figure(names: Sequence[str], mechanism: Mechanism, colour: str, palette: Palette) -> go.Figure:
    """Per attribute: its level alone, and its leakage to someone who knows the other answers, as a dumbbell.

    Of more than ``MAX_DRAWN`` attributes those with the largest leakage.
    """
    shown = drawn(mechanism.leakage)
    alone, full, names = np.abs(mechanism.levels)[shown], mechanism.leakage[shown], [label(names[i]) for i in shown]
    rows = list(range(len(names)))[::-1]
    line = {"color": palette.released, "width": 3}
    shapes = [
        {"type": "line", "x0": low, "x1": high, "y0": row, "y1": row, "line": line, "layer": "below"}
        for row, low, high in zip(rows, alone, full, strict=True)
    ]
    traces = [
        {
            "type": "scatter",
            "x": values,
            "y": rows,
            "mode": "markers",
            "marker": marker,
            "name": meaning,
            "customdata": [[name, total_text(v), odds_text(v)] for name, v in zip(names, values, strict=True)],
            "hovertemplate": f"%{{customdata[0]}}, {meaning}: %{{customdata[1]}} nats, odds up to × %{{customdata[2]}}<extra></extra>",
        }
        for meaning, values, marker in (
            ("alone", alone, {"color": palette.background, "line": {"color": colour, "width": 2}, "size": 12}),
            ("in the full record", full, {"color": colour, "size": 12}),
        )
    ]
    whole = mechanism.total_level
    line = {"color": palette.text, "dash": "dash", "width": 1}
    shapes.append({"type": "line", "x0": whole, "x1": whole, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain", "line": line})
    told = {
        "x": whole,
        "y": 0,
        "yref": "paper",
        "yanchor": "bottom",
        "xanchor": "right",
        "showarrow": False,
        "text": "whole record ",
    }
    return framed(
        traces,
        palette,
        height=120 + 34 * len(names),
        shapes=shapes,
        annotations=[told],
        xaxis={"title": {"text": "log-odds move by (nats)"}, "range": [0, whole * 1.06]},
        yaxis=_ticks(rows, names) | {"range": [-0.95, len(names) - 0.3]},
    )


def pair_error_figure(names: Sequence[str], errors: Floats, palette: Palette) -> go.Figure:
    """Expected error of every pair's joint distribution (diagonal: of every attribute alone); hatched where erased.

    Of more than ``MAX_DRAWN`` attributes those of the pairs with the largest errors.

    Parameters
    ----------
    errors : ndarray of shape (k, k), shares, NaN where not identifiable
    """
    shown_attributes = drawn(np.where(np.isnan(errors), np.inf, errors))
    errors = errors[np.ix_(shown_attributes, shown_attributes)]
    k, names = len(shown_attributes), [label(names[i]) for i in shown_attributes]
    shown = np.where(np.tri(k, dtype=bool), 100 * errors, np.nan)
    labels = [
        [f"{names[row]} alone" if row == column else f"{names[row]} with {names[column]}" for column in range(k)]
        for row in range(k)
    ]
    text = [[points(errors[row, column]) if column <= row else "" for column in range(k)] for row in range(k)]
    largest = float(np.nanmax(shown)) if np.isfinite(shown).any() else 1.0
    cells = {
        "type": "heatmap",
        "z": shown,
        "x": list(range(k)),
        "y": list(range(k)),
        "colorscale": palette.sequential,
        "zmin": 0,
        "zmax": largest,
        "xgap": 2,
        "ygap": 2,
        "customdata": np.dstack([labels, text]),
        "hovertemplate": "%{customdata[0]}: off by about %{customdata[1]}<extra></extra>",
        "hoverongaps": False,
        "colorbar": across("points"),
    }
    numbers = [[f"{value:.2g}" for value in row] for row in shown]
    told = written(cells, numbers, palette.sequential, (0, largest)) if k <= 10 else []
    lost = [(c, r) for r in range(k) for c in range(r + 1) if not np.isfinite(errors[r, c])]
    shapes, hatches = hatching(lost, palette)
    return framed(
        [cells, *told, *hatches],
        palette,
        height=180 + 34 * k,
        shapes=shapes,
        xaxis=_ticks(list(range(k)), names),
        yaxis=_ticks(list(range(k)), names) | {"autorange": "reversed"},
    )


def _ticks(places: Sequence[int], names: Sequence[str]) -> dict[str, Any]:
    """An axis of attributes."""
    return {"tickvals": list(places), "ticktext": list(names), "showgrid": False, "zeroline": False}
