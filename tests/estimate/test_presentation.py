"""How an estimate shows itself: tables with names, a small table in a notebook, a figure."""

import re
import sys

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import polars as pl
import pytest

from rrcore.channel import LieSets, lie_probability
from rrcore.errors import MissingExtraError
from rrcore.estimate import estimate_marginal
from rrcore.plots import DARK, LIGHT
from rrcore.table import Attribute, Schema

SCHEMA = Schema((Attribute("estimate", ("<no>", "yes")), Attribute("age", ("young", "middle", "old"), "ordinal")))
COUNTS = np.array([[300, 200, 100], [150, 50, 200]])
TRUTH = np.full((2, 3), 1 / 6)


def made(counts=COUNTS, schema=SCHEMA):
    channel = LieSets.product(counts.shape, lie_probability([2.0] * counts.ndim, counts.shape))
    return estimate_marginal(counts, channel, schema=schema)


def test_tables_have_one_row_per_cell_with_names_and_intervals():
    estimate = made()
    frame = estimate.to_pandas(truth=TRUTH, population=True)
    assert list(frame) == ["estimate (answer)", "age", "truth", "released", "estimate", "standard error", "low", "high"]
    assert frame.iloc[4, :2].tolist() == ["yes", "middle"]
    np.testing.assert_array_equal(frame["estimate"], estimate.shares.ravel())
    low, high = estimate.interval(0.95, population=True)
    np.testing.assert_array_equal(frame[["low", "high"]], np.stack([low.ravel(), high.ravel()], axis=1))
    pd.testing.assert_frame_equal(estimate.to_arrow().to_pandas(), estimate.to_pandas())
    assert pl.DataFrame(estimate).rows() == [tuple(row.values()) for row in estimate.to_arrow().to_pylist()]


def test_without_a_schema_attributes_and_categories_are_numbered():
    frame = made(schema=None).to_pandas()
    assert frame[["attribute 1", "attribute 2"]].to_numpy().tolist() == [[a, b] for a in "12" for b in "123"]


def test_a_notebook_shows_shares_in_percent_with_names_escaped():
    estimate = made()
    shown = estimate._repr_html_()
    assert "1,000 people, 6 cells" in shown
    assert "&lt;no&gt;" in shown
    assert "<no>" not in shown
    rows = re.findall(r"<tr>(.*?)</tr>", shown)[1:]
    low, high = (edge.ravel()[0] * 100 for edge in estimate.interval())
    cells = re.findall(r"<td[^>]*>(.*?)</td>", rows[0])
    assert cells == [
        "&lt;no&gt;",
        "young",
        "30.0 %",
        f"{estimate.shares[0, 0]:.1%}".replace("%", " %"),
        f"{low:.1f} % to {high:.1f} %",
    ]
    assert len(rows) == 6
    assert "more" not in shown


def test_of_many_cells_the_largest_are_shown():
    estimate = made(np.arange(1, 41).reshape(8, 5) * 10, None)
    shown = estimate._repr_html_()
    assert "... and 16 more" in shown
    assert [index for index, _ in estimate.cells(3)] == [(7, 4), (7, 3), (7, 2)]
    assert len(estimate.cells(40)) == 40


@pytest.mark.parametrize("dark", [False, True])
def test_the_figure_stands_on_ground_of_its_own(dark):
    figure = made().plot(truth=TRUTH, dark=dark)
    assert isinstance(figure, go.Figure)
    assert figure.layout.paper_bgcolor == (DARK if dark else LIGHT).background
    np.testing.assert_allclose(figure.data[-1].y, 100 * made().shares.ravel())


@pytest.mark.parametrize(("library", "use", "extra"), [("plotly", "plot", "plots"), ("pandas", "to_pandas", "notebooks")])
def test_without_a_library_one_sentence_says_what_to_install(monkeypatch, library, use, extra):
    for name in [name for name in sys.modules if name.split(".")[0] == library or name.startswith("rrcore.plots")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        MissingExtraError, match=rf"needs {library}: install rr-workbench\[{extra}\]\.$".replace("plotly", "Plotly")
    ):
        getattr(made(), use)()
