"""Findings in one sentence: which numbers and groups they name."""

import numpy as np

from rrcore.estimate import Result
from rrcore.reports.findings import finding_next_to_truth, finding_within


def test_intervals_that_miss_are_counted():
    truth = np.array([[0.1, 0.3], [0.1, 0.1], [0.3, 0.1]])
    shares = truth + np.array([[0.05, -0.05], [0, 0], [0, 0]])
    found = finding_next_to_truth(truth, shares, (shares - 0.02, shares + 0.02))
    assert found.startswith("4 of 6 ")
    assert "5.0" in found


def test_groups_without_an_estimate_are_left_out():
    labels, shares = {"Sex": ["f", "f", "m", "m"], "Class": ["1st", "2nd"] * 2}, np.array([0.9, 0.1, np.nan, np.nan])
    found = Result(labels=labels, estimate=shares, std_error=shares, conf_low=shares, conf_high=shares)
    assert "m" not in [part.strip("”") for part in finding_within(found, "Sex").split(": ")]
    none = Result(labels=labels, estimate=shares * np.nan, std_error=shares, conf_low=shares, conf_high=shares)
    assert finding_within(none, "Sex")
