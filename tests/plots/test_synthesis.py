"""Figures of a synthetic table: every edge of its kind, every clique and separator named, every number where it belongs."""

import numpy as np
import pytest

from rrcore import plots
from rrcore.plots.schemes import scheme_look
from rrcore.research.lopub import SOURCES, Accuracy, DependencyGraph, thresholds

PALETTES = pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
NAMES = ("a1", "a2", "a3", "a4", "a5", "a6")
HOSTILE = "<b>bold</b> %{y} name that goes on and on"
FIGURE_5 = ((0, 1), (1, 2), (1, 4), (2, 4), (1, 3), (3, 4))
"""The edges of the paper's Figure 5: cliques A1A2, A2A3A5, A2A4A5, A6; separators A2 and A2A5."""


def graph(edges, d=6, *, phi=0.3):
    """Binary attributes; the edges carry 0.1, 0.2, ... nats in the order given, all other pairs nothing."""
    information = np.zeros((d, d))
    for strength, (i, j) in enumerate(edges, 1):
        information[i, j] = information[j, i] = 0.1 * strength
    return DependencyGraph((2,) * d, information, phi)


def entries(figure):
    return [one.name for one in figure.data if one.showlegend is not False]


def attributes(figure):
    (found,) = [one for one in figure.data if one.name == "attribute"]
    return found


def places(figure):
    found = attributes(figure)
    return list(zip(found.x, found.y, strict=True))


def drawn(figure, name):
    """Pairs of attributes that lines of one kind join, read off their ends."""
    at, found = {place: i for i, place in enumerate(places(figure))}, set()
    for one in figure.data:
        if one.mode != "lines" or not one.name.startswith(name) or one.x[0] is None:
            continue
        points = np.column_stack([one.x, one.y])
        for piece in np.split(points, np.flatnonzero(np.isnan(points[:, 0]))):
            line = piece[~np.isnan(piece[:, 0])]
            if len(line):
                found.add(tuple(sorted((at[tuple(line[0])], at[tuple(line[-1])]))))
    return found


def hovers(figure, name):
    return {text for one in figure.data if one.name.startswith(name) and one.text is not None for text in one.text}


@PALETTES
def test_the_graph_of_the_paper(palette):
    figure = plots.dependency_graph_figure(graph(FIGURE_5), NAMES, palette, true=graph(FIGURE_5))
    assert entries(figure) == ["correct (6)", "added (0)", "lost (0)"]
    assert drawn(figure, "correct") == set(FIGURE_5)
    assert {one.text for one in figure.layout.annotations} == set(NAMES)
    assert attributes(figure).marker.color == palette.text
    told = hovers(figure, "correct")
    assert "a1 with a2<br>estimated: 0.100 nats<br>true: 0.100 nats<br>threshold: 0.045 nats" in told  # 0.3^2 / 2
    assert len(told) == len(FIGURE_5)


def test_cliques_and_separators_are_told_of_every_attribute():
    one, two, *_, last = attributes(plots.dependency_graph_figure(graph(FIGURE_5), NAMES, plots.LIGHT, true=graph(FIGURE_5))).text
    assert one == "<b>a1</b><br>clique: a1, a2"
    assert two.split("<br>")[1:] == [
        "clique: a1, a2",
        "clique: a2, a3, a5",
        "clique: a2, a4, a5",
        "separator: a2",
        "separator: a2, a5",
    ]
    assert last == "<b>a6</b><br>depends on no other attribute"


def test_edges_of_the_triangulation_are_dashed():
    ring = graph([(0, 1), (1, 2), (2, 3), (0, 3)], 4)
    figure = plots.dependency_graph_figure(ring, NAMES[:4], plots.LIGHT, true=ring)
    assert "added by triangulation (1)" in entries(figure)
    assert drawn(figure, "added by triangulation") == set(ring.filled)
    assert {one.line.dash for one in figure.data if one.name.startswith("added by") and one.mode == "lines"} == {"dash"}
    assert not any(
        "triangulation" in name
        for name in entries(plots.dependency_graph_figure(graph(FIGURE_5), NAMES, plots.LIGHT, true=graph(FIGURE_5)))
    )


