"""Figures of pinned plans: what each costs, beside what it buys."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from rrcore.budget import Option, Tradeoff
from rrcore.plots.frame import Spec, bar, dress, label, note, shortened
from rrcore.plots.palette import Palette, mechanism_colour
from rrcore.wording import odds_text, points, total_text

_LETTERS = 22  # longer names are cut in a figure


def option_bar(option: Option, place: int | str, length: float, text: str, hover: str, **more: Any) -> Spec:
    """What a mechanism costs or buys: crossed where levels are exceeded, striped where they are not met, with ``text`` at its end."""
    pattern = {"pattern": {"shape": "x" if option.violations else "" if option.meets_levels else "/"}}
    beside: Spec = {"text": [text], "textposition": "outside", "cliponaxis": False, "showlegend": False}
    return bar([place], [length], mechanism_colour(option.key), marker=pattern, hover=hover, **beside, **more)


def plans_figure(bargains: Sequence[Tradeoff], palette: Palette, *, bold: Collection[str] = ()) -> go.Figure:
    """Record total of every plan as bars, and beside them its expected error where one is known; one row per plan.

    Plans without a mechanism are left out. Bars are crossed where levels are exceeded and striped where they are not met.

    Parameters
    ----------
    bargains : as ``tradeoff`` makes them, from top to bottom
    bold : names of plans to stand out
    """
    shown = [bargain for bargain in bargains if bargain.option.mechanism is not None]
    errors = [100 * bargain.error for bargain in shown if math.isfinite(bargain.error)]
    figure = make_subplots(cols=2 if errors else 1, shared_yaxes=True, horizontal_spacing=0.06)
    rows, names = list(range(len(shown)))[::-1], []
    for row, bargain in zip(rows, shown, strict=True):
        name, total, option = label(bargain.pin.name), total_text(bargain.total), bargain.option
        hover = name.replace("%", "&#37;")  # plotly would read %{...} in a name
        hover += f": {option.title}<br>total {total} nats, odds up to × {odds_text(bargain.total)}"
        figure.add_trace(option_bar(option, row, bargain.total, total, hover, name=name), row=1, col=1)
        if math.isfinite(bargain.error):
            error = points(bargain.error)
            text, hover = error.removesuffix(" points"), f"{hover}<br>off by about {error}"
            figure.add_trace(option_bar(option, row, 100 * bargain.error, text, hover, name=name), row=1, col=2)
        elif errors:
            figure.add_annotation(note(0, row, " not identifiable", xanchor="left"), row=1, col=2)
        short = label(shortened(bargain.pin.name, _LETTERS))
        names.append(f"<b>{short}</b>" if bargain.pin.name in bold else short)
    axes = {"record total (nats)": [bargain.total for bargain in shown]} | ({"error (points)": errors} if errors else {})
    for column, (title, lengths) in enumerate(axes.items(), 1):  # with room for the number at the end of the longest bar
        figure.update_xaxes(title=title, range=[0, 1.3 * max(lengths, default=1.0)], showgrid=False, nticks=4, col=column)
    figure.update_yaxes(range=[-0.6, len(shown) - 0.4], showgrid=False, zeroline=False)
    figure.update_yaxes(tickvals=rows, ticktext=names, col=1)
    return dress(figure, palette, height=90 + 40 * len(shown), bargap=0.35)
