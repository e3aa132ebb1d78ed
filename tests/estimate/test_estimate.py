"""Estimates of a marginal: do the intervals cover, what is refused, and how an estimate shows itself."""

import re
import sys

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import polars as pl
import pytest

import rrcore
from rrcore import plots
from rrcore.arrays import count_cells
from rrcore.budget import MECHANISMS, build
from rrcore.channel import SubsetChannel, lie_from_epsilon
from rrcore.errors import InputError, MissingExtraError, NotIdentifiableError
from rrcore.estimate import invert_counts
from rrcore.limits import MAX_MARGINAL
from rrcore.mechanisms import Kronecker, Optimal
from rrcore.plots import DARK, LIGHT
from rrcore.table import Attribute, Schema
from tests import oracles
from tests.estimate.coverage import held

SIZES, LEVELS = (3, 2, 2), (1.6, 1.5, 1.5)
SHARES = np.array([0.16, 0.12, 0.10, 0.09, 0.10, 0.08, 0.08, 0.07, 0.06, 0.05, 0.05, 0.04])
REPEATS = 1000


def assert_covers(covered):
    """``covered``: REPEATS x cells of a correct 95% interval.

    Over all cells 93..97%: the mean of 12 cells varies by at most 0.0069 (were they all the same), so 2 points are 2.9 standard
    deviations at the very worst, and above 6 as correlated as they are here (about 0.003). One cell in 91.5..98.5%: 5.1
    standard deviations, 4e-7 each. Seeds are fixed.
    """
    assert 0.93 <= covered.mean() <= 0.97
    assert covered.mean(axis=0).min() >= 0.915
    assert covered.mean(axis=0).max() <= 0.985


def covered_by(counts, channel, truth, *, population=False):
    """Whether the intervals hold ``truth``, REPEATS x cells; ``counts`` of shape (REPEATS, *sizes). A few also one by one, by their ends."""
    parts = [invert_counts(one, channel).functionals(population=population) for one in counts]
    covered = held(parts, np.tile(truth.ravel(), len(parts))).reshape(len(parts), -1)
    for run in range(20):
        low, high = invert_counts(counts[run], channel).interval(0.95, population=population)
        np.testing.assert_array_equal(covered[run].reshape(truth.shape), (low <= truth + 1e-9) & (truth - 1e-9 <= high))
    return covered


@pytest.mark.long
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("population", [False, True])
def test_intervals_cover(name, population):
    """Released counts are drawn from one multinomial per true cell, which is what n perturbed records amount to."""
    channel = build(name, SIZES, LEVELS).channel(range(3))
    matrix = oracles.dense(channel)
    n = 4000
    rng = np.random.default_rng(27)
    people = rng.multinomial(n, SHARES, size=REPEATS) if population else np.tile(np.round(SHARES * n).astype(int), (REPEATS, 1))
    counts = rng.multinomial(people, matrix).sum(axis=1)  # people of a true cell, one row of the matrix
    assert_covers(covered_by(counts.reshape(-1, *SIZES), channel, SHARES.reshape(SIZES), population=population))


@pytest.mark.long
def test_intervals_cover_after_real_perturbation():
    mechanism = build("preserving-2", SIZES, LEVELS)
    n = 1000
    people = np.repeat(np.arange(12), np.round(SHARES * n).astype(int))
    codes = np.column_stack(np.unravel_index(people, SIZES)).astype(np.int32)
    released = mechanism.sample(np.tile(codes, (REPEATS, 1)), rng=np.random.default_rng(28))
    cells = np.ravel_multi_index((np.repeat(np.arange(REPEATS), n), released[:, 2], released[:, 0]), (REPEATS, 2, 3))
    counts = np.bincount(cells, minlength=REPEATS * 6).reshape(REPEATS, 2, 3)
    truth = count_cells(codes[:, [2, 0]], (2, 3)) / n
    assert_covers(covered_by(counts, mechanism.channel((2, 0)), truth))


def test_estimate_is_the_dense_one_and_carries_what_it_used():
    mechanism = build("optimal", SIZES, LEVELS)
    channel = mechanism.channel(range(3))
    counts = np.round(4000 * channel.push(SHARES.reshape(SIZES))).astype(np.int64)
    estimate = invert_counts(counts, channel)
    matrix = oracles.dense(channel)
    assert estimate.n == counts.sum()
    assert estimate.channel is channel
    np.testing.assert_array_equal(estimate.released, counts / counts.sum())
    np.testing.assert_allclose(estimate.shares, oracles.dense_estimate(estimate.released, matrix), rtol=0, atol=1e-10)
    assert estimate.shares.sum() == pytest.approx(1, abs=1e-12)
    plugged = estimate.released.ravel() @ np.linalg.inv(matrix) ** 2
    expected = np.sqrt((plugged - estimate.shares.ravel()) / estimate.n).reshape(SIZES)
    np.testing.assert_allclose(estimate.std_error(), expected, rtol=1e-3)
    assert (estimate.std_error(population=True) >= estimate.std_error())[estimate.shares > 0].all()


