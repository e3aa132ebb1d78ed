"""Cumulative shares, quartiles and means: against merged categories, people one by one, closed forms and simulated surveys."""

import csv
import io
import re
from itertools import product

import numpy as np
import pytest

from rrcore.budget import build
from rrcore.channel import MatrixChannel, SubsetChannel
from rrcore.errors import InputError
from rrcore.estimate import Sample, invert_counts, ordered_scores, ordered_summary
from rrcore.estimate.estimate import invert_tally
from rrcore.estimate.sample import tally
from rrcore.limits import MAX_CATEGORIES
from rrcore.table import Attribute, Schema
from tests.estimate.coverage import draw
from tests.estimate.sample.drawing import report

NEAR = MatrixChannel(
    np.array([[0.5 ** abs(i - j) for j in range(6)] for i in range(6)])
    / [[sum(0.5 ** abs(i - j) for j in range(6))] for i in range(6)]
)
"""Answers near the true one are likelier than far ones: sums of categories are not randomized alike within."""
SHARES = np.array([0.08, 0.2, 0.3, 0.22, 0.15, 0.05])


def schema(a, kind="ordinal"):
    return Schema((Attribute("age", tuple(f"{10 * i} to {10 * i + 9}" for i in range(a)), kind),))


def kronecker(a, level):
    return build("independent", (a,), [level]).channel([0])


def ends(found):
    """Cumulative shares with the ends of their intervals."""
    return found.below.estimate, found.below.conf_low, found.below.conf_high


def mean_of(found):
    """The mean with the ends of its interval."""
    return tuple(float(each[0]) for each in (found.mean.estimate, found.mean.conf_low, found.mean.conf_high))


def summary(counts, channel, scores=None, **how):
    estimate = invert_counts(np.asarray(counts), channel, schema=schema(channel.sizes[0]))
    return ordered_summary(estimate, scores, **how)


@pytest.mark.parametrize("population", [False, True])
def test_where_categories_are_randomized_alike_intervals_are_those_of_two_merged_ones(population):
    """k-ary response: whether a report is among the first m depends on whether the answer is, so it is a yes/no question of its own."""
    a, counts = 5, np.array([150, 260, 320, 180, 90])
    matrix = kronecker(a, 1.5).push(np.eye(a))
    found = summary(counts, kronecker(a, 1.5), population=population)
    for m in range(1, a):
        alike = matrix[:m, [0, -1]].sum(axis=0)  # chance of such a report, if the answer is one, and if it is not
        merged = MatrixChannel(np.array([[alike[0], 1 - alike[0]], [alike[1], 1 - alike[1]]]))
        two = invert_counts(np.array([counts[:m].sum(), counts[m:].sum()]), merged)
        low, high = two.interval(population=population)
        np.testing.assert_allclose(np.array(ends(found))[:, m - 1], [two.shares[0], low[0], high[0]], atol=2e-3)
    assert [end[-1] for end in ends(found)] == [1, 1, 1]


def test_people_whose_answers_are_known_have_the_textbook_mean():
    counts, scores = np.array([30, 50, 15, 5]), np.array([15.0, 25, 45, 70])
    found = summary(counts, SubsetChannel.product((4,), np.array([0.0])), scores, population=True)
    people = np.repeat(scores, counts)
    assert (mean_of(found)[0], found.mean.std_error[0]) == pytest.approx((people.mean(), people.std() / 10), rel=0.01)
    ranks = summary(counts, SubsetChannel.product((4,), np.array([0.0])))
    assert ranks.ranked
    assert not found.ranked
    assert mean_of(ranks) == pytest.approx((1.95, 1.95, 1.95), abs=0.02)
    assert (ranks.median.at, ranks.quartiles[0].at, ranks.quartiles[2].at) == (1, 0, 1)


SURVEYS = {
    "k-ary": (kronecker(6, 1.0), SHARES, 1_000),
    "near answers": (NEAR, SHARES, 1_000),
    "true zeros": (kronecker(6, 2.0), np.array([0, 0, 0.05, 0.6, 0.35, 0]), 400),
    "certain": (kronecker(6, 3.0), np.array([0.97, 0.02, 0, 0, 0, 0.01]), 200),
}


