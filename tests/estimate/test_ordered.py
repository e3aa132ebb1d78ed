"""Cumulative shares, quartiles and means: against merged categories, people one by one, closed forms and simulated surveys."""

import csv
import io
import json

import numpy as np
import pytest

from rrcore.channel import LieSets, MatrixChannel
from rrcore.errors import InputError
from rrcore.estimate import Sample, invert_counts, normal_point, ordered_scores, ordered_summary
from rrcore.estimate.inversion import invert_tally
from rrcore.estimate.ordered import cumulative_laws
from rrcore.estimate.sample import tally
from rrcore.limits import MAX_CATEGORIES
from rrcore.mechanisms import build
from rrcore.table import Attribute, Schema
from tests.estimate.coverage import draw
from tests.estimate.sample.drawing import report, slow_variance

NEAR = MatrixChannel(
    np.array([[0.5 ** abs(i - j) for j in range(6)] for i in range(6)])
    / [[sum(0.5 ** abs(i - j) for j in range(6))] for i in range(6)]
)
"""Answers near the true one are likelier than far ones: sums of categories are not randomised alike within."""
SHARES = np.array([0.08, 0.2, 0.3, 0.22, 0.15, 0.05])


def schema(a, kind="ordinal"):
    return Schema((Attribute("age", tuple(f"{10 * i} to {10 * i + 9}" for i in range(a)), kind),))


def kronecker(a, level):
    return build("kronecker", (a,), [level]).marginal_channel([0])


def summary(counts, channel, scores=None, **how):
    estimate = invert_counts(np.asarray(counts), channel, schema=schema(channel.sizes[0]))
    return ordered_summary(estimate, scores, **how)


@pytest.mark.parametrize("population", [False, True])
def test_where_categories_are_randomised_alike_intervals_are_those_of_two_merged_ones(population):
    """k-ary response: whether a report is among the first m depends on whether the answer is, so it is a yes/no question of its own."""
    a, counts = 5, np.array([150, 260, 320, 180, 90])
    matrix = kronecker(a, 1.5).push(np.eye(a))
    found = summary(counts, kronecker(a, 1.5), population=population)
    for m in range(1, a):
        alike = matrix[:m, [0, -1]].sum(axis=0)  # chance of such a report, if the answer is one, and if it is not
        merged = MatrixChannel(np.array([[alike[0], 1 - alike[0]], [alike[1], 1 - alike[1]]]))
        two = invert_counts(np.array([counts[:m].sum(), counts[m:].sum()]), merged)
        low, high = two.interval(population=population)
        np.testing.assert_allclose(
            [found.shares[m - 1], found.low[m - 1], found.high[m - 1]], [two.shares[0], low[0], high[0]], rtol=1e-9
        )
    assert (found.shares[-1], found.low[-1], found.high[-1]) == (1, 1, 1)


