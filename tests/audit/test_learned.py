"""Attacks that learn: they come close to what is really given away, and are not fooled by chance."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest, norm

from rrcore.audit import Claim, exact_sampler
from rrcore.audit.attacks import simulated_sampler
from rrcore.audit.fit import lower_bound
from rrcore.audit.learned import choose_records, learn_levels, learn_pairs
from rrcore.audit.trials import balanced
from rrcore.mechanisms import Joint
from tests.audit import zoo

RARE = 1e-5


def test_an_unknown_mechanism_shows_nearly_its_total():
    mechanism = Joint.from_levels((3, 4), (2.0, 2.0))
    rng = np.random.default_rng(4)
    (found,) = learn_pairs(
        simulated_sampler(mechanism, rng=rng),
        (3, 4),
        ((0, 0), (1, 1)),
        {(0, 1): mechanism.total_level},
        100_000,
        confidence=0.999,
        rng=rng,
    )
    assert 0.93 * mechanism.total_level < found.shown < mechanism.total_level
    assert not found.contradicted


def test_large_records_are_told_apart_by_their_parts():
    """10^12 outputs, every one seen once: singles, pairs and agreements still tell two records apart."""
    k, rng = 12, np.random.default_rng(0)

    def mostly_true(true):
        return np.where(rng.random(true.shape) < 0.4, true, rng.integers(0, 10, true.shape)).astype(np.int32)

    (found,) = learn_pairs(
        mostly_true, (10,) * k, ((0,) * k, (1,) * k), {(0, 1): 3.0}, 8_000, confidence=0.999, rng=np.random.default_rng(1)
    )
    assert found.shown > 5
    assert found.contradicted


def test_what_is_pure_noise_shows_nothing_however_many_outputs_there_are():
    """60 pairs at 90 % confidence each."""
    noise_rng = np.random.default_rng(7)
    records = tuple((x, x) for x in range(12))
    claims = {(a, b): 0.0 for a in range(12) for b in range(a)}

    def noise(true):
        return noise_rng.integers(0, 20, true.shape).astype(np.int32)

    found = learn_pairs(noise, (20, 20), records, claims, 800, confidence=1 - 0.1 * len(claims), rng=np.random.default_rng(1))
    assert sum(one.contradicted for one in found) <= binom.isf(RARE, len(claims), 0.1)


def test_unequal_runs():
    low = binomtest(70, 100).proportion_ci(0.98, method="exact").low
    high = binomtest(20, 1000).proportion_ci(0.98, method="exact").high
    assert float(lower_bound(70, 20, 100, 0.98, other_runs=1000)) == pytest.approx(np.log(low / high), rel=1e-9)


def test_levels_are_learned_from_random_records():
    """No level is overstated but with probability 1e-5, and none understated by more than the bound's own width and chance explain.

    The sampler's randomness is fresh. ln of the ratio of two frequencies has normal errors here; the event is the likeliest answer's.
    """
    file = zoo.FILES["pram beside a coupling"]
    claim, rng = Claim.of_file(file), np.random.default_rng(0)
    true = balanced(file.sizes, 240_000, rng)
    found = learn_levels(true, exact_sampler(file)(true), file.sizes, claim.levels, confidence=1 - RARE)
    assert [one.axis for one in found] == [0, 1, 2, 3]
    for i, (one, level) in enumerate(zip(found, claim.levels, strict=True)):
        matrix, each = claim.answer_matrix(i), len(true) / 2 / file.sizes[i]  # runs with one true answer in the second half
        top, out = np.unravel_index((matrix / matrix.min(axis=0)).argmax(), matrix.shape)
        errors = [np.sqrt((1 - p) / (p * each)) for p in (matrix[top, out], matrix[:, out].min())]
        least = level - norm.isf(RARE / 16) * sum(errors) - norm.isf(RARE / 4) * np.hypot(*errors)
        assert least > 0.7 * level
        assert least < one.shown <= level
    told = found[0].sentence(file.schema.names, [attribute.categories for attribute in file.schema.attributes])
    assert told.startswith("Telling apart 'q0' = ")


def test_the_promise_for_a_pair_is_the_total_or_the_leakages_of_what_differs():
    records, promised = choose_records([(0, 0, 0), (0, 1, 0)], (2, 2, 2), (1.0, 2.0, 3.0), 4.0, rng=np.random.default_rng(0))
    assert sorted(records) == [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    assert len(promised) == 28
    for (a, b), claim in promised.items():
        differ = [x != y for x, y in zip(records[a], records[b], strict=True)]
        assert claim == min(4.0, np.dot(differ, [1.0, 2.0, 3.0]))


def test_some_hundred_pairs_of_a_large_domain():
    records, promised = choose_records([(0,) * 9], (5,) * 9, (1.0,) * 9, 9.0, rng=np.random.default_rng(0))
    assert len(promised) == 300
    assert len(set(records)) == len(records)


def test_bounds_of_pairs_hold_together_and_are_of_the_runs_that_nothing_was_learned_from():
    """Answers that are released as they are tell records apart in every run: of 101, a half and what is left of the quarters counts."""
    records, claims = ((0, 0), (0, 1), (1, 1)), {(0, 1): 9.0, (0, 2): 9.0, (1, 2): 9.0}
    found = learn_pairs(lambda given: given, (2, 2), records, claims, 101, confidence=0.95, rng=np.random.default_rng(0))
    bound = lower_bound(51, 0, 51, 1 - 0.05 / 3)
    assert [one.shown for one in found] == [pytest.approx(float(bound))] * 3
    assert [one.records for one in found] == [(records[a], records[b]) for a, b in claims]
