"""Figures of asking directly: either way's interval beside the other, and what a split sample found."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.estimate import BreakEven, Denial
from rrcore.plots.frame import label, note, upright
from rrcore.plots.intervals import intervals_by_row
from rrcore.plots.marginal import span
from rrcore.plots.palette import Palette

WAYS = ("Asked directly", "Randomised")


def direct_ways_figure(found: BreakEven, denial: float, palette: Palette, *, of: str) -> go.Figure:
    """The expected 95 % interval of a share asked directly with a ``denial``, and randomised; the expected share is a line through both.

    Parameters
    ----------
    found : BreakEven
    denial : float, by how much too low the direct share comes out
    of : what it is the share of
    """
    shares, ends = zip(found.directly(denial), found.randomised(), strict=True)
    low, high = np.array(ends).T
    return _ways(np.array(shares), low, high, palette, of=of, truth=found.share)


def denial_figure(found: Denial, palette: Palette, *, of: str) -> go.Figure:
    """The share that either part of a split sample gave, each with its 95 % interval."""
    parts = (found.directly, found.randomised)
    ends = [[float(end[found.cell]) for end in one.interval(population=True)] for one in parts]
    low, high = np.array(ends).T
    return _ways(np.array([float(one.shares[found.cell]) for one in parts]), low, high, palette, of=of)


def _ways(
    shares: np.ndarray, low: Sequence[float], high: Sequence[float], palette: Palette, *, of: str, truth: float | None = None
) -> go.Figure:
    values, ends = 100 * shares, (100 * np.asarray(low), 100 * np.asarray(high))
    known = {}
    if truth is not None:
        text = note(100 * truth, 1, "expected share", xref="x", yref="y domain", xanchor="right", yanchor="bottom")
        known = {"shapes": [upright(100 * truth, palette.truth, "dot")], "annotations": [text]}
    along = {"title": f"% {label(of)}", "range": span(np.concatenate([*ends, values]))}
    return intervals_by_row(WAYS, values, ends, palette, along, row=40, name="share", form="%{x:.1f} %", **known)