def test_simultaneous_intervals_are_those_of_sidak():
    estimate = invert_counts(np.array([[60, 30], [40, 50], [20, 100]]), build("independent", (3, 2), (2.0, 2.0)).channel((0, 1)))
    for population in (False, True):
        found = estimate.interval(0.9, population=population, simultaneous=True)
        np.testing.assert_array_equal(found, estimate.interval(0.9 ** (1 / 6), population=population))


def test_erased_interactions_are_refused_by_name():
    channel = Optimal.from_epsilon((2, 2, 2), [0.5] * 3).channel((0, 1, 2))
    counts = np.full((2, 2, 2), 10)
    schema = Schema(tuple(Attribute(name, ("a", "b")) for name in ("age", "sex", "drug")))
    expected = (
        "association of 'age' and 'sex'; the association of 'age' and 'drug'; the association of 'sex' and 'drug'"
        ".* preserves 2 attributes"
    )
    with pytest.raises(NotIdentifiableError, match=expected) as caught:
        invert_counts(counts, channel, schema=schema)
    assert caught.value.lost[:3] == ((0, 1), (0, 2), (1, 2))
    pair = Optimal.from_epsilon((2, 2, 2), [0.5] * 3).channel((2, 0))
    with pytest.raises(NotIdentifiableError, match="association of 'attribute 1' and 'attribute 2'") as caught:
        invert_counts(np.full((2, 2), 10), pair)
    assert caught.value.lost == ((0, 1),)


def test_single_attributes_of_that_mechanism_stay_estimable():
    channel = Optimal.from_epsilon((2, 2, 2), [0.5] * 3).channel((1,))
    estimate = invert_counts(np.array([600, 400]), channel)
    expected = oracles.dense_estimate(np.array([0.6, 0.4]), oracles.kronecker_matrix((2,), (0.5,)))
    np.testing.assert_allclose(estimate.shares, expected, rtol=0, atol=1e-9)


def test_no_records():
    channel = build("independent", (3,), (1.0,)).channel((0,))
    with pytest.raises(InputError, match="no randomized answers"):
        invert_counts(np.zeros(3, dtype=np.int64), channel)


def test_limit_on_attributes_on_both_sides():
    mechanism = Kronecker.from_epsilon((2,) * (MAX_MARGINAL + 1), [2.0] * (MAX_MARGINAL + 1))
    most = mechanism.channel(range(MAX_MARGINAL))
    estimate = invert_counts(np.ones((2,) * MAX_MARGINAL, dtype=np.int64), most)
    np.testing.assert_allclose(estimate.shares, 2.0**-MAX_MARGINAL, rtol=0, atol=1e-12)
    too_many = mechanism.channel(range(MAX_MARGINAL + 1))
    with pytest.raises(InputError, match=r"9 attributes. Use at most 8"):
        invert_counts(np.ones((2,) * (MAX_MARGINAL + 1), dtype=np.int64), too_many)


def test_one_respondent_is_enough_to_compute():
    channel = build("independent", (3,), (1.0,)).channel((0,))
    estimate = invert_counts(np.array([0, 1, 0]), channel)
    assert estimate.shares.sum() == pytest.approx(1)
    assert np.isfinite(estimate.std_error()).all()


SCHEMA = Schema((Attribute("estimate", ("<no>", "yes")), Attribute("age", ("young", "middle", "old"), "ordinal")))
COUNTS = np.array([[300, 200, 100], [150, 50, 200]])
TRUTH = np.full((2, 3), 1 / 6)


def made(counts=COUNTS, schema=SCHEMA):
    channel = SubsetChannel.product(counts.shape, lie_from_epsilon([2.0] * counts.ndim, counts.shape))
    return invert_counts(counts, channel, schema=schema)


def test_tables_have_one_row_per_cell_with_names_and_intervals():
    estimate = made()
    frame = estimate.to_pandas(truth=TRUTH, population=True)
    assert list(frame) == ["estimate (answer)", "age", "truth", "randomized", "estimate", "std_error", "conf_low", "conf_high"]
    assert frame.iloc[4, :2].tolist() == ["yes", "middle"]
    np.testing.assert_array_equal(frame["estimate"], estimate.shares.ravel())
    low, high = estimate.interval(0.95, population=True)
    np.testing.assert_array_equal(frame[["conf_low", "conf_high"]], np.stack([low.ravel(), high.ravel()], axis=1))
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
        "30.0%",
        f"{100 * estimate.shares[0, 0]:.1f}%",
        f"{low:.1f}% to {high:.1f}%",
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
    drawn = {trace.name: sorted(trace.x) for trace in figure.data}
    np.testing.assert_allclose(drawn["truth"], 100 * np.sort(TRUTH, axis=None))
    np.testing.assert_allclose(drawn["estimate with 95% CI"], 100 * np.sort(made().shares, axis=None))


@pytest.mark.parametrize(("library", "use"), [("plotly", "plot"), ("pandas", "to_pandas")])
def test_without_a_library_one_sentence_says_what_to_install(monkeypatch, library, use):
    monkeypatch.setattr(rrcore, "plots", plots)  # which stays the one that is found afterwards
    for name in [name for name in sys.modules if name.split(".")[0] == library or name.startswith("rrcore.plots")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"needs {library}. Install rr-workbench\[app\]\.$".replace("plotly", "Plotly")):
        getattr(made(), use)()
