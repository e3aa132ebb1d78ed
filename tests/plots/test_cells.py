"""Numbers in the cells of heat maps are legible on every color of every scale."""

import numpy as np
import pytest
from plotly.colors import sample_colorscale

from rrcore.plots import DARK, LIGHT
from rrcore.plots.cells import written
from tests.contrast import ENOUGH, contrast


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_text_has_enough_contrast_on_every_color(palette):
    grounds = sample_colorscale([list(stop) for stop in palette.sequential], np.linspace(0, 1, 101).tolist())
    assert min(contrast(palette.truth, ground) for ground in grounds) >= ENOUGH


def test_only_cells_with_a_value_are_written_into():
    heat = {"z": [[0.0, np.nan], [0.5, 1.0]], "x": [0, 1], "y": [1, 2]}
    (shown,) = written(heat, [["a", "b"], ["c", "d"]], LIGHT)
    assert list(zip(shown["x"], shown["y"], shown["text"], strict=True)) == [(0, 1, "a"), (0, 2, "c"), (1, 2, "d")]
    assert shown["textfont"]["color"] == LIGHT.truth