@pytest.mark.parametrize("finite", [False, True])
def test_of_a_sample_the_variances_are_those_of_people_one_by_one(finite):
    """20 clusters in each of two strata."""
    rng, people = np.random.default_rng(3), 4_000
    clusters = np.repeat(np.arange(40), people // 40)
    strata, weights = clusters // 20, rng.uniform(0.5, 3, people)
    tilt = rng.integers(0, 2, 40)[clusters]
    answers = np.where(rng.random(people) < 0.3, tilt, rng.choice(6, people, p=SHARES))
    sample = Sample(weights, strata=strata, clusters=clusters, populations=np.array([50.0, 80.0]) if finite else None)
    reported = report(answers, NEAR, rng)
    covariance = slow_variance(reported, sample, NEAR)
    sums = np.tril(np.ones((6, 6)))[:-1]
    expected = np.einsum("ci,ij,cj->c", sums, covariance, sums)
    weighted = invert_tally(tally(reported[:, None], (6,), sample), NEAR, schema=schema(6))
    added = NEAR.invert_back(sums.T)
    np.testing.assert_allclose(weighted.spread.sum_variances(added, NEAR), expected, rtol=1e-9)
    laws = cumulative_laws(weighted, population=True)
    simple = cumulative_laws(invert_counts(np.round(1e6 * weighted.released).astype(int), NEAR), population=True)
    deviation, alone = (each.deviation(each.shares) * np.sqrt(n) for each, n in ((laws, people), (simple, 1e6)))
    np.testing.assert_allclose((deviation / alone) ** 2 * alone**2 / people, expected, rtol=0.03)
    found = ordered_summary(weighted, population=True)
    ranks = np.arange(1.0, 7)
    assert found.error == pytest.approx(np.sqrt(ranks @ covariance @ ranks), rel=1e-9)
    assert found.mean_high - found.mean > normal_point(0.95) * found.error  # 38 degrees of freedom


def test_people_whose_answers_are_known_have_the_textbook_mean():
    counts, scores = np.array([30, 50, 15, 5]), np.array([15.0, 25, 45, 70])
    found = summary(counts, LieSets.product((4,), np.array([0.0])), scores, population=True)
    people = np.repeat(scores, counts)
    assert (found.mean, found.error) == pytest.approx((people.mean(), people.std(ddof=1) / 10))
    ranks = summary(counts, LieSets.product((4,), np.array([0.0])))
    assert ranks.ranked
    assert not found.ranked
    assert ranks.mean == pytest.approx(1.95)
    assert ranks.error == pytest.approx(0, abs=1e-9)
    assert (ranks.median.at, ranks.quartiles[0].at, ranks.quartiles[2].at) == (1, 0, 1)


SURVEYS = {
    "k-ary": (kronecker(6, 1.0), SHARES, 1_000),
    "near answers": (NEAR, SHARES, 1_000),
    "true zeros": (kronecker(6, 2.0), np.array([0, 0, 0.05, 0.6, 0.35, 0]), 400),
    "certain": (kronecker(6, 3.0), np.array([0.97, 0.02, 0, 0, 0, 0.01]), 200),
}


@pytest.mark.slow
@pytest.mark.parametrize("population", [False, True])
@pytest.mark.parametrize("survey", SURVEYS)
def test_intervals_hold_what_they_say(survey, population):
    """200 surveys: .95 - 4.5 sd is .88; of the some hundred shares here none is below by chance but once in 3,000 runs.

    Sets of categories that are not rejected hold a quartile at least as often. Shares put back to probabilities cover more, never less: of
    those 80 surveys, for which .95 - 4.5 sd is .84.
    """
    channel, truth, n = SURVEYS[survey]
    counts = draw(channel, truth, n, 200, population=population, rng=np.random.default_rng(7))
    estimates = [invert_counts(each, channel, schema=schema(6)) for each in counts.T]
    below, ranks = truth.cumsum(), np.arange(1, 7)
    for closest, few, least in ((False, estimates, 0.88), (True, estimates[:80], 0.84)):
        shares = (one.closest().shares if closest else None for one in few)
        found = [ordered_summary(one, shares=own, population=population) for one, own in zip(few, shares, strict=True)]
        held = np.mean([(one.low <= below + 1e-9) & (below - 1e-9 <= one.high) for one in found], axis=0)
        assert held.min() > least
        assert closest or held[:-1].max() < 1 or survey in ("true zeros", "certain")
        for i, level in enumerate((0.25, 0.5, 0.75)):
            at = int((below >= level - 1e-9).argmax())
            assert np.mean([one.quartiles[i].low <= at <= one.quartiles[i].high for one in found]) > least
        assert np.mean([one.mean_low <= truth @ ranks <= one.mean_high for one in found]) > least


@pytest.mark.slow
def test_intervals_hold_what_they_say_of_clusters_with_weights():
    """300 samples of 30 clusters of 30 people in two strata of unequal size: .95 - 4.5 sd is .893."""
    rng, clusters = np.random.default_rng(8), np.repeat(np.arange(30), 30)
    strata, others = clusters // 15, SHARES[::-1]
    sample = Sample(np.where(strata == 0, 3.0, 1.0), strata=strata, clusters=clusters)
    truth, found = 0.75 * SHARES + 0.25 * others, []
    for _ in range(300):
        laws = np.vstack([rng.dirichlet(20 * law, 15) for law in (SHARES, others)])
        answers = (rng.random(clusters.size)[:, None] > laws.cumsum(axis=1)[clusters, :-1]).sum(axis=1)
        counted = tally(report(answers, NEAR, rng)[:, None], (6,), sample)
        found.append(ordered_summary(invert_tally(counted, NEAR, schema=schema(6)), population=True))
    below = truth.cumsum()
    assert np.mean([(one.low <= below + 1e-9) & (below - 1e-9 <= one.high) for one in found], axis=0).min() > 0.893
    assert np.mean([one.median.low <= 2 <= one.median.high for one in found]) > 0.893
    assert np.mean([one.mean_low <= truth @ np.arange(1, 7) <= one.mean_high for one in found]) > 0.893


def test_between_are_all_categories_that_no_interval_rules_out():
    found = summary([90, 120, 130, 100, 60], kronecker(5, 1.0), population=True)
    for quantile in found.quartiles:
        before = [0.0, *found.low[:-1]]
        kept = [c for c in range(5) if found.high[c] >= quantile.level and before[c] < quantile.level]
        assert kept == list(range(quantile.low, quantile.high + 1))
        assert quantile.low <= quantile.at <= quantile.high
    assert found.median.low < found.median.high


def test_probabilities_have_intervals_that_hold_them_within_zero_and_one():
    counts = np.array([0, 3, 40, 9, 0, 1])
    estimate = invert_counts(counts, kronecker(6, 0.5), schema=schema(6))
    shares = estimate.closest().shares
    found = ordered_summary(estimate, shares=shares, population=True)
    np.testing.assert_allclose(found.shares, shares.cumsum(), atol=1e-12)
    assert ((found.low >= 0) & (found.low <= found.shares) & (found.shares <= found.high) & (found.high <= 1 + 1e-12)).all()
    assert 1 <= found.mean_low <= found.mean <= found.mean_high <= 6


def test_one_person_out_of_a_population_says_nothing():
    found = summary([0, 1, 0], kronecker(3, 1.0), population=True)
    assert (found.median.low, found.median.high, found.error) == (0, 2, np.inf)
    assert "unknown" in found.mean_sentence
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["cumulative"]["low"][0] is None


@pytest.mark.slow
def test_a_thousand_categories():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(50_000, np.full(MAX_CATEGORIES, 1 / MAX_CATEGORIES))
    found = summary(counts, kronecker(MAX_CATEGORIES, 6.0))
    assert abs(found.median.at - 500) < 50
    assert found.median.low < 500 < found.median.high


def test_numbers_are_proposed_where_a_name_has_them_and_nowhere_else():
    names = (
        "under 5",
        "5 to 9",
        "10-19",
        "20 \u2013 29",
        "30 to <50",
        "-3.5",
        "12",
        "often",
        "50 and over",
        "60+",
        "70-79 years",
    )
    expected = (None, 7.0, 14.5, 24.5, 40.0, -3.5, 12.0, None, None, None, None)
    assert ordered_scores(Attribute("age", names, "ordinal")) == expected


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([1, 2], "'age' has 3 categories and 2 numbers"),
        ([1, np.nan, 2], "number of '10 to 19' is missing"),
        ([1, 2, 1e13], "'20 to 29'"),
    ],
)
def test_numbers_that_are_none(scores, said):
    with pytest.raises(InputError, match=said):
        summary([5, 6, 7], kronecker(3, 1.0), scores)


