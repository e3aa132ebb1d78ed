"""The estimate as a file: every cell, every number, nothing overwritten, nothing a spreadsheet would run."""

import csv
import io

import numpy as np
import pytest

from rrcore.channel.levels import lie_from_level
from rrcore.channel.liesets import LieSets
from rrcore.estimate import count_outside, estimate_csv, invert_counts, widest_margin
from rrcore.mechanisms import Kronecker
from rrcore.table.schema import Attribute, Schema


def test_every_cell_has_its_numbers_and_answers_keep_their_columns():
    schema = Schema((Attribute("low", ("=1+1", "no")), Attribute("b", ("p", "q", "r"))))
    channel = LieSets.product(schema.sizes, lie_from_level([1.0, 2.0], schema.sizes))
    estimate = invert_counts(np.array([[30, 20, 10], [15, 5, 20]]), channel, schema=schema)
    truth = np.full((2, 3), 1 / 6)
    text = estimate_csv(estimate, truth, mark="simulation, seed 3: not a release")
    assert text.startswith('"contains true shares: do not publish; simulation, seed 3: not a release",')
    assert estimate_csv(estimate).startswith("low (answer),b,released")  # neither truth nor mark unless asked
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["low (answer)"], row["b"]) for row in rows] == [(a, b) for a in ("'=1+1", "no") for b in "pqr"]
    low, high = estimate.interval()
    for name, values in {
        "truth": truth,
        "released": estimate.released,
        "estimate": estimate.shares,
        "low": low,
        "high": high,
    }.items():
        np.testing.assert_array_equal([float(row[name]) for row in rows], values.ravel())
    np.testing.assert_allclose(sum(float(row["simplex projection"]) for row in rows), 1)


def test_the_widest_margin_is_half_the_widest_interval():
    counts = np.array([[40, 10], [30, 20]])
    found = invert_counts(counts, Kronecker.from_levels((2, 2), (1.0, 2.0)).marginal_channel((0, 1)))
    for population in (False, True):
        low, high = found.interval(population=population)
        assert widest_margin(found.interval(population=population)) == pytest.approx(float((high - low).max() / 2))


def test_shares_outside_are_counted():
    assert count_outside(np.array([[-1e-9, 0.0], [1.0, 1.1]])) == 2
    assert count_outside(np.array([0.0, 0.5, 1.0])) == 0
