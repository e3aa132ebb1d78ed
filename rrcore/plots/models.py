"""Figures of a regression: what each predictor does, with intervals, and average predictions."""

from collections.abc import Sequence
from textwrap import wrap

import numpy as np
import plotly.graph_objects as go

from rrcore.plots.frame import Spec, framed, label, scatter, shortened, ticked, upright, whiskers
from rrcore.plots.palette import Palette

_LETTERS = 30  # of a label beside its row; the hover has all
_LAST = 20  # of a last word that stays whole
_TITLE = 26  # of a line below the axis: as many as a phone has room for beside the labels
_SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up", "x")


def model_coefficients_figure(
    names: Sequence[str],
    values: Sequence[float],
    ends: tuple[Sequence[float], Sequence[float]],
    naive: Sequence[float] | None,
    clear: Sequence[bool],
    palette: Palette,
    *,
    what: str,
    nothing: float,
) -> go.Figure:
    """One row for every coefficient: estimate with its interval, filled where it is more than noise, and the naive estimate below it.

    Parameters
    ----------
    names, values : of the rows, the first on top
    ends : (low, high) of the intervals
    naive : estimates from the released answers as they stand, or None
    clear : whether each interval leaves out ``nothing``
    what : title of the axis
    nothing : the value that means no effect: 1 for odds ratios, whose axis is then logarithmic, else 0
    """
    whole, rows = [label(name) for name in names], np.arange(len(names))
    value, low, high = (np.asarray(each, dtype=np.float64) for each in (values, *ends))
    look = {"color": palette.estimate, "size": 11, "line": {"width": 2, "color": palette.estimate}}
    text = "%{text}<br>%{x:,.3~r} (%{customdata[0]:,.3~r} to %{customdata[1]:,.3~r})"
    certain = np.asarray(clear, dtype=bool)
    kinds = (
        ("true answers, clear effect", "circle", rows[certain]),
        ("true answers, no clear effect", "circle-open", rows[~certain]),
    )
    traces = [
        scatter(
            value[own],
            own - 0.12,
            name=title,
            marker=look | {"symbol": symbol},
            error_x=whiskers(value[own], low[own], high[own], palette.estimate, 2),
            text=[whole[i] for i in own],
            customdata=np.stack([low, high], axis=1)[own],
            hover=text,
        )
        for title, symbol, own in kinds
        if len(own)
    ]
    if naive is not None:
        mark = {"color": palette.released, "symbol": "diamond", "size": 9}
        text, name = "%{text}<br>released answers: %{x:,.3~r}", "released answers taken as true"
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


def model_averages_figure(
    labels: Sequence[str],
    answers: Sequence[str],
    values: Sequence[Sequence[float]],
    ends: tuple[Sequence[Sequence[float]], Sequence[Sequence[float]]],
    palette: Palette,
    *,
    what: str,
    shares: bool,
) -> go.Figure:
    """Average predictions with their intervals, one row for every label and a mark for every answer.

    Parameters
    ----------
    labels : of the rows, the first on top
    answers : the categories that are drawn, or the name of an amount
    values, ends : by row and answer
    what : title of the axis
    shares : whether values are shares, drawn in percent
    """
    estimates, low, high = ((100 if shares else 1) * np.asarray(each, dtype=np.float64).T for each in (values, *ends))
    traces = []
    for c, answer in enumerate(answers):
        shift = 0.0 if len(answers) == 1 else (c / (len(answers) - 1) - 0.5) * 0.5
        opacity = 1 - 0.6 * c / len(answers)
        traces.append(
            scatter(
                estimates[c],
                [i + shift for i in range(len(labels))],
                name=label(answer),
                showlegend=len(answers) > 1,
                marker={"color": palette.estimate, "symbol": _SYMBOLS[c % len(_SYMBOLS)], "size": 10, "opacity": opacity},
                error_x={"array": high[c] - estimates[c], "arrayminus": estimates[c] - low[c], "thickness": 2},
                text=[label(name) for name in labels],
                hover=f"%{{text}}: %{{x:{'.1f} %' if shares else ',.4~r}'}<extra>{label(answer)}</extra>",
            )
        )
    return framed(
        traces,
        palette,
        height=100 + max(38, 16 * len(answers)) * max(len(labels), 2),
        xaxis=_amounts(f"{what}, %" if shares else what) | {"tickformat": ",~r"},
        yaxis=_rows(labels),
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
