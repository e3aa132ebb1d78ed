"""Figure of a mechanism file: how far odds can shift by one answer, by it where the others are known, and by the whole record."""

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.plots.frame import Spec, drawn, framed, joined, label, note, scatter, shortened, ticked
from rrcore.plots.palette import Palette
from rrcore.wording import Kind, Quantity, tick_text

_LETTERS = 18  # longer names are cut, so that a phone has room for the figure
_TICKS = (1, 2, 5)
_MOST = 500.0  # nats that an axis of odds runs to


def certificate_figure(
    names: Sequence[str], levels: Sequence[float], leakage: Sequence[float], total: float, palette: Palette
) -> go.Figure:
    """One row per attribute, a ring at its level and a dot at its leakage, and one for the whole record; odds on a log axis.

    Of many attributes those with the largest leakage. What has no bound is not drawn: its row says so.

    Parameters
    ----------
    names : of the attributes
    levels, leakage : nats, one per attribute; infinity for no bound
    total : nats, of the whole record; infinity for no bound
    """
    shown = drawn(np.array(leakage))
    rows = list(range(len(shown)))[::-1]
    alone, full = ([(row, values[i]) for row, i in zip(rows, shown, strict=True)] for values in (levels, leakage))
    ring = {"color": palette.background, "line": {"color": palette.estimate, "width": 2}, "size": 13}
    traces, notes = [], []
    spent: list[tuple[Kind, list[tuple[int, float]], Spec]] = [
        ("one answer", alone, ring),
        ("others known", full, {"color": palette.estimate, "size": 11}),
        ("whole record", [(-1, total)], {"color": palette.truth, "symbol": "diamond", "size": 13}),
    ]
    about = dict(zip(rows, (names[i] for i in shown), strict=True)) | {-1: ""}
    for kind, values, marker in spent:
        kept = [(row, value) for row, value in values if math.isfinite(value)]
        traces.append(
            scatter(
                [_odds(value) for _, value in kept],
                [row for row, _ in kept],
                marker=marker,
                name=kind,
                customdata=[Quantity(kind, about[row]).odds(value) for row, value in kept],
                hover=f"{kind}: odds up to %{{customdata}}",
            )
        )
    for row, value in [*full, (-1, total)]:
        text = Quantity("whole record" if row < 0 else "others known", about[row]).odds(value)
        notes.append(note(math.log10(_odds(value)) if math.isfinite(value) else 0.0, row, text, xanchor="left", xshift=10))
    longest = math.log10(max([_odds(value) for _, value in [*full, (-1, total)] if math.isfinite(value)] + [math.e]))
    lines = [(row, low, high) for (row, low), (_, high) in zip(alone, full, strict=True) if math.isfinite(high)]
    return framed(
        traces,
        palette,
        height=140 + 34 * len(rows),
        shapes=[joined(_odds(low), _odds(high), row, palette.released) for row, low, high in lines],
        annotations=notes,
        xaxis={
            "type": "log",
            "title": "odds shift at most this many times",
            "range": [-0.04 * longest, 1.3 * longest],
            "tickvals": _ticks(longest),
            "ticktext": [tick_text(tick) for tick in _ticks(longest)],
        },
        yaxis=ticked(
            [*rows, -1],
            [*(label(shortened(names[i], _LETTERS)) for i in shown), "whole record"],
            range=[-1.6, len(rows) - 0.4],
        ),
    )


def _odds(value: float) -> float:
    """Odds, as far as a number holds them."""
    return math.exp(min(value, _MOST))


def _ticks(longest: float) -> list[float]:
    """1, 2, 5, 10, ... up to ten to the power of ``longest``; of very long axes powers of ten only, some of them."""
    if longest <= 2:
        return [step * 10.0**power for power in range(3) for step in _TICKS]
    step = math.ceil(longest / 6)
    return [10.0**power for power in range(0, math.ceil(1.3 * longest) + 1, step)]
