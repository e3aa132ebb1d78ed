"""Bounds from runs: valid over many seeds, close to the claim, and above it where the mechanism is broken."""

from itertools import product
from math import exp, inf, log

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from rrcore.audit import Claim, attack, exact_sampler
from rrcore.audit.attacks import simulated_sampler
from rrcore.audit.broken import broken, restored_shares, runs_to_catch_excess
from rrcore.audit.fit import best_event, largest_bound, lower_bound, runs_to_catch
from rrcore.channel.levels import level_from_lie
from rrcore.errors import InputError
from rrcore.mechanisms import Kronecker, Optimal
from rrcore.promise.weights import LieWeights
from tests import oracles
from tests.audit import zoo

RARE = 1e-5
"""False-alarm rate of a test that counts."""


def codes(*rows):
    return np.array(rows, dtype=np.int32)


# the bound itself


@pytest.mark.parametrize(("hits", "other", "runs"), [(700, 100, 1000), (1000, 0, 1000), (50, 49, 100), (3, 0, 10), (1, 99, 100)])
def test_the_bound_is_that_of_two_clopper_pearson_intervals(hits, other, runs):
    low = binomtest(hits, runs).proportion_ci(0.98, method="exact").low
    high = binomtest(other, runs).proportion_ci(0.98, method="exact").high
    assert float(lower_bound(hits, other, runs, 0.98)) == pytest.approx(max(0, log(low / high)), rel=1e-9)


def test_nothing_is_shown_by_nothing():
    assert lower_bound([0, 0, 5], [0, 7, 10], 10, 0.9).tolist() == [0, 0, 0]
    assert largest_bound(1000, 0.99) == pytest.approx(log(0.005 ** (1 / 1000) / (1 - 0.005 ** (1 / 1000))), rel=1e-9)


def test_the_bound_is_too_high_no_more_often_than_stated():
    rng = np.random.default_rng(3)
    p, q, runs, n = 0.6, 0.2, 500, 20_000
    bounds = lower_bound(rng.binomial(runs, p, n), rng.binomial(runs, q, n), runs, 0.9)
    assert (bounds > log(p / q)).sum() <= binom.isf(RARE, n, 0.1)
    assert np.median(bounds) > 0.8 * log(p / q)


def test_the_best_of_nested_events():
    rng = np.random.default_rng(1)
    scores = np.sort(rng.normal(size=50))
    one, other = rng.integers(0, 40, 50) + np.arange(50), rng.integers(0, 40, 50)
    bounds = [float(lower_bound(one[i:].sum(), other[i:].sum(), 10_000, 0.99)) for i in range(50)]
    assert best_event(scores, one, other, 10_000, 0.99) == scores[int(np.argmax(bounds))]


# the claim that chooses the events


@pytest.mark.parametrize("name", zoo.FILES)
def test_records_and_scores_are_those_of_the_dense_channel(name):
    """ln P(o | x) - ln P(o | x') for every output, and its largest value is the leakage or total claimed."""
    file = zoo.FILES[name]
    claim = Claim.of_file(file)
    outputs = codes(*oracles.cells(claim.sizes))
    likelihood = dict(zip(oracles.cells(claim.sizes), oracles.exact_matrix(file.groups), strict=True))
    kinds = []
    for promise in claim.promises():
        first, second = promise.records
        kinds.append(promise.about)
        logs = np.log(likelihood[first]) - np.log(likelihood[second])
        if promise.about == "level":
            rows = claim.answer_rows(promise)
            for row, record in zip(rows, promise.records, strict=True):
                counts = np.bincount(outputs[:, promise.axis], weights=likelihood[record], minlength=rows.shape[1])
                np.testing.assert_allclose(row, counts, atol=1e-12)
            logs = np.log(rows[0] / rows[1])
        else:
            np.testing.assert_allclose(claim.log_ratio(promise.records, outputs), logs, atol=1e-9)
        assert logs.max() == pytest.approx(promise.claim, abs=2e-9)
        assert sum(x != y for x, y in zip(first, second, strict=True)) == 1 or promise.about == "total"
    assert kinds == ["level"] * claim.k + ["leakage"] * claim.k + ["total"]


