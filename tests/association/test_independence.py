"""The test of independence behind noise: Pearson's where that applies, the right size and V's interval where it does not, and on clusters."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest, chi2_contingency, ncx2

from rrcore.association import cramers_v
from rrcore.association.independence import _score, independence_of
from rrcore.budget import build
from rrcore.channel import MatrixChannel, product_channel
from rrcore.channel.channels import ProductChannel, SubsetChannel
from rrcore.errors import InputError, NotIdentifiableError
from rrcore.estimate import Sample, invert_counts
from rrcore.estimate.estimate import invert_tally
from rrcore.estimate.sample import tally
from tests.estimate.sample.drawing import FORCED, THREE

APART = np.multiply.outer([0.5, 0.3, 0.2], [0.1, 0.2, 0.3, 0.4])
TOGETHER = APART + np.array([[0.04, -0.04, 0, 0], [-0.02, 0.05, -0.03, 0], [-0.02, -0.01, 0.03, 0]])


def channel(name):
    if name == "matrix":
        skew = MatrixChannel(np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]]))
        return product_channel([SubsetChannel.product((4,), np.array([0.4])), skew], [[1], [0]])
    return build(name, (3, 4, 2), [1.5, 1.2, 2.0]).channel([0, 1])


def check_independence(counts, channel):
    """The test of the counts of a simple random sample."""
    return independence_of(invert_counts(counts, channel))


def surveys(name, shares, n, runs, seed):
    rng, through = np.random.default_rng(seed), channel(name)
    released = through.push(shares).ravel()
    return [check_independence(counts.reshape(3, 4), through) for counts in rng.multinomial(n, released, runs)]


@pytest.mark.parametrize("name", ["independent", "matrix"])
def test_it_is_pearsons_for_independent_randomization(name):
    counts = np.random.default_rng(0).multinomial(5000, channel(name).push(TOGETHER).ravel()).reshape(3, 4)
    found = check_independence(counts, channel(name))
    pearson = chi2_contingency(counts, correction=False)
    assert (found.statistic, found.freedom, found.p_value) == pytest.approx(
        (pearson.statistic, pearson.dof, pearson.pvalue), rel=1e-9
    )


@pytest.mark.parametrize("name", ["independent", "matrix"])
def test_the_general_score_reduces_to_pearsons(name):
    counts = np.random.default_rng(1).multinomial(5000, channel(name).push(TOGETHER).ravel()).reshape(3, 4)
    estimate = invert_counts(counts, channel(name))
    deviation = estimate.shares - np.multiply.outer(estimate.shares.sum(axis=1), estimate.shares.sum(axis=0))
    expected = np.multiply.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum() ** 2
    pearson = chi2_contingency(counts, correction=False).statistic
    assert _score(deviation, expected, channel(name), int(counts.sum())) == pytest.approx(pearson, rel=1e-9)


@pytest.mark.parametrize("name", [pytest.param("optimal", marks=pytest.mark.long), "preserving-2"])
def test_false_alarms_are_as_frequent_as_stated(name):
    """1,000 surveys at the 5% level; false alarm 1e-5 for each mechanism. Where attributes are randomized apart it is Pearson's test."""
    hits = sum(test.p_value < 0.05 for test in surveys(name, APART, 5000, 1000, 2))
    assert binomtest(hits, 1000, 0.05).pvalue > 1e-5


@pytest.mark.parametrize("name", ["matrix", *(pytest.param(name, marks=pytest.mark.long) for name in ("optimal", "joint"))])
def test_dependent_attributes_are_found_and_v_is_covered(name):
    """400 surveys; coverage of a 95% interval below 90% has a chance of 1e-5. A matrix is read approximately: 88%.

    An interval holds V where the statistic is no surprise at the non-centrality that belongs to V: the first 20 are computed as well.
    """
    found = surveys(name, TOGETHER, 20_000, 400, 3)
    v = cramers_v(TOGETHER)
    assert np.mean([test.p_value < 0.05 for test in found]) > 0.8
    assert abs(np.median([test.v for test in found]) - v) < 0.02
    statistic, freedom, strength = np.array([(test.statistic, test.freedom, test.strength) for test in found]).T
    tail = ncx2.cdf(statistic, freedom, v**2 / strength)
    holds = (tail >= 0.025) & (tail <= 0.975)
    assert [low <= v <= high for low, high in (test.v_interval() for test in found[:20])] == holds[:20].tolist()
    covered = holds.mean()
    assert covered > (0.88 if name == "matrix" else 0.90)


def test_everybody_the_same_says_nothing():
    counts = np.zeros((3, 4), dtype=np.int64)
    counts[0] = (3, 4, 5, 6)
    found = check_independence(counts, channel("independent"))
    assert (found.freedom, found.p_value, found.v_interval()) == (0, 1.0, (0.0, 1.0))


def test_few_answers_are_marked_and_refusals_are_sentences():
    assert check_independence(np.ones((3, 4), dtype=np.int64), channel("independent")).sparse == 1
    lost = SubsetChannel((2, 2), np.array([[0.25, 0.25], [0.25, 0.25]]))
    with pytest.raises(NotIdentifiableError, match="association"):
        check_independence(np.ones((2, 2), dtype=np.int64), lost)
    with pytest.raises(InputError, match="2,000"):
        check_independence(np.ones((50, 50), dtype=np.int64), SubsetChannel.product((50, 50), np.array([0.1, 0.1])))


