"""Figure of how shares changed between two waves."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from rrcore.estimate import Change
from rrcore.plots.marginal import cell_labels, largest_cells
from rrcore.plots.palette import Palette, dress, put


def change_figure(change: Change, palette: Palette) -> go.Figure:
    """The change of every share in points with its 95 % interval, the largest combinations where there are many; 0 is marked."""
    cells = largest_cells(change.second.shares)
    names = np.array(cell_labels(change.schema), dtype=object)[cells].tolist()
    low, high = (100 * end.ravel()[cells] for end in change.interval())
    value = 100 * change.difference.ravel()[cells]
    figure = go.Figure(
        go.Scatter(
            x=value,
            y=names,
            mode="markers",
            marker={"color": palette.estimate, "size": 10},
            error_x={"array": high - value, "arrayminus": value - low, "color": palette.text, "thickness": 1.2},
            hovertemplate="%{y}<br>%{x:+.2f} points<extra></extra>",
            name="change, with 95 % interval",
        )
    )
    dress(figure, palette, height=110 + 34 * len(names), showlegend=False)
    reach = 1.1 * float(np.abs(np.concatenate([low, high])).max())
    put(
        figure,
        xaxis={"title": "change in points", "range": [-reach, reach], "zeroline": True, "zerolinecolor": palette.text},
        yaxis={"autorange": "reversed", "showgrid": False, "type": "category"},
    )
    return figure