@pytest.mark.parametrize(
    "mechanism", [Kronecker.from_levels((3, 2), (1, 2)), Optimal.from_levels((3, 2), (1, 2)), zoo.PAIRS_ONLY]
)
def test_the_claim_of_a_planned_mechanism(mechanism):
    claim = Claim.of_mechanism(mechanism)
    matrix, space = oracles.dense_mechanism(mechanism), oracles.cells(mechanism.sizes)
    for promise in claim.promises():
        first, second = (matrix[space.index(record)] for record in promise.records)
        if promise.about != "level":
            np.testing.assert_allclose(claim.log_ratio(promise.records, codes(*space)), np.log(first / second), atol=1e-9)
            assert np.log(first / second).max() == pytest.approx(promise.claim, abs=1e-9)
    assert claim.total == mechanism.total_level


def test_too_many_attributes_ask_for_a_file():
    with pytest.raises(
        InputError, match=r"^This mechanism has 21 attributes: at most 20 are audited before a mechanism file is made"
    ):
        Claim.of_mechanism(Kronecker.from_levels((2,) * 21, [1] * 21))


# honest mechanisms


def sampler_of(file, rng):
    """A seeded sampler of a small file: outputs drawn from the dense rows."""
    space, rows = codes(*oracles.cells(file.schema.sizes)), oracles.exact_matrix(file.groups)

    def run(true):
        assert (true == true[0]).all()
        record = np.ravel_multi_index(tuple(true[0]), file.schema.sizes)
        return space[rng.choice(len(space), size=len(true), p=rows[record])]

    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", ["optimal", "kronecker", "pram beside a coupling", "forced"])
def test_honest_mechanisms_are_accused_no_more_often_than_stated(name):
    """Any of the promises contradicted, in 40 audits at 90 % confidence."""
    claim = Claim.of_file(zoo.FILES[name])
    alarms = 0
    for seed in range(40):
        bounds = attack(sampler_of(zoo.FILES[name], np.random.default_rng(seed)), claim, 1500, confidence=0.9)
        alarms += any(bound.contradicted for bound in bounds)
    assert alarms <= binom.isf(RARE, 40, 0.1)


@pytest.mark.parametrize("name", ["optimal", "pair-safe", "kronecker", "joint", "pairs only", "forced", "rarely true"])
def test_the_exact_sampler_shows_nearly_all_that_is_claimed_and_no_more(name):
    """100,000 runs; a false alarm at most once in 100,000 audits."""
    file = zoo.FILES[name]
    for bound in attack(exact_sampler(file), Claim.of_file(file), 100_000, confidence=1 - RARE):
        assert not bound.contradicted
        assert bound.verdict == "not contradicted"
        missed = 0.06 if bound.promise.about == "level" else 0.12
        assert bound.shown > (1 - missed) * bound.promise.claim - 0.1


def test_the_simulated_mechanism_is_held_against_its_own_claim():
    mechanism = Optimal.from_levels((5, 5, 5), (1, 1, 1))
    bounds = attack(simulated_sampler(mechanism, rng=np.random.default_rng(2)), Claim.of_mechanism(mechanism), 200_000)
    assert [bound.contradicted for bound in bounds] == [False] * 7
    assert 0.93 * mechanism.total_level < bounds[-1].shown < mechanism.total_level
    assert bounds[0].sentence("abc").startswith("level of 'a': claim 1.00, shown by 200,000 runs: at least 0.9")
    assert bounds[-1].sentence("abc").startswith("total of whole record: claim ")


def test_a_total_beyond_all_runs_is_said_to_be_out_of_reach():
    mechanism = Kronecker.from_levels((4,) * 10, [2] * 10)
    bound = attack(simulated_sampler(mechanism, rng=np.random.default_rng(0)), Claim.of_mechanism(mechanism), 2000)[-1]
    assert bound.verdict == "out of reach"
    assert 1 < bound.shown < bound.reach < 20
    assert "so many runs can show at most" in bound.sentence("abcdefghij")


def test_without_a_bound_nothing_is_promised():
    file = zoo.grouped(LieWeights((2, 2), 0, (("00", 3), ("11", 1))))
    bounds = attack(exact_sampler(file), Claim.of_file(file), 5000, confidence=1 - RARE)
    assert [bound.verdict for bound in bounds] == ["not contradicted"] * 2 + ["nothing promised"] * 3
    assert bounds[-1].promise.claim == inf
    assert bounds[-1].part is None


