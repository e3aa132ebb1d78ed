"""The probability of one output for more attributes than a number has bits."""

import numpy as np
import pytest

from rrcore.budget.outputs import SetOutputs
from rrcore.mechanisms import Listed


@pytest.mark.parametrize("k", [6, 80])
def test_a_listed_lie_set_is_found_among_all(k):
    rng = np.random.default_rng(0)
    lying = np.unique(rng.random((40, k)) < 0.5, axis=0)
    mechanism = Listed((2,) * k, 0.2, lying, np.full(len(lying), 0.8 / len(lying)))
    outputs = SetOutputs(mechanism)
    np.testing.assert_array_equal(outputs.log_of(lying), mechanism.log_outputs)
    asked = rng.random((200, k)) < 0.5
    known = {tuple(row) for row in lying.tolist()}
    other = np.array([tuple(row) not in known for row in asked.tolist()])
    assert other.any()
    assert (outputs.log_of(asked)[other] == mechanism.log_floor).all()
