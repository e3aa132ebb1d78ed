"""What designs give away, exactly: levels by hand, the certificate's by another route, and which report rules out which truth."""

from fractions import Fraction

import numpy as np
import pytest

from rrcore.designs import DESIGNS
from rrcore.designs.design import design_rows
from rrcore.promise.certificate import certify
from tests.designs.catalogue import NUMBERS, channel

LEVELS = {
    "warner": 3,
    "forced": 5,
    "unrelated": 9,
    "crosswise": 3,
    "triangular": None,
    "mangat": None,
    "mangat-singh": Fraction(173, 27),  # t + (1 - t) p = 0.865
    "devore": None,
    "disguised": 4,
    "kuk": 243,  # 5 red: (0.6 / 0.2)^5
    "christofides": 4,
    "k-ary": 3,
    "matrix": 12,
}


@pytest.mark.parametrize("key", LEVELS)
def test_levels_are_exact(key):
    assert channel(key).level == LEVELS[key]


def test_no_design_is_left_out():
    assert set(LEVELS) == set(NUMBERS) == set(DESIGNS)


@pytest.mark.parametrize("key", DESIGNS)
def test_the_certificate_of_a_file_has_the_same_level(key):
    design, size = DESIGNS[key], 3 if key == "k-ary" else 2
    weights = design.make(size, design.numbers(NUMBERS[key]))
    assert certify([((0,), weights)]).levels == (LEVELS[key],)
    assert design_rows(weights) == channel(key).rows


def test_what_a_report_rules_out_is_said_in_plain_words():
    assert channel("triangular").protects == "No bound: a report of 'circle' rules out 'yes'."
    assert channel("warner").protects == "Seeing one answer shifts anyone's odds about it by at most 3.00 times."


@pytest.mark.parametrize("key", DESIGNS)
def test_the_expected_error_is_that_of_the_inverse(key):
    """Square channels have one unbiased estimator; wider ones are compared with the paper's moments."""
    found = channel(key)
    matrix = np.array([[float(entry) for entry in row] for row in found.rows])
    shares = (*((0.8,) if len(matrix) == 2 else (0.4, 0.4)), 0.2)
    if matrix.shape[0] == matrix.shape[1]:
        scores = np.linalg.inv(matrix)[:, -1]
    elif key == "kuk":
        scores = (np.arange(6) / 5 - 0.2) / 0.4
    elif key == "christofides":
        mean = sum(place * share for place, share in zip(range(1, 5), (0.1, 0.2, 0.3, 0.4), strict=True))
        scores = (np.arange(1, 5) - mean) / (5 - 2 * mean)
    else:
        noise = matrix.mean(axis=0)
        scores = (matrix.T @ np.linalg.solve((matrix / noise) @ matrix.T, [0, 1])) / noise
    reported = np.array(shares) @ matrix
    assert reported @ scores == pytest.approx(0.2)
    assert found.error(shares, 500) == pytest.approx(np.sqrt((reported @ scores**2 - 0.04) / 500))


def test_every_design_has_its_paper_and_story():
    for design in DESIGNS.values():
        assert any(character.isdigit() for character in design.source)
        assert design.story.endswith(".")
        assert design.costs.endswith(".")
        assert "=" in design.formula
