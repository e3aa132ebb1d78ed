"""Change between waves: closed forms against simulations, and intervals that cover as they say."""

import math

import numpy as np
import pytest

from rrcore.channel import MatrixChannel, Stages
from rrcore.errors import InputError
from rrcore.estimate import change_error, foreseen_change, invert_counts, invert_tally, linked_change, pair_tally, unlinked_change
from rrcore.estimate.sample import Sample, Spread, Tally, tally

DIE = np.array([[5 / 6, 1 / 6], [1 / 6, 5 / 6]])
THREE = np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4], [0.2, 0.2, 0.6]])
YES_NO = np.array([[0.70, 0.08], [0.03, 0.19]])
KARY = np.array([[0.40, 0.05, 0.02], [0.01, 0.25, 0.03], [0.02, 0.02, 0.20]])
PEOPLE = 1500


def kept(size, share):
    return np.full((size, size), (1 - share) / size) + share * np.eye(size)


WAYS = {
    "fresh": Stages.fresh,
    "memoised": Stages.memoised,
    "two-stage": lambda matrix: Stages(matrix, kept(len(matrix), 0.75)),
}


def panels(stages, table, runs, rng):
    """Pairs of reports of so many panels, shape (runs, b, b): the joint law is tested in tests/channel/test_waves.py."""
    b = stages.single.shape[1]
    law = table.ravel() @ stages.joint(2)
    return rng.multinomial(PEOPLE, law / law.sum(), size=runs).reshape(runs, b, b)


def read(channel, pairs):
    shares = pairs / PEOPLE
    both = Tally(shares, PEOPLE, Spread.simple(shares, PEOPLE))
    return linked_change(invert_counts(pairs.sum(axis=1), channel), invert_counts(pairs.sum(axis=0), channel), both)


@pytest.mark.slow
@pytest.mark.parametrize(("matrix", "table"), [(DIE, YES_NO), (THREE, KARY)], ids=["yes or no", "three"])
@pytest.mark.parametrize("way", WAYS)
def test_intervals_of_the_change_cover_and_the_closed_form_is_its_error(way, matrix, table):
    """2,000 panels: coverage within 93 to 97 % where 95 % is right, false alarms about 4e-5 a cell; the mean within 4.5 standard errors of
    the truth; the spread within 9 % of the closed form (5.7 of its standard errors)."""
    stages = WAYS[way](matrix)
    truth = table.sum(axis=0) - table.sum(axis=1)
    channel = MatrixChannel(stages.single)
    changes = [read(channel, pairs) for pairs in panels(stages, table, 2000, np.random.default_rng(7))]
    found = np.array([change.difference for change in changes])
    ends = np.array([change.interval() for change in changes])
    error = change_error(stages, table, PEOPLE)
    assert (np.abs(found.mean(axis=0) - truth) < 4.5 * error / np.sqrt(2000)).all()
    assert np.allclose(found.std(axis=0), error, rtol=0.09)
    covered = ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean(axis=0)
    assert (covered >= 0.93).all()
    assert (covered <= 0.97).all()


def test_memoised_answers_show_a_change_more_precisely_than_fresh_ones_and_both_than_two_samples():
    errors = {way: change_error(make(DIE), YES_NO, PEOPLE)[1] for way, make in WAYS.items()}
    apart = change_error(Stages.fresh(DIE), YES_NO, PEOPLE, linked=False)[1]
    assert errors["memoised"] < errors["fresh"] < apart
    assert errors["memoised"] < errors["two-stage"]


def test_the_closed_forms_are_those_of_a_yes_or_no_question():
    """Warner with p: n Var = (2 pq / r^2)(1 - kept) + change's own, r = p - q, where ``kept`` is the share of people who do not change if
    answers are memoised, and 0 if they are fresh."""
    p, q = 5 / 6, 1 / 6
    noise = 2 * p * q / (p - q) ** 2
    moved = YES_NO[0, 1] - YES_NO[1, 0]
    own = YES_NO[0, 1] + YES_NO[1, 0] - moved**2
    kept_share = YES_NO[0, 0] + YES_NO[1, 1]
    for way, share in (("fresh", 0.0), ("memoised", kept_share)):
        expected = np.sqrt((noise * (1 - share) + own) / PEOPLE)
        assert change_error(WAYS[way](DIE), YES_NO, PEOPLE)[1] == pytest.approx(expected)


def test_an_unlinked_change_adds_the_variances_and_refuses_other_questions():
    channel = MatrixChannel(DIE)
    first, second = invert_counts(np.array([700, 300]), channel), invert_counts(np.array([600, 400]), channel)
    change = unlinked_change(first, second)
    assert change.difference.tolist() == pytest.approx([-0.15, 0.15])
    expected = np.hypot(first.standard_error(population=True), second.standard_error(population=True))
    assert np.allclose(change.standard_error, expected)
    assert list(change.table()) == ["attribute 1", "first", "second", "change", "standard error", "low", "high"]
    assert change.largest == (1,)
    three = invert_counts(np.array([5, 3, 2]), MatrixChannel(THREE))
    with pytest.raises(InputError, match="different attributes or categories"):
        unlinked_change(first, three)


def test_pairs_are_counted_by_their_weights_and_too_many_are_refused():
    first, second = np.array([[0], [0], [1]]), np.array([[1], [1], [0]])
    assert pair_tally(first, second, (2,)).released.tolist() == [[0, pytest.approx(2 / 3)], [pytest.approx(1 / 3), 0]]
    weighted = pair_tally(first, second, (2,), Sample(np.array([1.0, 1.0, 2.0])))
    assert weighted.released.tolist() == [[0, 0.5], [0.5, 0]]
    with pytest.raises(InputError, match="at most 1,000"):
        pair_tally(first, second, (2000,))


