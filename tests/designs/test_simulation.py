"""Every design, run: bias within its error, intervals that cover 93 to 97 %, tests of the right size; with and without weights."""

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.designs import BlocksOfPeople, design_error, estimate_blocks, estimate_counts, from_sample
from rrcore.designs.estimate import unbiased
from rrcore.estimate.sample import Sample
from tests.designs.catalogue import NUMBERS, channel

SHARES = {2: (0.7, 0.3), 3: (0.5, 0.3, 0.2), 4: (0.4, 0.2, 0.25, 0.15)}


def run(key, surveys, people, rng):
    """Estimates, errors and the truth of every quantity, and the counts, of many surveys."""
    design = channel(key)
    shares = np.array(SHARES[len(design.classes)])
    truths = []
    for quantity in design.quantities:
        truth = np.array(quantity.of, dtype=float) @ shares
        truths.append(truth / (np.array(quantity.per, dtype=float) @ shares) if quantity.per is not None else truth)
    groups = len(design.groups)
    expected = np.einsum("c,gcy->gy", shares, design.matrices)
    first = rng.binomial(people, 0.5, size=surveys) if groups == 2 else np.full(surveys, people)  # people split at random
    sizes = np.column_stack([first, people - first])[:, :groups]
    tables = rng.multinomial(sizes, expected)
    found = [unbiased(design, quantity, tables) for quantity in design.quantities]
    values, errors = (np.column_stack(parts) for parts in zip(*found, strict=True))
    return values, errors, np.array(truths), tables


def check(values, errors, truths, surveys):
    assert (np.abs(values.mean(axis=0) - truths) < 4.5 * values.std(axis=0) / np.sqrt(surveys)).all()
    covered = (np.abs(values - truths) < 1.959964 * errors).mean(axis=0)
    assert (covered > 0.93).all(), covered
    assert (covered < 0.97).all(), covered


@pytest.mark.parametrize("key", NUMBERS)
def test_bias_and_coverage(key):
    """4,000 surveys of 40,000. Bias: 4.5 errors, false alarm 7e-6. Coverage 93 to 97 %: 5.8 errors from 95 %, false alarm 1e-8."""
    values, errors, truths, _ = run(key, 4_000, 40_000, np.random.default_rng(20))
    check(values, errors, truths, 4_000)


@pytest.mark.parametrize("key", NUMBERS)
def test_bias_and_coverage_with_weights(key):
    """The same where half of the people stand for three each, and are more often of the first class."""
    rng, design = np.random.default_rng(22), channel(key)
    quantity = design.quantities[0]
    shares = np.array(SHARES[len(design.classes)])
    often = 0.6 * shares + 0.4 * np.eye(len(shares))[0]
    light, heavy = (
        rng.multinomial(2_000, np.einsum("c,gcy->gy", one, design.matrices), size=(4_000, len(design.groups)))
        for one in (shares, often)
    )
    values, errors = unbiased(design, quantity, light + heavy, light + 3 * heavy, light + 9 * heavy)
    truth = np.array(quantity.of, dtype=float) @ (0.25 * shares + 0.75 * often)
    check(values[:, None], errors[:, None], np.array([truth]), 4_000)


@pytest.mark.parametrize("key", ["kuk", "cheating", "lie-detector"])
def test_equal_weights_are_none(key):
    design, rng = channel(key), np.random.default_rng(2)
    shares = np.array(SHARES[len(design.classes)])
    counts = rng.multinomial(2_000, np.einsum("c,gcy->gy", shares, design.matrices))
    groups, reports = (np.repeat(codes.ravel(), counts.ravel()) for codes in np.indices(counts.shape))
    for quantity in design.quantities:
        found = from_sample(design, quantity, reports, Sample(np.full(len(reports), 2.0)), groups)
        value, error = unbiased(design, quantity, counts)
        assert found.value == pytest.approx(value)
        assert found.error == pytest.approx(error, rel=5e-4)  # n / (n - 1) of all people, not of each group


@pytest.mark.parametrize(
    "samples", [pytest.param(300, marks=pytest.mark.slow), pytest.param(1_500, marks=pytest.mark.long)], ids=["short", "long"]
)
def test_weights_strata_and_a_finite_population_of_two_groups(samples):
    """Samples of 240 of 600 and 240 of 2,400 people: the error's mean square within 4 errors of the variance, false alarm 6e-5."""
    rng, design = np.random.default_rng(9), channel("cheating")
    people = [rng.choice(3, size=n, p=p) for n, p in ((600, (0.3, 0.5, 0.2)), (2_400, (0.7, 0.2, 0.1)))]
    truth = np.mean(np.concatenate(people) == 1)
    strata = np.repeat([0, 1], 240)
    sample = Sample(np.repeat([2.5, 10.0], 240), strata=strata, populations=np.array([600.0, 2_400.0]))
    found = []
    for _ in range(samples):
        classes = np.concatenate([rng.choice(stratum, 240, replace=False) for stratum in people])
        groups = np.tile([0, 1], 240)
        reports = (rng.random(480) < design.matrices[groups, classes, 1]).astype(int)
        found.append(from_sample(design, design.quantities[0], reports, sample, groups))
    values, errors = np.array([(one.value, one.error) for one in found]).T
    assert abs(values.mean() - truth) < 4.5 * values.std() / np.sqrt(samples)
    assert (errors**2).mean() == pytest.approx(values.var(), rel=4 * np.sqrt(2 / samples))


@pytest.mark.long
@pytest.mark.parametrize("key", NUMBERS)
def test_bias_coverage_and_size_at_length(key):
    """20,000 surveys of 40,000: coverage 93 to 97 % (13 errors from 95 %), size of 4,000 fits' test 4 to 6 %, but for
    what 4,000 scatter by (1e-3)."""
    values, errors, truths, tables = run(key, 20_000, 40_000, np.random.default_rng(21))
    check(values, errors, truths, 20_000)
    design = channel(key)
    if design.free:
        p = np.array([estimate_counts(design, table).fit.p for table in tables[:4_000]])
        assert binom.ppf(5e-4, 4_000, 0.04) <= (p < 0.05).sum() <= binom.isf(5e-4, 4_000, 0.06)


@pytest.mark.slow
def test_blocks_are_as_precise_as_asking_fewer_people_openly():
    """2,000 surveys of 200 blocks of 5 with 1 lie: bias 4.5 errors (7e-6), coverage 93 to 97 % (4.1 errors: 4e-5)."""
    rng, blocks = np.random.default_rng(4), BlocksOfPeople(5, 1)
    truth = rng.random((2_000, 200, 5)) < 0.3
    liar = rng.integers(5, size=(2_000, 200))
    np.put_along_axis(truth, liar[..., None], True, axis=2)
    found = [estimate_blocks(survey, blocks) for survey in truth.sum(axis=2)]
    values, errors = (np.array([[getattr(one, name)] for one in found]) for name in ("value", "error"))
    check(values, errors, np.array([0.3]), 2_000)
    assert values.std() == pytest.approx(np.sqrt(0.3 * 0.7 / 800), rel=0.08)
    forced = channel("devore", "4/5")  # the same share of forced yes, each by a die of one's own
    assert values.std() < 0.9 * design_error(forced, (0.7, 0.3), [1000.0])[0]
