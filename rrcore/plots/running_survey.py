"""Figures of a running survey: a share with its intervals and answers by day."""

import datetime as dt
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Floats, Integers
from rrcore.plots.frame import Spec, band, bar, framed, label, scatter, shortened, whiskers
from rrcore.plots.intervals import span
from rrcore.plots.palette import Palette

_LETTERS = 32  # longer names are cut along an axis
_FEW_DAYS = 8  # up to this number, each day has its label
_BAR = 0.75 * 86_400_000  # milliseconds; by default the bar of a single day has no width


def field_shares_figure(
    days: Sequence[dt.date],
    n: Integers,
    share: Floats,
    interval: tuple[Floats, Floats],
    palette: Palette,
    *,
    name: str,
) -> go.Figure:
    """Draw one share over the days with the band of its confidence sequence.

    The band is truncated at 0% and 100%.

    Parameters
    ----------
    days : every day, in order
    n : ndarray of shape (days,), cumulative number of answers
    share : ndarray of that shape, estimates from all answers up to each day
    interval : (low, high) of that shape
    name : name of the category
    """
    share, low, high = (100 * np.clip(each, 0.0, 1.0) for each in (share, *interval))
    # a band of no width is not seen
    alone = {"error_y": whiskers(share, low, high, palette.estimate, 2)} if len(days) == 1 else {}
    line = scatter(
        days,
        share,
        line={"color": palette.estimate, "width": 2.5},
        marker={"color": palette.estimate, "size": 6},
        name="estimate from all answers so far",
        customdata=np.column_stack([low, high, n]),
        hover="%{x|%-d %B}, %{customdata[2]:,} answers<br>%{y:.1f}% (%{customdata[0]:.1f} to %{customdata[1]:.1f})",
        **alone,
    )
    return framed(
        [*band(days, low, high, palette.estimate, "95% interval, valid at every look"), line],
        palette,
        height=400,
        xaxis=_dates(days),
        yaxis={"title": f"{label(shortened(name, _LETTERS))}, % of people", "range": span(np.concatenate([low, high]))},
    )


def field_arrivals_figure(
    days: Sequence[dt.date], arrived: Mapping[dt.date, int], opened: Mapping[dt.date, int], palette: Palette
) -> go.Figure:
    """Draw the answers of each day as bars, in front of the forms opened."""
    traces = [
        bar(
            days,
            [of.get(day, 0) for day in days],
            color,
            width=_BAR,
            name=name,
            lying=False,
            hover=f"%{{x|%-d %B}}: %{{y:,}} {name}",
        )
        for name, of, color in (("forms opened", opened, palette.released), ("answers", arrived, palette.estimate))
    ]
    counts = {"title": "Number per day", "rangemode": "tozero"}
    return framed(traces, palette, height=320, barmode="overlay", xaxis=_dates(days), yaxis=counts)


def _dates(days: Sequence[dt.date]) -> Spec:
    """An axis of days: each with its label if they are few, whole days in any case."""
    own = {"tickvals": list(days)} if len(days) <= _FEW_DAYS else {}
    half = dt.timedelta(hours=12)
    start, end = (dt.datetime.combine(day, dt.time()) for day in (days[0], days[-1]))
    return {"type": "date", "range": [start - half, end + half], "nticks": 8, "tickformat": "%-d %b", "showgrid": False, **own}
