"""The tree of merged clusters: every merge where it belongs, every refusal with its reason."""

from itertools import pairwise

import numpy as np
import pytest

from rrcore import plots
from rrcore.dependence import cluster_attributes

PALETTES = pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
NAMES = ("age", "<b>job</b>", "pay", "sex", "city")


def clustered():
    """Merges 0-2 at 0.9 and 3-(0, 2) at 0.6; 1 would join at 0.7 but has too many categories; 4 depends on nobody."""
    dependence = np.zeros((5, 5))
    for i, j, strength in [(0, 2, 0.9), (1, 2, 0.7), (0, 3, 0.6)]:
        dependence[i, j] = dependence[j, i] = strength
    return cluster_attributes(dependence, [2, 50, 3, 2, 2], max_cells=20, min_dependence=0.3)


def traces(figure, mode, hollow=False):
    return [one for one in figure.data if one.mode == mode and (one.marker.symbol == "circle-open") == hollow]


def rows(figure):
    """Name -> height at which it is written."""
    return dict(zip(figure.layout.yaxis.ticktext, figure.layout.yaxis.tickvals, strict=True))


def leaves(figure):
    (found,) = [one for one in traces(figure, "markers") if len(one.x) == len(rows(figure))]
    return found


@PALETTES
def test_merges_are_drawn_between_their_clusters_at_their_dependence(palette):
    figure = plots.dependence_cluster_tree(clustered(), NAMES, palette)
    at = rows(figure)
    first, second = traces(figure, "lines")
    assert first.x == (1.0, 0.9, 0.9, 1.0)
    assert {first.y[0], first.y[-1]} == {at["age"], at["pay"]}
    middle = (at["age"] + at["pay"]) / 2
    assert second.x[1:3] == (0.6, 0.6)
    assert {(second.x[0], second.y[0]), (second.x[-1], second.y[-1])} == {(0.9, middle), (1.0, at["sex"])}
    assert all(line.y[0] == line.y[1] and line.y[2] == line.y[3] for line in (first, second))
    assert "0.900" in first.hovertemplate
    assert "6 combinations" in first.hovertemplate
    left, right = figure.layout.xaxis.range
    assert left >= 1 > 0 >= right


@PALETTES
def test_a_colour_for_each_cluster_and_grey_for_single_attributes(palette):
    figure = plots.dependence_cluster_tree(clustered(), NAMES, palette)
    found = leaves(figure)
    colour = {name: found.marker.color[found.y.index(height)] for name, height in rows(figure).items()}
    assert colour["age"] == colour["pay"] == colour["sex"] != palette.released
    assert colour["city"] == colour["&lt;b&gt;job&lt;/b&gt;"] == palette.released
    assert {line.line.color for line in traces(figure, "lines")} == {colour["age"]}
    assert set(found.x) == {1.0}


def test_refused_merges_are_hollow_and_say_why():
    figure = plots.dependence_cluster_tree(clustered(), NAMES, plots.LIGHT)
    refused = traces(figure, "markers", hollow=True)  # once with age + pay, once more when sex has joined them
    assert [marker.x for marker in refused] == [(0.7,), (0.7,)]
    for marker, combinations in zip(refused, ("300 combinations", "600 combinations"), strict=True):
        assert "too many" in marker.hovertemplate
        assert combinations in marker.hovertemplate
        assert "&lt;b&gt;job&lt;/b&gt;" in marker.hovertemplate


def test_a_dotted_line_at_the_least_dependence():
    (line,) = plots.dependence_cluster_tree(clustered(), NAMES, plots.LIGHT).layout.shapes
    assert (line.x0, line.x1, line.line.dash) == (0.3, 0.3, "dot")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_lines_never_cross(seed):
    """Members of a cluster stand in neighbouring rows, at every merge; two clusters have different colours."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 12))
    half = np.triu(rng.random((k, k)), 1)
    found = cluster_attributes(half + half.T, rng.integers(2, 5, k).tolist(), max_cells=60, min_dependence=0.4)
    names = [f"attribute {i}" for i in range(k)]
    figure = plots.dependence_cluster_tree(found, names, plots.LIGHT)
    at = rows(figure)
    assert sorted(at) == sorted(names)
    assert sorted(at.values()) == list(range(k))
    merged = [tuple(sorted((*step.left, *step.right))) for step in found.steps if step.merged]
    for cluster in [*merged, *found.clusters]:
        heights = sorted(at[names[i]] for i in cluster)
        assert all(above - below == 1 for below, above in pairwise(heights))
    assert len(traces(figure, "lines")) == len(merged)
    assert [line.x[1] for line in traces(figure, "lines")] == [step.dependence for step in found.steps if step.merged]
    assert len(traces(figure, "markers", hollow=True)) == sum(not step.merged for step in found.steps)
    leaf = leaves(figure)
    colours = [leaf.marker.color[leaf.y.index(at[names[cluster[0]]])] for cluster in found.clusters if len(cluster) > 1]
    assert len(set(colours)) == len(colours)


def test_one_attribute_and_no_merge():
    figure = plots.dependence_cluster_tree(
        cluster_attributes(np.zeros((1, 1)), [2], max_cells=9, min_dependence=0.1), ["a"], plots.LIGHT
    )
    assert not traces(figure, "lines")
    assert list(rows(figure)) == ["a"]


@PALETTES
def test_dependence_no_stronger_than_chance_has_no_colour_and_the_scale_is_the_same_everywhere(palette):
    v = np.array([[np.nan, 0.5, 0.02], [0.5, np.nan, 0.03], [0.02, 0.03, np.nan]])
    chance = v < 0.1
    (heat, _, hatched) = plots.dependence_map(v, NAMES[:3], palette, chance=chance).data
    assert np.isnan(heat.z[1]).tolist() == [True, True]
    assert (heat.zmin, heat.zmax) == (0, 0.6)
    assert hatched.name == "no stronger than chance"
    weak = plots.dependence_map(v[1:, 1:], NAMES[1:3], palette).data[0]
    assert (weak.zmin, weak.zmax) == (0, 0.6)


@PALETTES
def test_a_pair_that_is_not_identifiable_is_not_called_chance(palette):
    v = np.array([[np.nan, np.nan], [np.nan, np.nan]])
    _, hatched = plots.dependence_map(v, NAMES[:2], palette, chance=np.ones((2, 2), dtype=bool)).data
    assert hatched.name == "not identifiable"
