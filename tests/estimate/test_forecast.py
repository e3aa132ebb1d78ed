"""The day by which so many answers are there: by hand, on simulated surveys, and where no day can be named."""

import datetime as dt

import numpy as np
import pytest
from scipy.stats import binom

from rrcore.errors import InputError
from rrcore.estimate import forecast

TODAY = dt.date(2026, 11, 22)


def days(*numbers, first=None):
    """Numbers of the days before TODAY, the last one yesterday."""
    first = first or TODAY - dt.timedelta(len(numbers))
    return {first + dt.timedelta(i): number for i, number in enumerate(numbers)}


def test_steady_days_by_hand():
    """100 a day without more scatter than Poisson's, five days: q of Student's law with 4 degrees is 2.776."""
    found = forecast(days(100, 100, 100, 100, 100), 1_500, TODAY)
    assert (found.answers, found.days, found.per_day) == (500, 5, 100.0)
    assert found.expected == TODAY + dt.timedelta(9)  # ten days from this morning
    for day, sign in ((found.earliest, 1), (found.latest, -1)):
        t = (day - TODAY).days + 1
        reach = [100 * t + sign * 2.776 * (100 * t * (1 + t / 5)) ** 0.5 for t in (t - 1, t)]
        assert reach[0] < 1_000 <= reach[1]


def test_what_came_today_counts_once_and_today_is_not_over():
    before = forecast(days(50, 50, 50), 300, TODAY)
    during = forecast(days(50, 50, 50) | {TODAY: 30}, 300, TODAY)
    assert during.answers == 180
    assert during.per_day == before.per_day
    assert during.expected == before.expected == TODAY + dt.timedelta(2)
    assert forecast(days(50, 50, 50), 151, TODAY).expected == TODAY


def test_days_without_an_answer_count_and_old_ones_do_not():
    assert forecast({TODAY - dt.timedelta(4): 40}, 100, TODAY).per_day == 10
    assert forecast(days(*[1_000] * 10, *[10] * 14), 20_000, TODAY).per_day == 10


@pytest.mark.parametrize("factor", [1.0, 4.0])
def test_how_often_the_interval_holds_the_day(factor):
    """Days of a Poisson or a negative binomial law: 95 % but for chance, false alarm 1e-4 a side, and whole days that only add."""
    rng, runs, mean, horizon = np.random.default_rng(8), 600, 30.0, 400
    size = mean / max(factor - 1, 1e-9)
    draw = rng.poisson(mean, (runs, horizon)) if factor == 1 else rng.negative_binomial(size, 1 / factor, (runs, horizon))
    held = 0
    for numbers in draw.tolist():
        found = forecast(days(*numbers[:9]), 900, TODAY)
        true = TODAY + dt.timedelta(int(np.searchsorted(np.cumsum(numbers), 900)) - 9)
        held += found.earliest <= true and (found.latest is None or true <= found.latest)
    assert held >= binom.ppf(1e-4, runs, 0.94)
    assert held <= runs * 0.998


@pytest.mark.parametrize(
    ("by_day", "needed", "told"),
    [
        ({}, 100, "100 answers in all: when they will be there can be said after the first full day."),
        ({TODAY: 7}, 100, "100 answers in all: when they will be there can be said after the first full day."),
        ({TODAY: 0}, 100, "100 answers in all: when they will be there can be said after the first full day."),
        (days(60), 50, "Enough: 60 answers are there, 50 were needed."),
        ({TODAY: 60}, 60, "Enough: 60 answers are there, 60 were needed."),
        (days(5, *[0] * 14), 100, "100 answers in all: at the present rate of 0.0 a day they will not be reached."),
        (days(1, 0, 0, 0), 10**7, "10,000,000 answers in all: at the present rate of 0.2 a day they will not be reached."),
    ],
)
def test_no_day_is_named(by_day, needed, told):
    found = forecast(by_day, needed, TODAY)
    assert found.expected is None
    assert found.latest is None
    assert found.sentence() == told


@pytest.mark.parametrize(
    ("numbers", "why"), [((100,), "too few days"), ((100, 90), "too few days"), ((200, 0, 1), "the days differ too much")]
)
def test_only_not_before(numbers, why):
    found = forecast(days(*numbers), 2_000, TODAY)
    assert found.latest is None
    assert found.earliest < found.expected
    assert "not before" in found.sentence()
    assert f"{why} to name the latest date" in found.sentence()


def test_what_cannot_be_forecast_is_said():
    with pytest.raises(InputError, match=r"answers of 2026-12-01, and today is 2026-11-22"):
        forecast({dt.date(2026, 11, 20): 3, dt.date(2026, 12, 1): 3}, 5, TODAY)