def false_alarms(channel, surveys, rng):
    """How often independent attributes are found dependent at 0.05."""
    table = channel.push(np.multiply.outer(np.array([0.7, 0.3]), np.array([0.5, 0.3, 0.2])))
    drawn = rng.multinomial(1500, table.ravel(), size=surveys).reshape(surveys, *table.shape)
    return np.mean([check_independence(counts, channel).p_value < 0.05 for counts in drawn])


def wide_pair():
    """More reports than categories."""
    cards = MatrixChannel(np.array([[0.5, 0.3, 0.15, 0.05], [0.05, 0.15, 0.3, 0.5]]))
    ring = MatrixChannel(np.array([[0.6, 0.2, 0.1, 0.1], [0.1, 0.6, 0.2, 0.1], [0.1, 0.1, 0.3, 0.5]]))
    return product_channel([cards, ring], [(0,), (1,)])


@pytest.mark.long
def test_size_with_reports_that_are_not_the_categories():
    """600 surveys: within 5 standard errors of 0.05 (6e-7)."""
    assert abs(false_alarms(wide_pair(), 600, np.random.default_rng(4)) - 0.05) < 5 * np.sqrt(0.05 * 0.95 / 600)


CHANCE = 1e-4
SIDE = ProductChannel((2, 3), (FORCED, THREE), ((0,), (1,)))
COUPLED = build("preserving-2", (2, 3), (2.0, 2.0)).channel((0, 1))


def through(channel, answers, rng):
    """Codes of randomized answers, shape (n, 2), to true cells ``answers``."""
    cells = int(np.prod(channel.report_sizes))
    matrix = channel.push(np.eye(6).reshape(2, 3, 6)).reshape(cells, 6).T
    where = (rng.random(answers.shape)[:, None] > matrix.cumsum(axis=1)[answers][:, :-1]).sum(axis=1)
    return np.stack(np.unravel_index(where, channel.report_sizes), axis=1)


@pytest.mark.parametrize("channel", [SIDE, COUPLED], ids=["side by side", "coupled"])
def test_of_a_simple_sample_it_is_the_chi_square(channel):
    rng = np.random.default_rng(1)
    codes = through(channel, rng.integers(0, 6, 3000), rng)
    counts = np.zeros((2, 3), dtype=np.int64)
    np.add.at(counts, tuple(codes.T), 1)
    plain, same = (
        independence_of(invert_counts(counts, channel)),
        independence_of(invert_tally(tally(codes, (2, 3), Sample(np.ones(3000))), channel)),
    )
    assert same.freedom == plain.freedom == 2
    assert same.statistic == pytest.approx(plain.statistic, rel=0.01)
    assert same.p_value == pytest.approx(plain.p_value, abs=0.01)
    assert same.v == pytest.approx(plain.v, abs=0.003)


@pytest.mark.parametrize("runs", [60, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("channel", [SIDE, COUPLED], ids=["side by side", "coupled"])
def test_size_is_right_on_clusters(channel, runs):
    """Independent in the population; members of a cluster often give the same two answers, so that 60 clusters of 15 say little.

    Unequal weights, two strata. Without correction the test would be wrong far more often than 5%.
    """
    rng = np.random.default_rng(2)
    product = np.multiply.outer([0.4, 0.6], [0.5, 0.3, 0.2]).ravel()
    clusters = np.repeat(np.arange(60), 15)
    sample = Sample(np.where(clusters % 2, 3.0, 1.0), strata=clusters // 30, clusters=clusters)
    wrong = naive = 0
    for _ in range(runs):
        own, shared = rng.choice(6, 900, p=product), rng.choice(6, 60, p=product)
        answers = np.where(rng.random(900) < 0.7, shared[clusters], own)
        codes = through(channel, answers, rng)
        found = independence_of(invert_tally(tally(codes, (2, 3), sample), channel))
        wrong += found.p_value < 0.05
        counts = np.zeros((2, 3), dtype=np.int64)
        np.add.at(counts, tuple(codes.T), 1)
        naive += independence_of(invert_counts(counts, channel)).p_value < 0.05
    assert binom.ppf(CHANCE, runs, 0.04) <= wrong <= binom.ppf(1 - CHANCE, runs, 0.06)
    assert naive > 2 * wrong


def test_dependence_is_found_on_clusters():
    rng = np.random.default_rng(3)
    table = np.array([[0.3, 0.05, 0.05], [0.1, 0.2, 0.3]]).ravel()
    codes = through(SIDE, rng.choice(6, 1500, p=table), rng)
    sample = Sample(rng.uniform(1, 2, 1500), clusters=np.arange(1500) // 10)
    found = independence_of(invert_tally(tally(codes, (2, 3), sample), SIDE))
    low, high = found.v_interval()
    expected = np.sqrt(
        ((table.reshape(2, 3) - np.outer([0.4, 0.6], [0.4, 0.25, 0.35])) ** 2 / np.outer([0.4, 0.6], [0.4, 0.25, 0.35])).sum()
    )
    assert found.p_value < 1e-6
    assert low < expected < high
