"""The probability of one output for more attributes than a number has bits."""

from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest

from rrcore.audit import Claim, exact_sampler
from rrcore.audit.outputs import CountOutputs, SetOutputs
from rrcore.mechanisms import Listed, build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.promise.weights import MatrixWeights
from rrcore.table import Attribute, Schema


@pytest.mark.parametrize("k", [5, 62, 63, 70])
def test_two_records_are_told_apart_by_the_whole_total_and_no_more(k):
    schema = Schema(tuple(Attribute(str(i), ("a", "b", "c")) for i in range(k)))
    file = MechanismFile(schema, integer_groups(build("joint", (3,) * k, [1.0] * k)))
    claim = Claim.of_file(file)
    *_, total = claim.promises()
    released = exact_sampler(file)(np.zeros((500, k), dtype=np.int32))
    ratios = claim.log_ratio(total.records, np.vstack([released, np.zeros((1, k), dtype=np.int32)]))
    assert abs(ratios).max() == pytest.approx(claim.total, abs=1e-8)


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


MATRIX = MatrixWeights(((5, 3, 2), (1, 8, 1), (3, 3, 4)))


@pytest.mark.parametrize(
    "claim",
    [
        Claim.of_mechanism(build("optimal", (2, 2, 3, 3), [1.0] * 4)),
        Claim.of_mechanism(build("optimal", (2, 2, 2, 2), [2.0] * 4)),
        Claim.of_mechanism(build("pair-safe", (2, 2, 2), [1.0, 0.5, 2.0])),
        Claim.of_mechanism(build("kronecker", (4, 2), [1.0, 2.0])),
        Claim.of_file(MechanismFile(Schema((Attribute("a", ("x", "y", "z")),)), (((0,), MATRIX),))),
    ],
)
def test_two_records_lie_as_far_apart_as_the_total_whatever_an_output_is_made_of(claim):
    """Some output moves the odds between them by all of it: every output is tried."""
    *_, total = claim.promises()
    outputs = np.array(list(np.ndindex(*claim.sizes)), dtype=np.int32)
    assert np.abs(claim.log_ratio(total.records, outputs)).max() == pytest.approx(claim.total, abs=1e-8)


def tried(outputs, k):
    """The most that any output moves the odds between two records that differ as ``far_apart`` says, every lie set tried."""
    lies = np.array(list(np.ndindex(*(2,) * k)), dtype=np.bool_)
    logs = outputs.log_of(lies)
    return (logs - outputs.log_of(lies ^ np.array(outputs.far_apart(), dtype=np.bool_))).max(), np.ptp(logs)


@pytest.mark.parametrize("likeliest", [0b110, 0b011, 0b000])
@pytest.mark.parametrize("least", [0b100, 0b111, 0b010])
def test_records_are_furthest_apart_where_the_likeliest_lie_is_not_the_truth(likeliest, least):
    lying = np.array(list(np.ndindex(2, 2, 2)), dtype=np.bool_)
    weights = np.full(8, 3.0)
    weights[likeliest], weights[least] = 8, 1
    most, whole = tried(SetOutputs(Listed((2, 2, 2), 0.0, lying, weights / weights.sum())), 3)
    assert most == pytest.approx(whole)


@pytest.mark.parametrize("order", permutations(range(4)))
def test_records_are_furthest_apart_whichever_number_of_lies_is_likeliest(order):
    mechanism = SimpleNamespace(kind=np.zeros(3, dtype=np.int64), k=3, sizes=(2, 2, 2), log_gains=np.log(np.array(order) + 1.0))
    most, whole = tried(CountOutputs(mechanism), 3)
    assert most == pytest.approx(whole)
