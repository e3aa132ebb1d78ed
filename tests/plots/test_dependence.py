"""The map of associations."""

import numpy as np
import pytest

from rrcore import plots

PALETTES = pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
NAMES = ("age", "job", "pay")


@PALETTES
def test_dependence_no_stronger_than_chance_has_no_color_and_the_scale_is_the_same_everywhere(palette):
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
