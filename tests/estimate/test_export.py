"""The estimate as a file: every cell, every number, nothing overwritten, nothing a spreadsheet would run."""

import csv
import io

import numpy as np

from rrcore.channel.levels import lie_probability
from rrcore.channel.liesets import LieSets
from rrcore.estimate import estimate_csv, estimate_marginal
from rrcore.table.schema import Attribute, Schema


def test_every_cell_has_its_numbers_and_answers_keep_their_columns():
    schema = Schema((Attribute("low", ("=1+1", "no")), Attribute("b", ("p", "q", "r"))))
    channel = LieSets.product(schema.sizes, lie_probability([1.0, 2.0], schema.sizes))
    estimate = estimate_marginal(np.array([[30, 20, 10], [15, 5, 20]]), channel, schema=schema)
    truth = np.full((2, 3), 1 / 6)
    rows = list(csv.DictReader(io.StringIO(estimate_csv(estimate, truth))))
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
