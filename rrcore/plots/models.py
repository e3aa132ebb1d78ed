"""The figure of a regression: what each predictor does, with intervals."""

from collections.abc import Sequence
from textwrap import wrap

import numpy as np
import plotly.graph_objects as go

from rrcore.plots.frame import Spec, framed, label, scatter, shortened, ticked, upright, whiskers
from rrcore.plots.palette import Palette

_LETTERS = 30  # of a label beside its row; the hover has all
_LAST = 20  # of a last word that stays whole
_TITLE = 26  # of a line below the axis: as many as a phone has room for beside the labels


def model_coefficients_figure(
    names: Sequence[str],
    values: Sequence[float],
    ends: tuple[Sequence[float], Sequence[float]],
    naive: Sequence[float] | None,
    palette: Palette,
    *,
    what: str,
    nothing: float,
) -> go.Figure:
    """One row for every coefficient: its estimate with its interval, and the naive estimate below it.

    Parameters
    ----------
    names, values : of the rows, the first on top
    ends : (low, high) of the intervals
    naive : estimates from the released answers as they stand, or None
    what : title of the axis
    nothing : the value that means no effect: 1 for odds ratios, whose axis is then logarithmic, else 0
    """
    whole, rows = [label(name) for name in names], np.arange(len(names))
    value, low, high = (np.asarray(each, dtype=np.float64) for each in (values, *ends))
    look = {"color": palette.estimate, "size": 11, "line": {"width": 2, "color": palette.estimate}}
    text = "%{text}<br>%{x:,.3~r} (%{customdata[0]:,.3~r} to %{customdata[1]:,.3~r})"
    traces = [
        scatter(
            value,
            rows - 0.12,
            name="corrected for the randomization",
            marker=look,
            error_x=whiskers(value, low, high, palette.estimate, 2),
            text=whole,
            customdata=np.stack([low, high], axis=1),
            hover=text,
        )
    ]
    if naive is not None:
        mark = {"color": palette.released, "symbol": "diamond", "size": 9}
        text, name = "%{text}<br>randomized answers: %{x:,.3~r}", "randomized answers taken as true"
        traces.append(scatter(list(naive), rows + 0.22, name=name, marker=mark, text=whole, hover=text))
    return framed(
        traces,
        palette,
        height=110 + 44 * max(len(names), 2),
        margin={"t": 60},
        shapes=[upright(nothing, palette.hatch, width=1.5)],
        xaxis=_amounts(what) | {"type": "log" if nothing == 1 else "linear", "tickformat": ",.3~r"},
        yaxis=_rows(names),
    )


def _rows(names: Sequence[str]) -> Spec:
    """An axis of names, the first on top. One that is too long loses its middle: its end tells the categories of one question apart."""
    shown = [name if len(name) <= _LETTERS else _without_middle(name) for name in names]
    return ticked(range(len(names)), [label(name) for name in shown], range=[len(names) - 0.4, -0.6])


def _without_middle(name: str) -> str:
    """Whole words of the beginning and of the end; of a word that alone is too long, a part."""
    end = max((_LETTERS - 1) // 2, min(len(name.rpartition(" ")[2]), _LAST))
    begin = _LETTERS - 1 - end
    head, tail = name[:begin], name[-end:]
    if not name[begin].isspace():
        head = head.rpartition(" ")[0] or head
    if not name[-end - 1].isspace():
        tail = tail.partition(" ")[2] or tail
    return f"{head.rstrip()} … {tail.lstrip()}"


def _amounts(what: str) -> Spec:
    lines = (shortened(line, _TITLE) for line in wrap(what, _TITLE, break_long_words=False))
    return {"title": "<br>".join(map(label, lines)), "nticks": 5, "tickangle": 0}