def test_the_error_of_weighted_people_is_that_of_the_weighted_mean_of_what_they_add():
    """Against the linearised variance of a weighted mean, n / (n - 1) sum of w^2 (d - mean)^2, written out person by person."""
    rng = np.random.default_rng(2)
    people = 300
    first, second = rng.integers(3, size=(people, 1)), rng.integers(3, size=(people, 1))
    sample = Sample(rng.uniform(0.5, 3.0, people))
    channel = MatrixChannel(THREE)
    waves = [invert_tally(tally(codes, (3,), sample), channel) for codes in (first, second)]
    change = linked_change(*waves, pair_tally(first, second, (3,), sample))
    kappa = np.linalg.inv(THREE.T)
    added = kappa[:, second[:, 0]] - kappa[:, first[:, 0]]
    w = sample.weights / sample.weights.sum()
    mean = added @ w
    assert np.allclose(change.difference, mean)
    expected = people / (people - 1) * ((added - mean[:, None]) ** 2 @ w**2)
    assert np.allclose(change.standard_error**2, expected)


@pytest.mark.parametrize(("people", "moved"), [(20, 0.02), (20, 0.05), (50, 0.02)])
def test_where_hardly_any_memoised_report_changes_the_interval_covers_all_the_same(people, moved):
    """By enumeration: only how many reports went either way matters. It was 25 to 53 % where 95 % is right."""
    stages, truth = Stages.memoised(DIE), moved
    law = (np.array([[0.7 - moved, moved], [0, 0.3]]).ravel() @ stages.joint(2)).reshape(2, 2)
    channel, covered = MatrixChannel(DIE), 0.0
    for up in range(people + 1):
        for down in range(min(people - up, 12) + 1):
            still = people - up - down
            chance = (
                math.comb(people, up) * math.comb(people - up, down) * law[0, 1] ** up * law[1, 0] ** down * law.trace() ** still
            )
            if chance > 1e-6:
                pairs = np.array([[still, up], [down, 0]])
                both = Tally(pairs / people, people, Spread.simple(pairs / people, people))
                waves = (invert_counts(pairs.sum(axis=axis), channel) for axis in (1, 0))
                low, high = linked_change(*waves, both).interval()
                covered += chance * (low[1] <= truth <= high[1])
    assert covered > 0.95


def test_where_no_report_changed_the_error_is_that_of_one_that_did():
    codes = np.repeat([0, 1], 10)[:, None]
    channel, weights = MatrixChannel(DIE), np.arange(1, 21)
    for sample, least in ((None, 1 / 20), (Sample(weights.astype(float)), np.sqrt((weights**2).mean()) / weights.sum())):
        one = invert_counts(np.array([10, 10]), channel) if sample is None else invert_tally(tally(codes, (2,), sample), channel)
        change = linked_change(one, one, pair_tally(codes, codes, (2,), sample))
        assert change.difference.tolist() == [0, 0]
        assert change.standard_error == pytest.approx(least / (5 / 6 - 1 / 6))
    codes[0] = 1
    once = invert_counts(np.array([9, 11]), channel)
    moved = linked_change(
        invert_counts(np.array([10, 10]), channel), once, pair_tally(np.repeat([0, 1], 10)[:, None], codes, (2,))
    )
    assert moved.standard_error == pytest.approx(1 / 20 / (5 / 6 - 1 / 6))  # of one who did


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
def test_intervals_of_weighted_people_in_clusters_cover(way):
    """1,000 panels of 60 clusters of 20 people, whose answers and weights go together: coverage within 93 to 97 %, false alarms 4e-3."""
    rng = np.random.default_rng(17)
    stages, runs, clusters, size = WAYS[way](DIE), 1000, 60, 20
    law = stages.joint(2)
    weights = np.repeat(np.where(np.arange(clusters) % 2, 3.0, 1.0), size)
    cluster = np.repeat(np.arange(clusters), size)
    heavy = np.array([[0.50, 0.20], [0.05, 0.25]])
    truth = (3 * heavy + YES_NO) / 4
    change = truth.sum(axis=0) - truth.sum(axis=1)
    channel = MatrixChannel(stages.single)
    strata = np.repeat(np.arange(clusters) % 2, size)
    sample = Sample(weights, strata=strata, clusters=cluster)
    cells = np.stack([heavy if c % 2 else YES_NO for c in range(clusters)]).reshape(clusters, 4)
    held = 0
    for _ in range(runs):
        mixed = rng.beta(20, 20, clusters) * 2  # people of a cluster are alike: some clusters change more than others
        moved = cells.copy()
        moved[:, 1] *= mixed
        moved[:, 0] += cells[:, 1] - moved[:, 1]
        kept_off = np.repeat(moved.cumsum(axis=1), size, axis=0)
        pair = (rng.random(clusters * size)[:, None] > kept_off[:, :3]).sum(axis=1)
        seen = (rng.random(clusters * size)[:, None] > law[pair].cumsum(axis=1)[:, :3]).sum(axis=1)
        first, second = (seen // 2)[:, None], (seen % 2)[:, None]
        waves = [invert_tally(tally(codes, (2,), sample), channel) for codes in (first, second)]
        low, high = linked_change(*waves, pair_tally(first, second, (2,), sample)).interval()
        held += low[1] <= change[1] <= high[1]
    assert 0.93 <= held / runs <= 0.97


@pytest.mark.parametrize("changing", [-0.1, 1.1, float("nan")])
def test_a_share_of_changes_that_is_none_is_refused(changing):
    with pytest.raises(
        InputError, match=r"^The share whose answer changes is .*: give a number from 0 to 1, for example 0\.05\.$"
    ):
        foreseen_change(MatrixChannel(DIE), "fresh", PEOPLE, changing=changing)