@PALETTES
def test_correct_added_and_lost_edges_are_told_apart_with_and_without_colour(palette):
    estimated, true = graph([(0, 1), (1, 2), (3, 4)]), graph([(4, 5), (0, 1)])
    figure = plots.dependency_graph_figure(estimated, NAMES, palette, true=true)
    assert entries(figure)[:3] == ["correct (1)", "added (2)", "lost (1)"]
    assert drawn(figure, "correct") == {(0, 1)}
    assert drawn(figure, "added") == {(1, 2), (3, 4)}
    assert drawn(figure, "lost") == {(4, 5)}
    looks = {one.name: (one.line.dash, one.line.color) for one in figure.data if one.mode in ("lines", "lines+markers")}
    assert {name.split()[0]: dash for name, (dash, _) in looks.items()} == {"correct": "solid", "added": "dot", "lost": "dash"}
    assert len({colour for _, colour in looks.values()}) == 3
    (cross,) = [one for one in figure.data if one.name == "lost (1)" and one.mode == "markers" and one.marker.symbol == "x"]
    ends = np.array([places(figure)[4], places(figure)[5]])
    np.testing.assert_allclose((cross.x[0], cross.y[0]), ends.mean(axis=0))
    assert hovers(figure, "lost") == {"a5 with a6<br>estimated: 0.000 nats<br>true: 0.100 nats<br>threshold: 0.045 nats"}


def test_no_edge_at_all_and_pairs_that_pruning_left_out():
    nothing = DependencyGraph((2,) * 3, np.full((3, 3), np.nan), 0.3)
    figure = plots.dependency_graph_figure(nothing, NAMES[:3], plots.LIGHT, true=graph([(0, 2)], 3))
    assert entries(figure) == ["correct (0)", "added (0)", "lost (1)"]
    assert "estimated: not looked at<br>true: 0.100 nats" in next(iter(hovers(figure, "lost")))
    assert len(places(plots.dependency_graph_figure(graph([], 1), ("only",), plots.LIGHT, true=graph([], 1)))) == 1


@pytest.mark.parametrize("d", [2, 3, 8, 24])
def test_names_have_room_and_no_line_passes_another_attribute(d):
    everyone = [(i, j) for i in range(d) for j in range(i + 1, d)]
    full = DependencyGraph((2,) * d, np.full((d, d), 0.5), 0.3)
    assert thresholds((2, 2), 0.3)[0, 1] < 0.5
    figure = plots.dependency_graph_figure(full, [f"attribute number {i}" for i in range(d)], plots.LIGHT, true=full)
    at = np.array(places(figure))
    low, high = figure.layout.yaxis.range
    for side in (-1, 1):
        heights = np.sort(at[at[:, 0] == side, 1])
        if len(heights) > 1:
            assert np.diff(heights).min() / (high - low) * (figure.layout.height - 100) >= 20  # pixels a name
    assert {one.xanchor for one in figure.layout.annotations if one.x < 0} == {"right"}
    room = figure.layout.xaxis.domain[0] * 334  # pixels of a name, on a telephone
    assert room >= 100
    assert all(len(one.text) <= 14 for one in figure.layout.annotations)
    for one in figure.data:
        if one.mode == "lines" and one.x[0] is not None:
            inner = np.column_stack([one.x, one.y])
            touching = np.isclose(np.abs(inner[:, 0]), 1).sum()
            assert touching == 2 * len(everyone)  # nothing but the two ends


def test_names_in_the_graph_carry_no_markup():
    estimated = graph([(0, 1), (0, 2), (1, 2), (2, 3)], 4)
    figure = plots.dependency_graph_figure(estimated, (HOSTILE, "b", "c", "d"), plots.LIGHT, true=graph([(0, 3)], 4))
    for one in figure.data:
        told = [one.name, *(text for texts in (one.text, one.customdata) if texts is not None for text in texts)]
        assert not any("<b>bold" in text for text in told)
        assert "%{y}" not in (one.hovertemplate or "")
    assert not any("<b>" in one.text for one in figure.layout.annotations)
    assert any(one.text.startswith("&lt;b&gt;bold") and one.text.endswith("…") for one in figure.layout.annotations)
    assert any("%{y} name that goes on and on" in text for text in hovers(figure, "lost"))  # the hover has all of it


@PALETTES
def test_gain_of_every_iteration(palette):
    curves = {"first": np.array([-5.0, -4.0, -3.5, -3.4]), "second": np.array([-2.0, -1.5]), "none": np.array([-1.0])}
    figure = plots.synthesis_likelihood_figure(curves, palette)
    assert entries(figure) == ["first", "second"]
    first = figure.data[0]
    assert list(first.x) == [1, 2, 3]
    np.testing.assert_allclose(first.y, [1.0, 1.5, 1.6])
    end = figure.data[1]
    assert (end.x[0], end.marker.symbol, end.legendgroup) == (3, "circle", first.legendgroup)
    assert end.y[0] == pytest.approx(1.6)
    assert len({(one.line.dash, one.line.color) for one in figure.data}) == 2
    assert figure.layout.xaxis.type == "log"
    assert list(figure.layout.xaxis.tickvals) == [1, 2]
    assert len(plots.synthesis_likelihood_figure({}, palette).data) == 0


def test_names_of_the_fits_carry_no_markup():
    figure = plots.synthesis_likelihood_figure({HOSTILE: np.array([-2.0, -1.0, -0.5])}, plots.LIGHT)
    assert {one.name for one in figure.data} == {"&lt;b&gt;bold&lt;/b&gt; %{y} name that goes on and on"}
    assert not any("bold" in one.hovertemplate for one in figure.data)


