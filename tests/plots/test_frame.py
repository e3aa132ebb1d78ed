"""Which attributes a figure draws when there are too many for it, and the sentence that says so."""

import numpy as np

from rrcore import plots
from rrcore.limits import MAX_DRAWN
from rrcore.plots.frame import drawn, drawn_note, framed, logarithmic

NAMES = [f"attribute {i}" for i in range(100)]


def test_all_are_drawn_where_they_fit():
    assert drawn(np.zeros(MAX_DRAWN)) == list(range(MAX_DRAWN))
    assert drawn_note(MAX_DRAWN, "attributes") == ""


def test_the_largest_scores_are_drawn_in_their_order_and_unknown_ones_come_last():
    scores = np.arange(100.0)
    scores[99] = np.nan
    assert drawn(scores) == list(range(59, 99))


def test_attributes_of_the_strongest_pairs_are_drawn():
    """Only the lower half of the matrix holds numbers."""
    v = np.full((100, 100), np.nan)
    v[np.tril_indices(100, -1)] = 0.01
    for i in range(20):
        v[99 - i, i] = 0.5
    assert drawn(v) == [*range(20), *range(80, 100)]
    figure = plots.dependence_map(v, NAMES, plots.LIGHT)
    assert figure.data[0].z.shape == (MAX_DRAWN - 1, MAX_DRAWN - 1)
    assert figure.layout.xaxis.ticktext[0] == "attribute 0"
    assert figure.layout.yaxis.ticktext[-1] == "attribute 99"


def test_every_axis_writes_large_numbers_with_separators():
    """Plotly would write 10k next to 1000."""
    alone = framed([], plots.LIGHT, height=300, xaxis={"title": "people"}, yaxis=logarithmic(1, 10))
    for axis in (alone.layout.xaxis, alone.layout.yaxis):
        assert (axis.separatethousands, axis.exponentformat) == (True, "none")
