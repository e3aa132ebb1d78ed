"""Numbers in the cells of heat maps can be read on every colour of every scale."""

import numpy as np
import pytest
from plotly.colors import sample_colorscale

from rrcore.plots import DARK, LIGHT
from rrcore.plots.cells import inks, written


def luminance(colour):
    if colour.startswith("#"):
        shades = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    else:
        shades = [float(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [shade / 12.92 if shade <= 0.04045 else ((shade + 0.055) / 1.055) ** 2.4 for shade in shades]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scale", [LIGHT.sequential, LIGHT.diverging, DARK.sequential, DARK.diverging])
def test_a_number_has_the_contrast_that_text_needs_on_every_colour_of_a_scale(scale):
    parts = np.linspace(0, 1, 101)
    grounds = sample_colorscale([list(stop) for stop in scale], parts.tolist())
    for ink, ground in zip(inks(parts, scale), grounds, strict=True):
        dark, light = sorted((luminance(ink), luminance(ground)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, ground)


def test_only_cells_with_a_value_are_written_into_at_their_place():
    heat = {"z": [[0.0, np.nan], [0.5, 1.0]], "x": [0, 1], "y": [1, 2]}
    (shown,) = written(heat, [["a", "b"], ["c", "d"]], LIGHT.sequential, (0, 1))
    assert list(zip(shown["x"], shown["y"], shown["text"], strict=True)) == [(0, 1, "a"), (0, 2, "c"), (1, 2, "d")]
    assert shown["textfont"]["color"][0] != shown["textfont"]["color"][2]