@pytest.mark.parametrize(
    ("survey", "population", "runs"),
    [("near answers", True, 40), *(pytest.param(*each, 200, marks=pytest.mark.long) for each in product(SURVEYS, (False, True)))],
)
def test_intervals_hold_what_they_say(survey, population, runs):
    """200 surveys: .95 - 4.5 sd is .88; of the some hundred shares here none is below by chance but once in 3,000 runs.

    Sets of categories that are not rejected hold a quartile at least as often. Shares put back to probabilities cover more, never less: of
    those 80 surveys, for which .95 - 4.5 sd is .84. Of 40 and 16 surveys, .79 and .70.
    """
    channel, truth, n = SURVEYS[survey]
    counts = draw(channel, truth, n, runs, population=population, rng=np.random.default_rng(7))
    estimates = [invert_counts(each, channel, schema=schema(6)) for each in counts.T]
    below, ranks = truth.cumsum(), np.arange(1, 7)
    for closest, few in ((False, estimates), (True, estimates[: runs * 2 // 5])):
        least = 0.95 - 4.5 * np.sqrt(0.05 * 0.95 / len(few))
        shares = (one.closest().shares if closest else None for one in few)
        found = [ordered_summary(one, shares=own, population=population) for one, own in zip(few, shares, strict=True)]
        held = np.mean([(low <= below + 1e-9) & (below - 1e-9 <= high) for _, low, high in map(ends, found)], axis=0)
        assert held.min() > least
        assert runs < 200 or closest or held[:-1].max() < 1 or survey in ("true zeros", "certain")
        for i, level in enumerate((0.25, 0.5, 0.75)):
            at = int((below >= level - 1e-9).argmax())
            assert np.mean([one.quartiles[i].low <= at <= one.quartiles[i].high for one in found]) > least
        assert np.mean([low <= truth @ ranks <= high for _, low, high in map(mean_of, found)]) > least


@pytest.mark.long
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
    assert np.mean([(low <= below + 1e-9) & (below - 1e-9 <= high) for _, low, high in map(ends, found)], axis=0).min() > 0.893
    assert np.mean([one.median.low <= 2 <= one.median.high for one in found]) > 0.893
    assert np.mean([low <= truth @ np.arange(1, 7) <= high for _, low, high in map(mean_of, found)]) > 0.893


def test_between_are_all_categories_that_no_interval_rules_out():
    found = summary([90, 120, 130, 100, 60], kronecker(5, 1.0), population=True)
    for quantile in found.quartiles:
        _, low, high = ends(found)
        before = [0.0, *low[:-1]]
        kept = [c for c in range(5) if high[c] >= quantile.level and before[c] < quantile.level]
        assert kept == list(range(quantile.low, quantile.high + 1))
        assert quantile.low <= quantile.at <= quantile.high
    assert found.median.low < found.median.high


def test_probabilities_have_intervals_that_hold_them_within_zero_and_one():
    counts = np.array([0, 3, 40, 9, 0, 1])
    estimate = invert_counts(counts, kronecker(6, 0.5), schema=schema(6))
    shares = estimate.closest().shares
    found = ordered_summary(estimate, shares=shares, population=True)
    below, low, high = ends(found)
    np.testing.assert_allclose(below, shares.cumsum(), atol=1e-12)
    assert ((low >= 0) & (low <= below) & (below <= high) & (high <= 1 + 1e-12)).all()
    mean, low, high = mean_of(found)
    assert 1 <= low <= mean <= high <= 6


def test_of_twenty_equal_answers_the_mean_is_not_certain():
    for population in (False, True):
        mean, low, high = mean_of(summary([20, 0, 0, 0, 0], kronecker(5, 5.0), population=population))
        assert low <= mean
        assert (1.05 if population else 1) < high < 1.6


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
        ([1, 2], "3 scores for 'age' .*, got 2"),
        ([1, np.nan, 2], "'10 to 19', got nan"),
        ([1, 2, 1e13], "'20 to 29'"),
    ],
)
def test_numbers_that_are_none(scores, said):
    with pytest.raises(InputError, match=said):
        summary([5, 6, 7], kronecker(3, 1.0), scores)


@pytest.mark.parametrize("of", [schema(3, "nominal"), schema(2), None])
def test_what_has_no_order(of):
    a = 3 if of is None else of.sizes[0]
    with pytest.raises(InputError, match="one ordinal attribute"):
        ordered_summary(invert_counts(np.full(a, 9), kronecker(a, 1.0), schema=of))


def test_sentences_frequencies_first():
    found = summary([100, 200, 700], SubsetChannel.product((3,), np.array([0.0])), [5, 15, 25], population=True)
    assert re.search(r"30 of 100 .*“10 to 19” .*95%: 27\.", found.sentence)
    assert found.sentence.endswith("); the median is “20 to 29”.")
    assert re.findall("“(.*?)”", found.quartiles_sentence) == ["10 to 19", "20 to 29"]
    assert found.mean_sentence.startswith("Mean of the numbers given: 21.0 (")
    assert found.texts()["Number"] == ["5", "15", "25"]


def test_a_file_of_it_is_safe_and_marked():
    names = ("=1+1", "b", "c")
    estimate = invert_counts(np.array([5, 6, 7]), kronecker(3, 2.0), schema=Schema((Attribute("=age", names, "ordinal"),)))
    rows = list(csv.reader(io.StringIO(ordered_summary(estimate).to_csv(mark="simulation"))))
    assert rows[0] == ["simulation", "what", "'=age", "estimate", "std_error", "conf_low", "conf_high"]
    assert [row[1] for row in rows[1:]] == ["this or before it"] * 3 + ["lower quartile", "median", "upper quartile", "mean rank"]
    assert rows[1][2] == "'=1+1"
    assert {row[0] for row in rows[1:]} == {"yes"}