@PALETTES
def test_half_l1_has_a_look_of_its_own_for_each_source(palette):
    errors = {HOSTILE: {2: 0.2, 1: 0.1, 3: 0.3}, **{f"source {i}": {2: 0.1 * i} for i in range(6)}}
    figure = plots.synthesis_half_l1_figure(errors, palette)
    assert list(figure.data[0].x) == [1, 2, 3]
    np.testing.assert_allclose(figure.data[0].y, [10, 20, 30])
    assert figure.data[0].name.startswith("&lt;b&gt;bold&lt;/b&gt;")
    assert "bold" not in figure.data[0].hovertemplate
    assert len({one.marker.symbol for one in figure.data}) == len({one.line.color for one in figure.data}) == 7
    assert figure.layout.yaxis.rangemode == "tozero"
    assert list(figure.layout.xaxis.tickvals) == [1, 2, 3]
    assert len(plots.synthesis_half_l1_figure({}, palette).data) == 0
    schemes = plots.synthesis_half_l1_figure({SOURCES["rr-ind-joint"]: {1: 0.1}, SOURCES["shrinkage"]: {1: 0.1}}, palette)
    assert [line.line.color for line in schemes.data] == [scheme_look(key)[0] for key in ("rr-ind-joint", "pair-safe-shrinkage")]


@PALETTES
def test_differences_of_v_are_centred_at_0_with_their_sign(palette):
    difference = np.full((4, 4), np.nan)
    for (i, j), value in {(1, 0): 0.2, (2, 0): -0.05, (2, 1): 0.001, (3, 0): -0.3, (3, 1): 1.0}.items():
        difference[i, j] = difference[j, i] = value
    figure = plots.synthesis_v_difference_map(difference, (HOSTILE, "b", "c", "d"), palette)
    heat, written, hatched = figure.data
    assert (heat.zmin, heat.zmax) == (-1, 1)
    assert list(written.text) == ["+.20", "−.05", "0", "−.30", "+1.00"]
    assert list(zip(written.x, written.y, strict=True)) == [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3)]
    assert heat.z[2][0] == -0.3
    assert np.isnan(heat.z[0][1])  # above the diagonal nothing is said twice
    assert heat.customdata[0][0] == "b with &lt;b&gt;bold&lt;/b&gt; %{y} name that goes on and on"
    assert "<b>" not in figure.layout.xaxis.ticktext[0]
    assert heat.colorscale == palette.diverging
    assert hatched.name == "not identifiable"
    (unknown,) = figure.layout.shapes  # d with c
    assert (unknown.x0, unknown.x1, unknown.y0, unknown.y1, unknown.layer) == (1.5, 2.5, 2.5, 3.5, "below")


@pytest.mark.parametrize("k", [1, 2, 14])
def test_differences_of_few_and_of_many_attributes(k):
    figure = plots.synthesis_v_difference_map(np.zeros((k, k)), [f"a{i}" for i in range(k)], plots.LIGHT)
    heat = figure.data[0]
    assert np.shape(heat.z)[0] == k - 1
    assert heat.zmax == -heat.zmin > 0
    assert (len(figure.data) == 2) == (1 < k <= 12)  # numbers where there is room


@PALETTES
def test_three_marks_for_each_predicted_attribute(palette):
    rows = [("income", Accuracy(synthetic=0.87, true=0.85, majority=0.76)), (HOSTILE, Accuracy(0.4, 0.6, 0.5))]
    figure = plots.synthesis_accuracy_figure(rows, palette)
    majority, synthetic, true = figure.data
    assert [one.name for one in figure.data] == ["majority guess", "trained on synthetic", "trained on true"]
    np.testing.assert_allclose([majority.x, synthetic.x, true.x], [[76, 50], [87, 40], [85, 60]])
    assert len({one.marker.symbol for one in figure.data}) == 3
    assert len({one.marker.color or one.marker.line.color for one in figure.data}) == 3
    assert [(one.x0, one.x1, one.y0) for one in figure.layout.shapes] == [
        (76, 87, 0),
        (40, 60, 1),
    ]  # from the least to the most
    low, high = figure.layout.yaxis.range
    assert low > 1 > 0 > high  # the first on top
    assert figure.layout.yaxis.ticktext[1].startswith("&lt;b&gt;bold")
    assert majority.customdata[1] == "&lt;b&gt;bold&lt;/b&gt; %{y} name that goes on and on"
    assert "bold" not in majority.hovertemplate


def test_no_predicted_attribute():
    figure = plots.synthesis_accuracy_figure([], plots.LIGHT)
    assert [len(one.x) for one in figure.data] == [0, 0, 0]
    assert len(figure.layout.shapes) == 0
