"""Which attributes a figure draws when there are too many for it, and the sentence that says so."""

import numpy as np
import pytest
from plotly.subplots import make_subplots

from rrcore import plots
from rrcore.dependence import DependenceEstimate
from rrcore.limits import MAX_DRAWN, MAX_MARKS
from rrcore.mechanisms import build, expected_pair_errors
from rrcore.plots.frame import drawn, drawn_note, dress, framed, logarithmic

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
    """Plotly would write 10k beside 1000."""
    subplots = dress(make_subplots(1, 2), plots.LIGHT, height=300)
    alone = framed([], plots.LIGHT, height=300, xaxis={"title": "people"}, yaxis=logarithmic(plots.LIGHT))
    for layout in (subplots.layout, alone.layout):
        for axis in ("xaxis", "yaxis"):
            assert (layout[axis].separatethousands, layout[axis].exponentformat) == (True, "none")


@pytest.mark.slow
def test_figures_of_a_plan_of_a_hundred_attributes():
    levels = np.linspace(0.5, 1.0, 100)
    mechanism = build("kronecker", (2,) * 100, levels)
    dumbbells = plots.certificate_figure(NAMES, levels.tolist(), mechanism.leakage.tolist(), mechanism.total_level, plots.LIGHT)
    assert list(dumbbells.layout.yaxis.ticktext) == [*NAMES[60:], "whole record"]
    errors = expected_pair_errors(mechanism, 1000, population=False)
    errors[3, 1] = errors[1, 3] = np.nan  # erased, which matters most
    shown = plots.budget_pair_errors_figure(NAMES, errors, plots.LIGHT).layout.xaxis.ticktext
    assert {"attribute 1", "attribute 3", "attribute 0"} <= set(shown)
    assert len(shown) == MAX_DRAWN


def test_of_very_many_pairs_the_most_dependent_ones_are_marks():
    rng = np.random.default_rng(0)
    truth = np.triu(rng.random((100, 100)), 1)
    truth += truth.T
    route = DependenceEstimate("as it is", truth, None, None, 1.0, 1.0, 100, "")
    marks = plots.dependence_agreement_figure(truth, [route], NAMES, plots.LIGHT).data[1]
    assert len(marks.x) == MAX_MARKS
    assert min(marks.x) == np.sort(truth[np.triu_indices(100, 1)])[-MAX_MARKS]
