"""Weights by counts of lies: the same mechanism as its list of sets of changes, and for as many questions as a mechanism is planned for."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrcore.answers import read_answers
from rrcore.asking import respondent_form
from rrcore.auditing.enumeration import enumerate_file
from rrcore.budget import build
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_COUNTS
from rrcore.mechanisms import Optimal
from rrcore.mechanisms.conditioned import Conditioned
from rrcore.mechanisms.optimal import optimum_by_counts
from rrcore.mechanisms.thinned import Thinned
from rrcore.promise import certified_nats, integer_groups, mechanism_of_integers
from rrcore.promise.certificate import certify
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.rounding import _by_counts
from rrcore.promise.weights import CountWeights, LieWeights
from rrcore.table.dataset import Dataset
from tests import oracles
from tests.promise.designs_zoo import COUNTED, file_of


def listed(weights):
    """Every set of changes with its weight: that of one record times the records that have exactly these lies."""
    ends = np.cumsum([0, *weights.kinds])
    table = np.array(weights.records, dtype=object).reshape(weights.shape)
    lies = []
    for lie_set in product((0, 1), repeat=len(weights.sizes)):
        counts = tuple(sum(lie_set[a:b]) for a, b in pairwise(ends))
        weight = int(table[counts]) * oracles.outputs_with(lie_set, weights.sizes)
        lies.append(("".join(map(str, lie_set)), weight))
    return LieWeights(weights.sizes, 0, tuple((name, weight) for name, weight in lies if weight))


def in_counts(mechanism):
    """Integer weights by counts whatever the number of attributes, which stand kind by kind already."""
    found = mechanism.by_counts()
    kind, log_gains = found.kind, found.log_gains
    assert (np.diff(kind) >= 0).all()
    return _by_counts(mechanism.sizes, np.bincount(kind), log_gains)


SMALL = {
    "one kind": lambda: optimum_by_counts((2,) * 9, [1.0] * 9),
    "two kinds": lambda: optimum_by_counts((2,) * 4 + (4,) * 3, [1.0] * 4 + [1.5] * 3),
    "hidden at times": lambda: Thinned((2,) * 5 + (3,) * 4, optimum_by_counts((2,) * 5 + (3,) * 4, [2.0] * 9), HIDDEN),
    "preserving-2": lambda: Thinned.safe((2,) * 4 + (4,) * 4, [1.5] * 8, optimum_by_counts),
    "conditioned": lambda: Conditioned.from_epsilon((2,) * 5 + (3,) * 4, [1.0] * 5 + [2.0] * 4),
    "table": lambda: Optimal.from_epsilon((2, 2, 2, 3, 3), [1.0] * 3 + [0.5] * 2),
}
HIDDEN = np.array([0.2] * 5 + [0.35] * 4)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_mechanism_by_counts_is_the_mechanism(name):
    """Against its own channel over all attributes, which is computed in another way."""
    mechanism = SMALL[name]()
    found = mechanism.by_counts()
    kind, gains = found.kind, found.log_gains
    lie_sets = mechanism.channel(range(mechanism.k))
    wanted = lie_sets.log_weights + np.log(mechanism.sizes).sum()
    lying = np.indices((2,) * mechanism.k)
    counts = tuple(lying[kind == t].sum(axis=0) for t in range(gains.ndim))
    np.testing.assert_allclose(gains[counts], wanted, rtol=0, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_what_is_written_is_what_the_list_of_lie_sets_gives(name):
    mechanism = SMALL[name]()
    weights = in_counts(mechanism)
    own, expanded = (certify(((tuple(range(mechanism.k)), w),)) for w in (weights, listed(weights)))
    assert own == expanded
    assert all(float(certified_nats(ratio)) <= eps + 1e-9 for ratio, eps in zip(own.epsilon, mechanism.epsilon, strict=True))
    assert float(certified_nats(own.epsilon_total)) <= mechanism.epsilon_total + 1e-9
    for axes in ((0,), (mechanism.k - 1, 0), (1, 0, mechanism.k - 1), range(mechanism.k)):
        found = weights.channel(axes).probabilities
        np.testing.assert_allclose(found, listed(weights).channel(axes).probabilities, rtol=1e-12, atol=1e-16)
        np.testing.assert_allclose(found, mechanism.channel(axes).probabilities, rtol=1e-8, atol=1e-12)
    assert [weights.truth(i) for i in range(mechanism.k)] == [listed(weights).truth(i) for i in range(mechanism.k)]


@pytest.mark.slow
@settings(max_examples=40)
@given(st.sampled_from([((2, 2, 2), (3,)), ((3, 2, 2), (1, 2)), ((2, 3), (1, 1))]), st.data())
def test_random_weights_promise_what_the_written_out_channel_gives(shape, data):
    sizes, kinds = shape
    vectors = math.prod(n + 1 for n in kinds)
    records = data.draw(st.lists(st.integers(0, 30), min_size=vectors, max_size=vectors).filter(any))
    groups = ((tuple(range(len(sizes))), CountWeights(sizes, kinds, tuple(records))),)
    found = certify(groups)
    assert (found.epsilon, found.epsilon_informed, found.epsilon_total) == oracles.exact_promises(groups)


def test_enumeration_agrees_and_catches_a_wrong_claim():
    file = file_of((((2, 0, 1), COUNTED),))
    assert enumerate_file(file).agrees
    other = file_of((((2, 0, 1), CountWeights((2, 2, 3), (2, 1), (41, 9, 7, 3, 2, 1))),))
    assert not enumerate_file(file, other.certificate).agrees


QUESTIONS = {
    "21 yes/no": ((2,) * 21, 1.0),
    "100 yes/no": ((2,) * 100, 1.0),
    "15 yes/no and 10 of four": ((2,) * 15 + (4,) * 10, 1.0),
    "mixed up": ((4, 2, 3) * 8, 1.2),
}


@pytest.mark.parametrize(("name", "mechanism"), list(zip(QUESTIONS, ["optimal", "preserving-2"] * 2, strict=True)))
def test_many_questions_are_planned_written_certified_asked_and_read(name, mechanism):
    """Everybody answers alike, so that shares are known: 1 for the first cell; within 6 standard errors. The bytes have a seed."""
    sizes, level = QUESTIONS[name]
    planned = build(mechanism, sizes, [level] * len(sizes))
    groups = integer_groups(planned)
    assert [type(weights) for _, weights in groups] == [CountWeights]
    file = file_of(groups)
    assert len(file.to_json()) < 60_000
    assert MechanismFile.from_json(file.to_json()) == file
    assert {certified_nats(ratio) for ratio in file.certificate.epsilon} == {f"{level:.9f}"}
    assert float(certified_nats(file.certificate.epsilon_total)) <= planned.epsilon_total + 1e-9
    assert file.sha256 in respondent_form(file, title="Many questions")
    released = Dataset(file.schema, file.sample(np.zeros((4000, len(sizes)), dtype=np.int32), rng=np.random.default_rng(0)))
    lies = (released.codes != 0).mean(axis=0)
    assert (np.abs(lies - planned.lies) < 6 * np.sqrt(planned.lies / 4000)).all()
    answers = read_answers([(released.to_csv().encode(), "answers.csv")], file)
    for axes in ((0, 1), (0, len(sizes) - 1), (2, 1, 0)):
        estimate = answers.estimate([file.schema.names[i] for i in axes])
        wanted = np.zeros(estimate.shares.shape)
        wanted[(0,) * len(axes)] = 1
        assert (np.abs(estimate.shares - wanted) < 6 * estimate.std_error(population=True) + 1e-9).all()


def test_a_file_by_counts_is_a_mechanism_again():
    planned = build("preserving-2", (2,) * 15 + (4,) * 10, [1.0] * 25)
    again = mechanism_of_integers(file_of(integer_groups(planned)))
    np.testing.assert_allclose(again.lies, planned.lies, rtol=1e-9)
    np.testing.assert_allclose(again.pair_factors, planned.pair_factors, atol=1e-9)
    assert again.epsilon_total <= planned.epsilon_total  # which is a bound for what is hidden on top


@pytest.mark.slow
def test_long_lists_become_counts_and_short_ones_stay_lists():
    for k, kind in ((12, LieWeights), (13, CountWeights)):
        file = file_of(integer_groups(build("preserving-2", (2,) * k, [1.0] * k)))
        assert type(file.groups[0][1]) is kind


@pytest.mark.parametrize(
    ("sizes", "kinds", "records", "message"),
    [
        ((2, 2), (2,), (1, 2), "3 counts .*, got 2"),
        ((2, 2), (1,), (1, 2), "Expected 2 attributes"),
        ((2, 2), (2, 0), (1, 2, 3), "Expected 2 attributes"),
        ((2, 3), (2,), (1, 2, 3), "different numbers of categories"),
        ((2, 2), (2,), (1, -2, 3), "negative"),
        ((2, 2), (2,), (0, 0, 0), "All weights are 0"),
        ((2, 2), (2,), (1, 2, 1 << 1024), "1024 bits"),
        ((2,) * 18, (1,) * 18, (1,), None),
        ((2,) * 19, (1,) * 19, (1,), f"at most {MAX_FILE_COUNTS:,}"),
    ],
)
def test_weights_that_cannot_be_are_refused(sizes, kinds, records, message):
    with pytest.raises(InputError, match=message or "262,144 counts .*, got 1"):
        CountWeights(sizes, kinds, records)


def test_what_is_of_too_many_kinds_is_told_what_to_do():
    with pytest.raises(InputError, match=r"of too many kinds"):
        integer_groups(build("optimal", (4,) * 21, np.linspace(0.5, 2.5, 21)))
