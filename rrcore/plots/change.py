"""Figure of how shares changed between two waves."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from rrcore.estimate import Change
from rrcore.plots.marginal import cell_labels, intervals_by_row, largest_cells
from rrcore.plots.palette import Palette


def change_figure(change: Change, palette: Palette) -> go.Figure:
    """The change of every share in points with its 95 % interval, the largest combinations where there are many; 0 is marked."""
    cells = largest_cells(change.second.shares)
    names = np.array(cell_labels(change.schema), dtype=object)[cells].tolist()
    low, high = (100 * end.ravel()[cells] for end in change.interval())
    value = 100 * change.difference.ravel()[cells]
    reach = 1.1 * float(np.abs(np.concatenate([low, high])).max())
    along = {"title": "change in points", "range": [-reach, reach]}
    return intervals_by_row(names, value, (low, high), palette, along, row=34, name="change", form="%{x:+.2f} points")
