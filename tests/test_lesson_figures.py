"""Figures of the lesson: as many discs and dots as there are people, where they belong."""

import numpy as np
import pytest

from rrcore.plots.palette import LIGHT
from tools.lesson_figures import class_dots, curves, people_in_groups


def test_everybody_is_drawn_once_and_those_who_mean_it_are_filled():
    figure = people_in_groups([("send yes", 15, 20), ("send no", 5, 60)], title="Of 100", solid="yes", hollow="no")
    discs = figure.findall("circle")
    assert len(discs) == 100 + 2  # and two in the legend
    assert sum(disc.get("fill") == LIGHT.estimate for disc in discs) == 20 + 1
    assert figure.get("aria-label") == "Of 100"


def test_each_class_is_a_dot_at_its_estimate_and_what_lies_far_out_is_at_the_end():
    figure = class_dots({"thirty": np.array([0.0, 0.5, 0.5, 9.0])}, 0.5, title="Classes")
    places = sorted(float(dot.get("cx")) for dot in figure.findall("circle"))
    (truth,) = {line.get("x1") for line in figure.findall("line") if line.get("stroke") == LIGHT.truth}
    assert places[1] == places[2] == float(truth)
    assert places[1] - places[0] == pytest.approx(2 / 3 * (places[3] - places[1]), abs=0.2)  # 9 is drawn at 1.25
    heights = {float(dot.get("cy")) for dot in figure.findall("circle") if float(dot.get("cx")) == places[1]}
    assert len(heights) == 2


def test_curves_stop_at_the_top_and_their_names_keep_apart():
    x = np.array([0.5, 0.7, 0.9])
    lines = {"a": np.array([2.0, 0.5, 0.10]), "b": np.array([0.9, 0.4, 0.11])}
    figure = curves(x, lines, title="Curves", across="truth", up="within", top=1.0)
    drawn = {each.get("points").count(",") for each in figure.findall("polyline")}
    assert drawn == {2 + 1, 3 + 1}
    names = [float(text.get("y")) for text in figure.findall("text") if text.text in lines]
    assert abs(names[0] - names[1]) >= 30