@pytest.mark.parametrize("of", [schema(3, "nominal"), schema(2), None])
def test_what_has_no_order(of):
    a = 3 if of is None else of.sizes[0]
    with pytest.raises(InputError, match="choose one whose kind is 'ordinal'"):
        ordered_summary(invert_counts(np.full(a, 9), kronecker(a, 1.0), schema=of))


def test_sentences_frequencies_first():
    found = summary([100, 200, 700], LieSets.product((3,), np.array([0.0])), [5, 15, 25], population=True)
    assert found.sentence.startswith("About 30 of 100 are at “10 to 19” or before it in order (95 %: 27.")
    assert found.sentence.endswith("); the median is “20 to 29”.")
    assert found.quartiles_sentence == "The lower quartile is “10 to 19”; the upper quartile is “20 to 29”."
    assert found.mean_sentence.startswith("Mean of the numbers given: 21.0 (")
    assert found.texts()["Number"] == ["5", "15", "25"]


def test_a_file_of_it_is_safe_and_marked():
    names = ("=1+1", "b", "c")
    estimate = invert_counts(np.array([5, 6, 7]), kronecker(3, 2.0), schema=Schema((Attribute("=age", names, "ordinal"),)))
    rows = list(csv.reader(io.StringIO(ordered_summary(estimate).to_csv(mark="simulation"))))
    assert rows[0] == ["simulation", "what", "'=age", "estimate", "low", "high", "standard error"]
    assert [row[1] for row in rows[1:]] == ["this or before it"] * 3 + ["lower quartile", "median", "upper quartile", "mean rank"]
    assert rows[1][2] == "'=1+1"
    assert {row[0] for row in rows[1:]} == {"yes"}
