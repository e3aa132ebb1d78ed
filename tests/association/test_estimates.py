"""An estimate of dependence as rows of pairs, as a matrix and as a sentence."""

import numpy as np
import pytest

from rrcore.association.estimates import DependenceEstimate, estimate_secretly
from rrcore.table import load_demo


def estimate(v, low=None, high=None):
    ends = [None if end is None else np.array([[np.nan, end], [end, np.nan]]) for end in (v, low, high)]
    return DependenceEstimate.of(["sex", "smokes"], *ends, title="", cost=2.0, messages=0)


def test_the_sentence_has_the_pair_and_its_interval():
    for word in ("sex × smokes", "0.40", "0.30 to 0.50"):
        assert word in estimate(0.4, 0.3, 0.5).sentence()
    assert "chance" in estimate(0.1, 0.0, 0.2).sentence()
    assert "no information" in estimate(np.nan).sentence()


def test_rows_are_pairs_and_matrices_are_symmetric():
    v = np.array([[np.nan, 0.1, 0.2], [0.1, np.nan, 0.3], [0.2, 0.3, np.nan]])
    found = DependenceEstimate.of("abc", v, v - 0.15, v + 0.1, title="", cost=2.0, messages=0)
    assert found.rows == ["a, b", "a, c", "b, c"]
    assert found.to_dict()["estimate"] == pytest.approx([0.1, 0.2, 0.3])
    np.testing.assert_array_equal(found.v, v)
    assert found.chance.tolist() == [[False, True, False], [True, False, False], [False, False, False]]
    assert found.agreement(v)[0] == pytest.approx(1)


def test_what_secure_sums_spend():
    """By sequential composition: every answer is used in k - 1 pairs, or the pairs share the sum of all epsilons."""
    table, epsilon = load_demo("titanic").select(["Sex", "Age", "Survived"]), [0.5, 1.0, 2.0]
    found = estimate_secretly(table, epsilon, rng=np.random.default_rng(0))
    assert [each.cost for each in found] == pytest.approx([np.inf, 2 * 3.5, 3.5])