@pytest.mark.parametrize("runs", [99, 10_000_001])
def test_too_few_and_too_many_runs(runs):
    with pytest.raises(InputError, match=r"^An audit of [0-9,]+ runs: give 100 to 10,000,000\.$"):
        attack(exact_sampler(zoo.FILES["forced"]), Claim.of_file(zoo.FILES["forced"]), runs)


# broken mechanisms


@pytest.mark.parametrize("name", zoo.FILES)
def test_what_is_broken_has_levels_ten_percent_above_the_claim(name):
    claim = Claim.of_file(zoo.FILES[name])
    for i, share in enumerate(restored_shares(claim, 0.1)):
        matrix = claim.answer_matrix(i)
        mended = (1 - share) * matrix + share * np.eye(len(matrix))
        assert oracles.total_of(mended) == pytest.approx(1.1 * claim.levels[i], abs=1e-8)
    if name == "optimal":
        lies = Optimal.from_levels((3, 2, 4), (1.0, 0.4, 2.0)).lies * (1 - restored_shares(claim, 0.1))
        np.testing.assert_allclose(level_from_lie(lies, (3, 2, 4)), [1.1, 0.44, 2.2], atol=1e-6)


BROKEN = {
    "coupled": zoo.planned("optimal", (4, 2, 2), (2.0, 1.5, 1.5)),
    "forced": zoo.FILES["forced"],
    "alone": zoo.planned("kronecker", (3,), (1.0,)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_level_ten_percent_too_high_is_caught_after_the_runs_that_are_said(name):
    """Missed at most once in 1,000 each; with a quarter of the runs it is missed more often than not."""
    claim = Claim.of_file(BROKEN[name])
    honest = sampler_of(BROKEN[name], np.random.default_rng(7))
    levels = [promise for promise in claim.promises() if promise.about == "level"]
    each = 1 - 0.001 / (2 * claim.k + 1)
    needed = max(runs_to_catch_excess(claim, promise, confidence=each) for promise in levels)
    audits = 20
    for runs, fewest, most in ((needed, audits - 2, audits), (needed // 4, 0, audits - 5)):
        caught = np.zeros(claim.k, dtype=int)
        for seed in range(audits):
            run = broken(honest, claim, rng=np.random.default_rng(seed))
            caught += [bound.contradicted for bound in attack(run, claim, runs)[: claim.k]]
        assert (caught >= fewest).all()
        assert caught.min() <= most


def test_a_broken_coupling_is_caught_in_the_whole_record_too():
    file = BROKEN["coupled"]
    claim = Claim.of_file(file)
    bounds = attack(broken(exact_sampler(file), claim, rng=np.random.default_rng(1)), claim, 100_000)
    assert bounds[-1].verdict == "contradicted"
    assert bounds[-1].sentence(file.schema.names).endswith("; contradicted")
    assert bounds[-1].part > 1


@pytest.mark.slow
def test_runs_that_catch_are_enough_and_not_many_too_many():
    """The probability that the bound passes the claim, summed over both binomial distributions but for 1e-12 at each end."""
    p, q, claim, confidence = exp(1.1) / (1 + exp(1.1)), 1 / (1 + exp(1.1)), 1.0, 0.95

    def power(runs):
        hits, other = (np.arange(binom.ppf(1e-12, runs, rate), binom.isf(1e-12, runs, rate) + 1) for rate in (p, q))
        passed = lower_bound(hits[:, None], other[None], runs, confidence) > claim
        return float(binom.pmf(hits, runs, p) @ passed @ binom.pmf(other, runs, q))

    runs = runs_to_catch(p, q, claim, confidence=confidence, power=0.6)
    assert power(runs) >= 0.6
    assert power(runs // 2) < 0.6
    assert runs_to_catch(0.5, 0.2, 1.0, confidence=confidence) is None
    assert runs_to_catch(p, q, claim, confidence=confidence, most=100) is None


def test_every_combination_of_seen_and_unseen_answers_is_scored():
    """Outputs that the claim rules out under both records say nothing; under one of them, everything."""
    claim = Claim.of_file(zoo.grouped(LieWeights((2, 2), 0, (("00", 3), ("11", 1)))))
    scores = claim.log_ratio(((0, 0), (0, 1)), codes(*product(range(2), repeat=2)))
    assert scores.tolist() == [inf, -inf, -inf, inf]
    assert claim.log_ratio(((0, 0), (1, 1)), codes((0, 1))).tolist() == [0]
