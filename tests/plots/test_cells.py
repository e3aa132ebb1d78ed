"""Numbers in the cells of heat maps can be read on every colour of every scale."""

import numpy as np
import pytest
from plotly.colors import sample_colorscale

from rrcore.plots import DARK, LIGHT
from rrcore.plots.cells import inks, written
from tests.contrast import ENOUGH, contrast


@pytest.mark.parametrize("scale", [LIGHT.sequential, LIGHT.diverging, DARK.sequential, DARK.diverging])
def test_a_number_has_the_contrast_that_text_needs_on_every_colour_of_a_scale(scale):
    parts = np.linspace(0, 1, 101)
    grounds = sample_colorscale([list(stop) for stop in scale], parts.tolist())
    for ink, ground in zip(inks(parts, scale), grounds, strict=True):
        assert contrast(ink, ground) >= ENOUGH, (ink, ground)


def test_only_cells_with_a_value_are_written_into_at_their_place():
    heat = {"z": [[0.0, np.nan], [0.5, 1.0]], "x": [0, 1], "y": [1, 2]}
    (shown,) = written(heat, [["a", "b"], ["c", "d"]], LIGHT.sequential, (0, 1))
    assert list(zip(shown["x"], shown["y"], shown["text"], strict=True)) == [(0, 1, "a"), (0, 2, "c"), (1, 2, "d")]
    assert shown["textfont"]["color"][0] != shown["textfont"]["color"][2]
