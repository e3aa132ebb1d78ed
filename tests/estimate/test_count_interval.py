"""Exact intervals of a few people: against a law that is built person by person, at every number who may have the answer."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.estimate.count_interval import count_interval

RATES = [(0.75, 0.25), (0.9, 0.1), (0.55, 0.45), (0.95, 0.05), (0.6, 0.2), (0.3, 0.7 / 3)]


@cache
def law(people, have, true, false):
    """How likely each number of reports is, one person after the other."""
    found = np.array([1.0])
    for i in range(people):
        rate = true if i < have else false
        found = np.append(found * (1 - rate), 0) + np.append(0, found * rate)
    return found


@cache
def intervals(people, true, false):
    """One for each number of reports."""
    return [count_interval(reports, people, true, false) for reports in range(people + 1)]


def covered(people, true, false):
    """For each number who have the answer, how often the interval holds it."""
    ends = intervals(people, true, false)
    return np.array(
        [
            sum(chance for chance, (low, high) in zip(law(people, have, true, false), ends, strict=True) if low <= have <= high)
            for have in range(people + 1)
        ]
    )


@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("people", [1, 2, 5, 12, 30, 61])
def test_it_holds_whoever_answered_and_is_never_empty(people, rates):
    found = covered(people, *rates)
    assert found.min() >= 0.935 - 1e-9
    for reports, (low, high) in enumerate(intervals(people, *rates)):
        assert 0 <= low <= high <= people
        likely = [law(people, have, *rates)[reports] for have in range(people + 1)]
        assert low <= int(np.argmax(likely)) <= high  # what is likeliest was never rejected


@pytest.mark.parametrize("rates", RATES)
def test_of_classes_of_thirty_it_holds_93_to_97_of_100_at_shares_that_occur(rates):
    found = covered(30, *rates)
    for share in (0.1, 0.2, 0.3, 0.5, 0.8):
        assert 0.935 <= binom.pmf(np.arange(31), 30, share) @ found <= 0.968


def test_it_turns_around_with_the_answers_and_grows_with_the_reports():
    ends = [count_interval(reports, 30, 0.8, 0.2) for reports in range(31)]
    assert ends == [(30 - high, 30 - low) for low, high in reversed(ends)]
    assert all(low <= next_low and high <= next_high for (low, high), (next_low, next_high) in pairwise(ends))
    assert ends[0] == (0, 0)
    assert count_interval(7, 30, 1.0, 0.0) == (7, 7)  # nothing is randomised


def test_reports_too_rare_for_a_float_have_an_interval():
    assert count_interval(1000, 1000, 0.22, 0.156) == (1000, 1000)
    assert count_interval(0, 1000, 0.22, 0.156)[0] == 0


def test_with_many_people_it_is_the_normal_interval():
    low, high = count_interval(400, 1000, 0.75, 0.25)
    assert (low + high) / 2 == pytest.approx(1000 * (0.4 - 0.25) / 0.5, abs=1.5)
    assert (high - low) / 2 == pytest.approx(1.96 * (1000 * 0.75 * 0.25) ** 0.5 / 0.5, abs=2)
