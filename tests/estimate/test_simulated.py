"""The estimate as a file: every cell, every number, nothing overwritten, nothing a spreadsheet would run."""

import csv
import io

import numpy as np

from rrcore.channel.channels import SubsetChannel
from rrcore.channel.epsilon import lie_from_epsilon
from rrcore.estimate import estimate_csv, invert_counts
from rrcore.table.schema import Attribute, Schema


def test_every_cell_has_its_numbers_and_answers_keep_their_columns():
    schema = Schema((Attribute("conf_low", ("=1+1", "no")), Attribute("b", ("p", "q", "r"))))
    channel = SubsetChannel.product(schema.sizes, lie_from_epsilon([1.0, 2.0], schema.sizes))
    estimate = invert_counts(np.array([[30, 20, 10], [15, 5, 20]]), channel, schema=schema)
    truth = np.full((2, 3), 1 / 6)
    text = estimate_csv(estimate, truth, mark="simulation, seed 3: not a release")
    assert text.startswith('"contains true shares: do not publish; simulation, seed 3: not a release",')
    assert estimate_csv(estimate).startswith("conf_low (answer),b,randomized")  # neither truth nor mark unless asked
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["conf_low (answer)"], row["b"]) for row in rows] == [(a, b) for a in ("'=1+1", "no") for b in "pqr"]
    low, high = estimate.interval()
    for name, values in {
        "truth": truth,
        "randomized": estimate.released,
        "estimate": estimate.shares,
        "conf_low": low,
        "conf_high": high,
    }.items():
        np.testing.assert_array_equal([float(row[name]) for row in rows], values.ravel())
    np.testing.assert_allclose(sum(float(row["simplex projection"]) for row in rows), 1)
