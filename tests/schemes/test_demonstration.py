"""A survey made up to be watched: nobody's luck changes when a slider does, and what is read from it is what the mechanism says."""

import numpy as np
import pytest

from rrcore.channel import level_from_lie
from rrcore.errors import InputError
from rrcore.mechanisms import build
from rrcore.schemes.demonstration import demonstrate
from rrcore.table.demo import load_demo

NAMES = ("Class", "Survived")


def shown(told=0.75, n=400, seed=1):
    return demonstrate(load_demo("titanic"), NAMES, told, n, rng=np.random.default_rng(seed))


def test_more_people_join_those_who_were_asked_before():
    few, many = shown(n=100), shown(n=5000)
    for of in (lambda s: s.people.codes, lambda s: s.release.dataset.codes, lambda s: s.luck):
        assert np.array_equal(of(few), of(many)[:100])


def test_an_answer_kept_at_one_probability_is_kept_at_every_higher_one():
    before = shown(0.6)
    for told in (0.7, 0.8, 0.9, 0.99):
        after = shown(told)
        assert np.array_equal(before.people.codes, after.people.codes)
        assert not (before.kept & ~after.kept).any()
        before = after


def test_what_is_kept_is_the_true_answer_and_what_is_replaced_is_another():
    survey = shown(n=3000)
    assert np.array_equal(survey.kept, survey.release.dataset.codes == survey.people.codes)
    assert np.array_equal(np.unique(survey.release.dataset.codes[:, 0]), [0, 1, 2, 3])


def test_people_are_drawn_from_the_table_and_reports_from_the_mechanism():
    """Counts of true and of reported answers against their laws: each within 5 standard deviations, over 12 cells in all."""
    table, n = load_demo("titanic"), 200_000
    survey = shown(0.7, n, seed=2)
    mechanism = survey.release.mechanism
    assert mechanism.levels == pytest.approx(level_from_lie(0.3, (4, 2)))
    truth = table.shares(NAMES)
    channel = build("kronecker", (4, 2), mechanism.levels).marginal_channel((0, 1))
    for counts, law in ((survey.people.counts(NAMES), truth), (survey.release.counts(NAMES), channel.push(truth))):
        assert np.all(np.abs(counts - n * law) < 5 * np.sqrt(n * law * (1 - law)))


@pytest.mark.slow
def test_the_intervals_of_the_population_cover_the_truth_as_often_as_they_say():
    """Of 4 shares of 300 surveys: 95 % of 1,200, within 4 standard deviations as if a survey's shares were one."""
    table, names = load_demo("titanic"), ("Sex", "Survived")
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(300):
        low, high = demonstrate(table, names, 0.75, 300, rng=rng).release.estimate(names).interval(population=True)
        covered.append(((low <= table.shares(names)) & (table.shares(names) <= high)).mean())
    assert np.mean(covered) == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / 300))


@pytest.mark.parametrize(("told", "n", "words"), [(0.5, 10, "above 0.5"), (1.0, 10, "below 1"), (0.75, 0, "at least 1")])
def test_what_cannot_be_asked_is_refused(told, n, words):
    with pytest.raises(InputError, match=words):
        shown(told, n)
