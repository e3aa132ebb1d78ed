"""Guessers at work: right as often as Bayes' rule allows, and no guesser can do better."""

import numpy as np
import pytest
from scipy.stats import binomtest

from rrcore.audit import Claim, exact_sampler, observe
from rrcore.audit.attacks import simulated_sampler
from rrcore.audit.broken import broken
from rrcore.audit.guessers import guess
from rrcore.errors import InputError
from rrcore.mechanisms import Kronecker, Optimal
from tests import oracles
from tests.audit import zoo

SURE = 1 - 1e-5


@pytest.mark.parametrize("name", zoo.FILES)
def test_guesses_and_formula_are_those_of_bayes_rule(name):
    """Exactly: every true record, every output with its probability."""
    file = zoo.FILES[name]
    claim = Claim.of_file(file)
    space = oracles.cells(claim.sizes)
    outputs = np.array(space, dtype=np.int32)
    rows = dict(zip(space, oracles.exact_matrix(file.groups), strict=True))
    for i, size in enumerate(claim.sizes):
        alone = full = best_alone = best_full = 0.0
        joint = np.zeros((size, size))
        for record in space:
            known = np.tile(np.array(record, dtype=np.int32), (len(space), 1))
            by_answer, by_record = claim.guesses(i, known, outputs)
            alone += rows[record] @ (by_answer == record[i])
            full += rows[record] @ (by_record == record[i])
            joint[record[i]] += np.bincount(outputs[:, i], weights=rows[record], minlength=size)
        for others in {(*record[:i], *record[i + 1 :]) for record in space}:
            best_full += np.max([rows[(*others[:i], value, *others[i:])] for value in range(size)], axis=0).sum()
        best_alone = joint.max(axis=0).sum()
        seen = claim.formula(i)
        assert alone / len(space) == pytest.approx(best_alone / len(space), abs=1e-12)
        assert full / len(space) == pytest.approx(best_full / len(space), abs=1e-12)
        assert (seen.alone, seen.full) == pytest.approx((alone / len(space), full / len(space)), abs=1e-9)
        assert seen.before == 1 / size


def test_the_other_true_answer_of_the_guessed_attribute_is_not_peeked_at():
    claim = Claim.of_file(zoo.FILES["optimal"])
    released = np.array(oracles.cells(claim.sizes), dtype=np.int32)
    found = [claim.guesses(2, np.tile(np.array((1, 0, x), dtype=np.int32), (24, 1)), released)[1] for x in range(4)]
    for one in found[1:]:
        np.testing.assert_array_equal(one, found[0])


@pytest.mark.parametrize("name", ["optimal", "pairs only", "pram beside a coupling", "rarely true"])
def test_measured_as_computed(name):
    file = zoo.FILES[name]
    claim = Claim.of_file(file)
    for one in guess(exact_sampler(file), claim, 40_000, rng=np.random.default_rng(0), confidence=SURE):
        assert one.verdict == "as computed"
        assert one.low < one.formula < one.high
        interval = binomtest(one.right, one.runs).proportion_ci(1 - (1 - SURE) / (2 * claim.k), method="exact")
        assert (one.low, one.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
        assert one.high - one.low < 0.03
        assert one.measured == one.right / 40_000


def test_the_formula_is_the_observers():
    mechanism = Optimal.from_levels((3, 2, 4), (1.0, 0.4, 2.0))
    found = guess(
        simulated_sampler(mechanism, rng=np.random.default_rng(1)),
        Claim.of_mechanism(mechanism),
        1000,
        rng=np.random.default_rng(2),
    )
    for one in found:
        seen = observe(mechanism, one.axis, np.full(mechanism.sizes[one.axis], 1 / mechanism.sizes[one.axis]))
        assert one.formula == pytest.approx(getattr(seen, one.sees), abs=1e-13)
    assert [(one.axis, one.sees) for one in found] == [(i, sees) for i in range(3) for sees in ("alone", "full")]


def test_guessers_of_a_broken_mechanism_are_right_too_often():
    file = zoo.FILES["pair-safe"]
    claim = Claim.of_file(file)
    run = broken(exact_sampler(file), claim, rng=np.random.default_rng(3))
    found = guess(run, claim, 100_000, rng=np.random.default_rng(4))
    assert {one.verdict for one in found if one.sees == "alone"} == {"right too often"}
    dull = guess(lambda true: (true + 1) % np.array(claim.sizes, dtype=np.int32), claim, 1000, rng=np.random.default_rng(5))
    assert {one.verdict for one in dull} == {"right too rarely"}


def test_many_attributes_have_a_bound_only():
    mechanism = Kronecker.from_levels((3,) * 13, [1.0] * 13)
    found = guess(
        simulated_sampler(mechanism, rng=np.random.default_rng(6)),
        Claim.of_mechanism(mechanism),
        5000,
        rng=np.random.default_rng(7),
    )
    assert {one.verdict for one in found if one.sees == "full"} == {"within the bound"}
    assert {one.verdict for one in found if one.sees == "alone"} == {"as computed"}


def test_too_few_runs():
    with pytest.raises(InputError, match=r"^An audit of 99 runs: "):
        guess(exact_sampler(zoo.FILES["forced"]), Claim.of_file(zoo.FILES["forced"]), 99, rng=np.random.default_rng(0))
