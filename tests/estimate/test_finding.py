"""The sentence about an estimate: which share is named, and what is said beside the truth and without one."""

import numpy as np
import pytest

from rrcore.estimate import finding_beside_truth, finding_from_answers
from rrcore.estimate.finding import combination_text, largest_finding
from rrcore.table import Attribute, Schema

SCHEMA = Schema((Attribute("Class", ("1st", "2nd", "3rd")), Attribute("Sex", ("f", "m"))))


def within(shares, half):
    return shares - half, shares + half


@pytest.mark.parametrize(
    ("shares", "cell", "apart"),
    [
        ([0.2, 0.5, 0.3], (1,), None),  # the commonest answer
        ([0.9, 0.1], (1,), None),  # of two the rarer one, which is what people ask about
        ([[0.4, 0.1], [0.1, 0.4]], (0, 0), 0.25),
        ([[0.5, 0.2], [0.1, 0.2]], (1, 1), 0.12),  # two combinations are equally far off: the rarer one
        ([[0.1, 0.3], [0.1, 0.1], [0.31, 0.09]], (2, 0), 0.204),
    ],
)
def test_the_share_that_tells_most(shares, cell, apart):
    shares = np.array(shares)
    found = largest_finding(shares, within(shares, 0.02))
    assert found.cell == cell
    assert found.apart == (apart if apart is None else pytest.approx(apart))
    assert (found.share, found.low, found.high) == pytest.approx((shares[cell], shares[cell] - 0.02, shares[cell] + 0.02))


def test_a_combination_in_words():
    assert combination_text(SCHEMA, (2, 0)) == "Class: 3rd, Sex: f"


def test_intervals_that_miss_are_counted():
    truth = np.array([[0.1, 0.3], [0.1, 0.1], [0.3, 0.1]])
    shares = truth + np.array([[0.05, -0.05], [0, 0], [0, 0]])
    said = finding_beside_truth(SCHEMA, truth, shares, within(shares, 0.02), 1)
    assert said.startswith("From 1 randomised record the share of “Class: 3rd, Sex: f” is estimated at 30.0 % (28.0 to 32.0); ")
    assert said.endswith("4 of 6 intervals hold the truth; the largest miss is 5.0 points.")


def test_what_cannot_be_said_is_said():
    shares = np.array([[0.1, 0.3], [0.01, 0.19], [0.3, 0.1]])
    wide = finding_from_answers(SCHEMA, shares, within(shares, 0.3), 50)
    assert "nothing here shows that Class and Sex have to do with each other" in wide
    assert wide.endswith("For 6 of 6 combinations it cannot be said whether anybody has them.")
    narrow = finding_from_answers(SCHEMA, shares, within(shares, 0.005), 50)
    assert "it would be 16.4 % if Class and Sex had nothing to do with each other." in narrow
    assert "cannot be said" not in narrow
    one = finding_from_answers(SCHEMA.select(["Sex"]), np.array([0.4, 0.6]), within(np.array([0.4, 0.6]), 0.05), 50)
    assert one == "From 50 answers the share of “Sex: f” is estimated at 40 % (35 to 45)."
