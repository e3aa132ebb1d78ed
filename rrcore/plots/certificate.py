"""Figure of a mechanism file with the possible shifts of odds.

It covers a single answer, an answer if the others are known, and the whole record.
"""

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.plots.frame import Spec, drawn, framed, joined, label, note, scatter, shortened, ticked
from rrcore.plots.palette import Palette
from rrcore.wording import factor_text, tick_text

_LETTERS = 18  # longer names are cut, so that a phone has room for the figure
_TICKS = (1, 2, 5)
_MOST = 500.0  # nats that an axis of odds runs to


def certificate_figure(
    names: Sequence[str], epsilon: Sequence[float], epsilon_informed: Sequence[float], total: float, palette: Palette
) -> go.Figure:
    """Draw the epsilons of a mechanism file on a logarithmic axis of odds.

    Each attribute has a ring at its epsilon and a dot at its epsilon_informed. The last row is the whole record.

    If there are many attributes, the figure shows those with the largest epsilon_informed. Values without a bound are not drawn,
    and a text in their row says so.

    Parameters
    ----------
    names : names of the attributes
    levels, epsilon_informed : nats, one per attribute, infinite if there is no bound
    total : nats, of the whole record, infinite if there is no bound
    """
    shown = drawn(np.array(epsilon_informed))
    rows = list(range(len(shown)))[::-1]
    alone, full = ([(row, values[i]) for row, i in zip(rows, shown, strict=True)] for values in (epsilon, epsilon_informed))
    ring = {"color": palette.background, "line": {"color": palette.estimate, "width": 2}, "size": 13}
    traces, notes = [], []
    spent: list[tuple[str, list[tuple[int, float]], Spec]] = [
        ("answer seen alone", alone, ring),
        ("knows the other answers", full, {"color": palette.estimate, "size": 11}),
        ("whole record", [(-1, total)], {"color": palette.truth, "symbol": "diamond", "size": 13}),
    ]
    for kind, values, marker in spent:
        kept = [(row, value) for row, value in values if math.isfinite(value)]
        traces.append(
            scatter(
                [_odds(value) for _, value in kept],
                [row for row, _ in kept],
                marker=marker,
                name=kind,
                customdata=[factor_text(value) for row, value in kept],
                hover=f"{kind}: odds up to %{{customdata}}",
            )
        )
    for row, value in [*full, (-1, total)]:
        place = math.log10(_odds(value)) if math.isfinite(value) else 0.0
        notes.append(note(place, row, factor_text(value), xanchor="left", xshift=10))
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
