"""Figure of the dependence of every pair of attributes."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from rrcore.arrays import Booleans, Floats
from rrcore.plots.cells import hatching, heat, written
from rrcore.plots.frame import drawn, framed, label, ticked
from rrcore.plots.palette import Palette

_STRONG = 0.6  # least end of the scale: weak dependence looks weak in every figure
_NUMBERED = 12  # most attributes of a map with numbers in it


def dependence_map(v: Floats, names: Sequence[str], palette: Palette, *, chance: Booleans | None = None) -> go.Figure:
    """Draw the dependence of every pair as a heat map.

    Cells contain numbers if there is enough room. The color scale covers all values.

    A pair is hatched if its dependence is not identifiable, and hatched more widely if its dependence is not significant. If there
    are more than ``MAX_DRAWN`` attributes, the figure shows those of the most dependent pairs.

    Parameters
    ----------
    v : ndarray of shape (k, k), of which the part below the diagonal is drawn. NaN on the diagonal and for unknown values
    chance : ndarray of shape (k, k), bool, True for pairs whose dependence is not significant. By default, no pair
    """
    chosen = drawn(v)
    both, k = np.ix_(chosen, chosen), len(chosen)
    labels, values = [label(names[i]) for i in chosen], v[both]
    weak = np.zeros((k, k), dtype=bool) if chance is None else np.asarray(chance)[both] & ~np.isnan(values)
    rows, columns = list(range(1, k)), list(range(k - 1))
    shown = np.where(np.tri(k, k, -1, dtype=bool) & ~weak, values, np.nan)[1:, :-1]
    texts = [[f"{labels[row]} with {labels[column]}" for column in columns] for row in rows]
    ends, hover = (0, max([_STRONG, *values[np.isfinite(values)]])), "%{customdata}: %{z:.3f}<extra></extra>"
    cells = heat(shown, columns, rows, palette.sequential, ends, "Cramér's V", customdata=texts, hovertemplate=hover)
    numbers = written(cells, [[f"{value:.2f}" for value in row] for row in shown], palette) if k <= _NUMBERED else []
    below = [(j, i) for i in rows for j in columns if j < i]
    lost, hatched = hatching([(j, i) for j, i in below if np.isnan(values[i, j])], palette)
    faint, wide = hatching([(j, i) for j, i in below if weak[i, j]], palette, name="no stronger than chance", dense=False)
    return framed(
        [cells, *numbers, *hatched, *wide],
        palette,
        shapes=[*lost, *faint],
        xaxis=ticked(columns, labels[:-1]),
        yaxis=ticked(rows, labels[1:], autorange="reversed"),
        height=150 + 36 * k,
        showlegend=k > 2,
        legend={"x": 1, "xanchor": "right", "y": 1, "yanchor": "top", "font": {"size": 12}},  # where no cells are
    )
