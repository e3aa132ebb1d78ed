"""What an estimate of dependence says of itself."""

import numpy as np

from rrcore.dependence.estimates import DependenceEstimate


def estimate(v, low=None, high=None):
    ends = [None if end is None else np.array([[np.nan, end], [end, np.nan]]) for end in (v, low, high)]
    return DependenceEstimate("", *ends, 2.0, 2.0, 0, "")


def test_the_sentence_says_what_is_sure():
    assert "sex and smokes go together most: Cramér's V 0.40 (0.30 to 0.50)" in estimate(0.4, 0.3, 0.5).sentence(
        ["sex", "smokes"]
    )
    assert "No pair can be said to go together: a and b have" in estimate(0.1, 0.0, 0.2).sentence(["a", "b"])
    assert "this mechanism erases it" in estimate(np.nan).sentence(["a", "b"])
