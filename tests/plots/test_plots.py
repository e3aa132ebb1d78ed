"""Figures show what they are given: the right numbers in the right place, in the agreed colours, in light and dark."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest
from plotly.io import to_json

from rrcore import plots
from rrcore.budget import Plan, compare
from rrcore.mechanisms import expected_pair_errors
from rrcore.table.schema import Attribute, Schema

SCHEMA = Schema((Attribute("a", ("x", "y")), Attribute("b", ("p", "q", "r")), Attribute("c", ("u", "v"))))
PAIR = SCHEMA.select(["a", "b"])
TRUTH = np.array([[0.1, 0.2, 0.3], [0.25, 0.1, 0.05]])
RELEASED = np.full((2, 3), 1 / 6)
SHARES = TRUTH + np.array([[0.01, -0.02, 0.0], [0.02, -0.12, 0.11]])
INTERVAL = (SHARES - 0.04, SHARES + 0.04)
PALETTES = pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])


def bars(schema=PAIR, truth=TRUTH, palette=plots.LIGHT):
    released, shares = np.full_like(truth, 1 / truth.size), truth + 0.01
    return plots.marginal_bars(schema, truth, released, shares, (shares - 0.02, shares + 0.03), palette)


@PALETTES
def test_bars_show_percent_with_intervals(palette):
    figure = plots.marginal_bars(PAIR, TRUTH, RELEASED, SHARES, INTERVAL, palette)
    truth, released, estimate = figure.data
    assert [trace.name for trace in figure.data] == ["truth", "released", "estimate, with 95 % interval"]
    assert list(truth.x) == ["x · p", "x · q", "x · r", "y · p", "y · q", "y · r"]
    np.testing.assert_allclose(truth.y, 100 * TRUTH.ravel())
    np.testing.assert_allclose(released.y, 100 * RELEASED.ravel())
    np.testing.assert_allclose(estimate.y, 100 * SHARES.ravel())  # raw: also what lies outside 0 to 100 %
    np.testing.assert_allclose(estimate.error_y.array, 4)
    assert (truth.marker.color, estimate.marker.color) == (palette.truth, palette.estimate)
    assert figure.layout.yaxis.title.text == "% of people"


def test_of_many_cells_the_largest_are_drawn_and_this_is_said():
    wide = Schema((Attribute("w", tuple(map(str, range(50)))),))
    truth = np.arange(50.0) / np.arange(50).sum()
    figure = bars(wide, truth)
    drawn = list(figure.data[0].x)
    assert drawn == [str(i) for i in range(49, 49 - plots.MAX_BARS, -1)]
    assert "50 combinations" in plots.marginal_note(50, ["w"])
    assert plots.marginal_note(plots.MAX_BARS, ["w"]) == ""


def test_long_labels_lie_down():
    schema = Schema((Attribute("long", tuple(f"a category with a long name {i}" for i in range(6))),))
    figure = bars(schema, np.full(6, 1 / 6))
    assert figure.data[0].orientation == "h"
    np.testing.assert_allclose(figure.data[0].x, 100 / 6)
    assert figure.data[2].error_x.array is not None
    assert figure.layout.yaxis.autorange == "reversed"
    assert bars().data[0].orientation == "v"


@pytest.mark.parametrize("answers", [("01-06", "07-09", "10-12"), ("2020-01", "2020-02", "2021-01"), ("1", "2", "10")])
def test_answers_that_look_like_dates_or_numbers_are_names(answers):
    schema, shares = Schema((Attribute("grade", answers),)), np.full(3, 1 / 3)
    interval = (shares - 0.1, shares + 0.1)
    drawn = [
        plots.marginal_bars(schema, None, None, shares, interval, plots.LIGHT),
        plots.marginal_repeats_figure(schema, shares, shares[None], plots.LIGHT),
        plots.group_intervals_figure(answers, shares, interval, plots.LIGHT, of="yes"),
    ]
    for figure in drawn:
        axis = "yaxis" if list(figure.data[0].y[:3]) == list(answers) else "xaxis"
        assert list(figure.data[0][axis[0]][:3]) == list(answers)
        assert figure.layout[axis].type == "category"


@pytest.mark.parametrize("names", [["a"], ["a", "b"], ["c", "a", "b"]])
def test_heat_maps_share_one_scale_and_the_difference_is_centred(names):
    schema = SCHEMA.select(names)
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.ones(int(np.prod(schema.sizes)))).reshape(schema.sizes)
    released, shares = truth[::-1], truth + rng.normal(0, 0.1, schema.sizes)
    figure = plots.marginal_heatmaps(schema, truth, released, shares, plots.LIGHT)
    drawn = [trace for trace in figure.data if trace.type == "heatmap"]
    maps = [np.asarray(trace.z, dtype=float) for trace in drawn]
    assert [trace.coloraxis for trace in drawn] == ["coloraxis"] * 3 + ["coloraxis2"]
    np.testing.assert_allclose(maps[0].ravel(), 100 * truth.ravel())
    np.testing.assert_allclose(maps[2].ravel(), 100 * shares.ravel())
    np.testing.assert_allclose(maps[3], maps[2] - maps[0])
    common, centred = figure.layout.coloraxis, figure.layout.coloraxis2
    assert common.cmin == min(m.min() for m in maps[:3])
    assert common.cmax == max(m.max() for m in maps[:3])
    assert centred.cmin == -centred.cmax == -np.abs(maps[3]).max()
    labels = np.asarray(figure.data[0].customdata)
    assert labels.ravel().tolist() == plots.marginal_cell_labels(schema)


@pytest.mark.parametrize("sizes", [(50,), (3, 14), (9, 16, 2), (40, 2)])
def test_the_map_beside_the_bars_has_every_cell_and_runs_down_the_page(sizes):
    schema = Schema(tuple(Attribute(f"q{i}", tuple(f"{i}.{c}" for c in range(size))) for i, size in enumerate(sizes)))
    shares = np.random.default_rng(0).dirichlet(np.ones(int(np.prod(sizes)))).reshape(sizes)
    figure = plots.marginal_map(schema, shares, plots.LIGHT, name="blend", height=900)
    shown = np.asarray(figure.data[0].z, dtype=float)
    assert shown.shape[0] >= shown.shape[1]
    told = dict(zip(np.ravel(figure.data[0].customdata), shown.ravel(), strict=True))
    assert told == pytest.approx(dict(zip(plots.marginal_cell_labels(schema), 100 * shares.ravel(), strict=True)))
    assert figure.layout.height <= 900
    assert figure.data[0].colorbar.title.text == "blend, % of people"


def test_totals_carry_their_saving_and_the_lower_bound():
    plan = Plan(SCHEMA, (1.0, 1.0, 1.0), 100)
    options = compare(plan)
    optimum = {option.key: option for option in options}["optimal"].mechanism
    figure = plots.budget_totals_figure(options, plots.LIGHT, lower_bound=optimum.lower_bound)
    shown = {trace.y[0]: trace for trace in figure.data}
    assert shown["Kronecker"].x[0] == pytest.approx(3)
    assert shown["Optimum"].x[0] == pytest.approx(optimum.total_level)
    assert "% less" in shown["Optimum"].text[0]
    assert "below the levels asked" in shown["RR-Joint"].text[0]
    assert shown["Kronecker"].text[0].endswith("<br>others known × 2.72")
    assert "<br>others known × " in shown["Optimum"].text[0]
    assert shown["RR-Joint"].marker.pattern.shape == "/"
    assert shown["Optimum"].marker.color == plots.mechanism_colour("optimal")
    assert figure.layout.shapes[0].x0 == optimum.lower_bound


def test_a_mechanism_that_exceeds_levels_is_crossed_out():
    """16, 9 and 7 categories at level 2: Algorithm 3 gives the third attribute another level."""
    sizes = (16, 9, 7)
    schema = Schema(tuple(Attribute(f"q{i}", tuple(map(str, range(size)))) for i, size in enumerate(sizes)))
    options = {option.key: option for option in compare(Plan(schema, (2.0, 2.0, 2.0), 100))}
    figure = plots.budget_totals_figure(list(options.values()), plots.LIGHT)
    shown = {trace.y[0]: trace for trace in figure.data}
    assert options["published"].violations
    assert shown["Published heuristic"].marker.pattern.shape == "x"
    assert "exceeds the levels asked" in shown["Published heuristic"].text[0]
    assert shown["Optimum"].marker.pattern.shape == ""


def test_erased_pairs_are_hatched_and_have_no_colour():
    binary = Schema(tuple(Attribute(name, ("0", "1")) for name in "xyz"))
    mechanism = Plan(binary, (0.5, 0.5, 0.5), 1000, "optimal").build()
    errors = expected_pair_errors(mechanism, 1000)
    figure = plots.budget_pair_errors_figure(binary.names, errors, plots.LIGHT)
    shown = np.asarray(figure.data[0].z, dtype=float)
    np.testing.assert_allclose(np.diag(shown), 100 * np.diag(errors))
    assert np.isnan(shown[np.tril_indices(3, -1)]).all()
    assert len(figure.layout.shapes) == 3
    assert figure.data[-1].name == "not identifiable"


def test_errors_of_pairs_are_written_with_two_digits_each():
    figure = plots.budget_pair_errors_figure(("a", "b"), np.array([[0.007, np.nan], [0.0231, 0.00751]]), plots.LIGHT)
    written = {str(text) for trace in figure.data for text in np.ravel(trace.text if trace.text is not None else [])}
    assert {"0.70", "2.3", "0.75"} <= written


def test_repeats_show_every_release_and_the_truth():
    draws = np.stack([SHARES, TRUTH, SHARES])
    figure = plots.marginal_repeats_figure(PAIR, TRUTH, draws, plots.LIGHT)
    np.testing.assert_allclose(figure.data[0].y, 100 * draws.ravel())
    np.testing.assert_allclose(figure.data[1].y, 100 * TRUTH.ravel())
    assert figure.data[0].name == "3 estimates"


def test_names_are_shown_as_text_and_never_as_markup():
    schema = Schema((Attribute("<i>q</i>", ("<b>yes</b>", "yes & no")), Attribute("b", ("<=50K", ">50K"))))
    truth = np.full((2, 2), 0.25)
    figure = plots.marginal_bars(schema, truth, truth, truth, (truth, truth), plots.LIGHT)
    assert figure.data[0].x[0] == "&lt;b&gt;yes&lt;/b&gt; · &lt;=50K"
    maps = plots.marginal_heatmaps(schema, truth, truth, truth, plots.LIGHT)
    assert maps.layout.yaxis.ticktext == ("&lt;b&gt;yes&lt;/b&gt;", "yes &amp; no")


def test_no_axis_of_shares_runs_beyond_what_shares_can_be():
    schema = Schema((Attribute("a", ("x", "y")),))
    truth, low, high = np.array([0.3, 0.7]), np.array([-2.0, -1.5]), np.array([2.5, 2.5])
    figure = plots.marginal_bars(schema, truth, truth, truth, (low, high), plots.LIGHT)
    assert figure.layout.yaxis.range == (-25.0, 105.0)
    calm = plots.marginal_bars(schema, truth, truth, truth, (truth, truth), plots.LIGHT)
    assert calm.layout.yaxis.range == (0.0, pytest.approx(72.8))


def test_long_labels_of_cells_that_lie_down_stand_in_two_lines():
    schema = Schema((Attribute("a", tuple(f"a rather long answer {i}" for i in range(5))), Attribute("b", ("x", "y"))))
    truth = np.full(schema.sizes, 0.1)
    figure = plots.marginal_bars(schema, truth, truth, truth, (truth, truth), plots.LIGHT)
    assert figure.data[0].y[0] == "a rather long answer 0<br>x"


@pytest.mark.slow
def test_what_is_drawn_without_plotlys_check_passes_it_and_means_the_same():
    """``framed`` has plotly look nothing up, so that all these figures say is looked up here."""
    options = compare(Plan.for_levels(SCHEMA, 1.0, respondents=1_000), ("kronecker", "optimal", "published"))
    errors = expected_pair_errors(options[1].mechanism, 1_000)
    errors[1, 0] = np.nan  # hatched
    long = Schema((Attribute("long", tuple(f"a category with a long name {i}" for i in range(6))),))
    drawn = [
        plots.budget_totals_figure(options, plots.LIGHT, lower_bound=1.0),
        plots.budget_pair_errors_figure(SCHEMA.names, errors, plots.LIGHT),
        plots.marginal_bars(PAIR, TRUTH, RELEASED, SHARES, INTERVAL, plots.LIGHT, beside={"other": TRUTH, "another": TRUTH}),
        bars(long, np.full(6, 1 / 6)),
        plots.marginal_map(PAIR, SHARES, plots.DARK),
        plots.marginal_repeats_figure(PAIR, TRUTH, np.stack([SHARES, RELEASED]), plots.LIGHT),
    ]
    for figure in drawn:
        said = {
            key: [_filled(part) for part in parts] if key == "data" else _filled(parts) for key, parts in figure.to_dict().items()
        }
        checked = go.Figure(figure.to_dict()).to_dict()
        assert json.loads(to_json(said, validate=False)) == json.loads(to_json(checked, validate=False))
        with pytest.raises(ValueError, match="nonsense"):
            figure.update_layout(nonsense=1)  # what is done to it afterwards is checked as ever


def _filled(settings):
    """``settings`` without empty lists, which say nothing."""
    return {name: value for name, value in settings.items() if not (isinstance(value, list) and not value)}
