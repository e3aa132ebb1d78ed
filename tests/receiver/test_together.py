"""Surveys with mechanism files of their own, seen together: their mean, and an interval that holds at every look."""

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.answers import Answers
from rrcore.errors import InputError
from rrcore.estimate import ConfidenceSequence
from rrcore.mechanisms import build
from rrcore.promise import MechanismFile, integer_groups
from rrcore.receiver.field import SurveySoFar, invented_survey
from rrcore.receiver.together import SurveysTogether
from rrcore.table import Attribute, Dataset, Schema
from rrcore.table.reading import TextColumn

TODAY = dt.date(2026, 11, 22)
SCHEMA = Schema((Attribute("smokes", ("no", "yes")),))
FALSE_ALARM = 1e-4


def survey(title, level, counts):
    """A survey in which so many people reported "no" and "yes" on one day."""
    file = MechanismFile(SCHEMA, integer_groups(build("kronecker", (2,), [level])))
    codes = np.repeat([0, 1], counts).astype(np.int32)[:, None]
    day = TextColumn("day", np.zeros(len(codes), np.int32), (TODAY.isoformat(),))
    answers = Answers(Dataset(SCHEMA, codes, title), file, (day,))
    return SurveySoFar(title, file, {}, {TODAY: len(codes)}, {}, answers, None)


NORTH, SOUTH = survey("north", 1.0, (600, 400)), survey("south", 3.0, (700, 800))


@pytest.mark.parametrize("weights", [(), (3.0, 1.0)])
def test_shares_and_ends_are_means_of_those_of_each_survey(weights):
    found = SurveysTogether((NORTH, SOUTH), weights).watch(["smokes"])
    parts = np.array(weights or (1000, 1500))
    parts = parts / parts.sum()
    ends = []
    for each in (NORTH, SOUTH):
        channel = each.mechanism.marginal_channel((0,))
        counts = np.bincount(each.answers.dataset.codes[:, 0], minlength=2)
        low, high = ConfidenceSequence(channel, 0.975).interval(counts)
        ends.append((channel.invert(counts / counts.sum()), low, high))
    for table, own in zip((found.shares, found.low, found.high), zip(*ends, strict=True), strict=True):
        np.testing.assert_allclose(table, parts @ np.array(own), atol=1e-12)
    assert found.parts.tolist() == pytest.approx(parts.tolist())
    assert ((found.low < found.shares) & (found.shares < found.high)).all()


def test_the_interval_of_both_holds_at_every_look():
    """90 pairs of surveys with designs and shares of their own, looked at 20 times each, weights given and not."""
    runs, looks, rng = 90, np.arange(40, 801, 40), np.random.default_rng(4)
    designs, truths, weights = (1.0, 3.0), (0.1, 0.4), np.array([3.0, 1.0])
    ends, numbers = [], []
    for level, truth, pace in zip(designs, truths, (1.0, 0.5), strict=True):
        channel = build("kronecker", (2,), [level]).marginal_channel((0,))
        n = (looks * pace).astype(int)
        yes = rng.random((runs, n[-1])) < channel.push(np.array([1 - truth, truth]))[1]
        said = yes.cumsum(axis=1)[:, n - 1]
        counts = np.stack([n - said, said]).reshape(2, -1)
        ends.append([end[1].reshape(runs, -1) for end in ConfidenceSequence(channel, 0.975).interval(counts)])
        numbers.append(n)
    for parts in ((weights / weights.sum())[:, None] * np.ones(len(looks)), np.array(numbers) / np.sum(numbers, axis=0)):
        low, high = (sum(part * own[end] for part, own in zip(parts, ends, strict=True)) for end in (0, 1))
        share = parts.T @ np.array(truths)
        missed = ((low > share) | (share > high)).any(axis=1).sum()
        assert missed <= binom.isf(FALSE_ALARM, runs, 0.05)


def test_what_cannot_be_seen_together_is_said():
    other = replace(NORTH, mechanism=MechanismFile(Schema((Attribute("drinks", ("no", "yes")),)), NORTH.mechanism.groups))
    empty = replace(SOUTH, answers=None)
    for surveys, weights, why in (
        ((NORTH,), (), "Only one survey"),
        ((NORTH, other), (), "different attributes"),
        ((NORTH, empty), (), "'south' has no answer yet"),
        ((NORTH, SOUTH), (1.0,), "one positive weight each"),
        ((NORTH, SOUTH), (1.0, 0.0), "one positive weight each"),
        ((NORTH, SOUTH), (1.0, float("nan")), "one positive weight each"),
    ):
        with pytest.raises(InputError, match=why):
            SurveysTogether(surveys, weights)


def test_three_surveys_divide_the_error_by_three():
    three = tuple(invented_survey(TODAY, rng=np.random.default_rng(seed)) for seed in (1, 2, 3))
    found = SurveysTogether(three).watch(["violence"], confidence=0.9)
    assert [watched.sequence.confidence for watched in found.each] == pytest.approx([1 - 0.1 / 3] * 3)
    assert found.share_text((1,)).endswith(")")
