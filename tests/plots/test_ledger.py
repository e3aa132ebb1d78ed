"""What waves of the same people give away."""

import numpy as np
import pytest

from rrcore import plots
from rrcore.designs import read_design
from rrcore.plots.palette import MECHANISM_COLOURS
from rrcore.promise import WAYS, over_waves
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.table import Attribute, Schema

SCHEMA = Schema((Attribute("smokes", ("no", "<b>yes")),))


def test_a_line_for_each_way_in_nats():
    file = MechanismFile(SCHEMA, (((0,), read_design("smokes", "warner", 2, "4/5")),))
    figure = plots.ledger_waves_figure({way: over_waves(file, 5, way) for way in WAYS}, plots.LIGHT)
    fresh, memoised, both = figure.data
    assert (fresh.name, memoised.name, both.name) == tuple(WAYS)
    assert fresh.x == (1, 2, 3, 4, 5)
    assert fresh.y == pytest.approx(np.arange(1, 6) * np.log(4))
    assert memoised.y == pytest.approx([np.log(4)] * 5)
    assert max(both.y) < np.log(4)
    assert not {line.line.color for line in figure.data} & set(
        MECHANISM_COLOURS.values()
    )  # which are told apart on the same page


def test_ways_without_a_limit_are_left_out():
    certain = MechanismFile(SCHEMA, (((0,), read_design("smokes", "matrix", 2, "1,0; 1/3,2/3")),))
    figure = plots.ledger_waves_figure({way: over_waves(certain, 3, way) for way in WAYS}, plots.DARK)
    assert [len(trace.x or ()) for trace in figure.data] == [0, 0, 3]
