"""A survey made up to be watched: nobody's luck changes when a slider does, and what is read from it is what the mechanism says."""

import numpy as np
import pytest

from rrcore.budget import build
from rrcore.channel import epsilon_from_lie
from rrcore.errors import InputError
from rrcore.simulation.demonstration import demonstrate
from rrcore.table.demo import load_demo

NAMES = ("Class", "Survived")


def shown(unchanged=0.75, n=400, seed=1):
    return demonstrate(load_demo("titanic"), NAMES, unchanged, n, rng=np.random.default_rng(seed))


def test_more_people_join_those_who_were_asked_before():
    few, many = shown(n=100), shown(n=5000)
    for of in (lambda s: s.people.codes, lambda s: s.release.dataset.codes, lambda s: s.luck):
        assert np.array_equal(of(few), of(many)[:100])


def test_kept_answers_stay_at_higher_probabilities():
    before = shown(0.6)
    for unchanged in (0.7, 0.8, 0.9, 0.99):
        after = shown(unchanged)
        assert np.array_equal(before.people.codes, after.people.codes)
        assert not (before.kept & ~after.kept).any()
        before = after


def test_kept_answers_are_true_and_replaced_ones_differ():
    survey = shown(n=3000)
    assert np.array_equal(survey.kept, survey.release.dataset.codes == survey.people.codes)
    assert np.array_equal(np.unique(survey.release.dataset.codes[:, 0]), [0, 1, 2, 3])


def test_people_and_reports_have_their_distributions():
    """Counts of true and of reported answers against their laws: each within 5 standard deviations, over 12 cells in all."""
    table, n = load_demo("titanic"), 200_000
    survey = shown(0.7, n, seed=2)
    mechanism = survey.release.mechanism
    assert mechanism.epsilon == pytest.approx(epsilon_from_lie(0.3, (4, 2)))
    truth = table.shares(NAMES)
    channel = build("independent", (4, 2), mechanism.epsilon).channel((0, 1))
    for counts, law in ((survey.people.counts(NAMES), truth), (survey.release.counts(NAMES), channel.push(truth))):
        assert np.all(np.abs(counts - n * law) < 5 * np.sqrt(n * law * (1 - law)))


@pytest.mark.parametrize(("unchanged", "n", "words"), [(0.5, 10, "above 0.5"), (1.0, 10, "below 1"), (0.75, 0, "at least 1")])
def test_what_cannot_be_asked_is_refused(unchanged, n, words):
    with pytest.raises(InputError, match=words):
        shown(unchanged, n)
