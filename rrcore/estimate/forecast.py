"""By which day so many answers will be there, at the rate of the last days, and between which days that is likely."""

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.wording import count_text, counted, date_text

RECENT_DAYS = 14
"""Most days, the last full ones, that the rate is taken from: two of each day of the week."""
_FEWEST_DAYS = 3  # with fewer no latest day is named
_FAR = 36_500  # days: nobody plans further


@dataclass(frozen=True)
class Forecast:
    """When a number of answers will be reached.

    Parameters
    ----------
    needed : int, answers in all
    answers : int, so far
    days : int, full days that the rate is taken from
    per_day : float, mean number of answers on these days; NaN without any full day
    earliest, expected, latest : datetime.date or None
        The day, and the ends of its 95 % prediction interval. None where no day can be named: too few days so far, or not at this rate.
    today : datetime.date, the day of the forecast
    """

    needed: int
    answers: int
    days: int
    per_day: float
    earliest: dt.date | None
    expected: dt.date | None
    latest: dt.date | None
    today: dt.date

    @property
    def reached(self) -> bool:
        """Whether there are enough answers already."""
        return self.answers >= self.needed

    def sentence(self) -> str:
        """The forecast in one sentence."""
        needed = f"{counted(self.needed, 'answer', 'answers')} in all"
        if self.reached:
            return f"Enough: {count_text(self.answers)} answers are there, {count_text(self.needed)} were needed."
        if not self.days:
            return f"{needed}: when they will be there can be said after the first full day."
        if self.expected is None or self.earliest is None:
            return f"{needed}: at the present rate of {_rate(self.per_day)} a day they will not be reached."
        earliest, expected = (date_text(day, self.today) for day in (self.earliest, self.expected))
        rate = f"{_rate(self.per_day)} a day over the last {counted(self.days, 'full day', 'full days')}"
        if self.latest is None:
            why = "too few days" if self.days < _FEWEST_DAYS else "the days differ too much"
            return f"{needed}, {rate}: not before {earliest}; {why} to name the latest date."
        return f"{needed}, {rate}: by {expected}, most likely between {earliest} and {date_text(self.latest, self.today)}."


def forecast(by_day: Mapping[dt.date, int], needed: int, today: dt.date) -> Forecast:
    """When ``needed`` answers will be there, if days stay as the last RECENT_DAYS full ones were.

    Numbers of days scatter more than a Poisson law where answers come in bursts: their variance is taken as the mean times a factor
    estimated from the days, at least 1 (a quasi-Poisson law, McCullagh and Nelder 1989, section 6.2.3). With the mean m of d days, factor f
    and the point q of Student's law with d - 1 degrees of freedom, t further days bring m t answers up to q sqrt(f m t (1 + t / d)): the
    second term is what the mean itself is uncertain by. Both ends of the interval of t solve a quadratic equation.

    Parameters
    ----------
    by_day : datetime.date -> number of answers; days that are missing had none
    needed : number of answers in all, at least 1
    today : counts as not over yet

    Raises
    ------
    InputError
        For answers of a day that is still to come.

    Examples
    --------
    >>> import datetime as dt
    >>> days = {dt.date(2026, 11, day): number for day, number in enumerate([52, 47, 61, 38, 55, 49], 2)}
    >>> forecast(days, 900, dt.date(2026, 11, 8)).sentence()
    '900 answers in all, 50 a day over the last 6 full days: by 19 November, most likely between 17 November and 22 November.'
    """
    came = {day: number for day, number in by_day.items() if number}
    if came and max(came) > today:
        raise InputError(
            f"There are answers of {max(came).isoformat()}, and today is {today.isoformat()}: check the computer's date."
        )
    answers = sum(came.values())
    days = min((today - min(came)).days, RECENT_DAYS) if came else 0
    if not days:
        return Forecast(needed, answers, 0, math.nan, None, None, None, today)
    counts = np.array([came.get(today - dt.timedelta(back), 0) for back in range(1, days + 1)], dtype=np.float64)
    mean = float(counts.mean())
    rest = needed - (answers - came.get(today, 0))  # from this morning on
    times = _times(mean, _scatter(counts), days, rest) if mean > 0 and rest > 0 else (math.inf,) * 3
    if answers >= needed:
        times = (math.inf,) * 3
    earliest, expected, latest = (_day(today, time) for time in times)
    return Forecast(needed, answers, days, mean, earliest, expected, latest if days >= _FEWEST_DAYS else None, today)


def _scatter(counts: Floats) -> float:
    """The variance of a day's number over its mean, at least 1."""
    return max(1.0, float(counts.var(ddof=1) / counts.mean())) if counts.size > 1 else 1.0


def _times(mean: float, factor: float, days: int, rest: float) -> tuple[float, float, float]:
    """Days from this morning on until ``rest`` answers: the shortest, the expected and the longest time (infinite: perhaps never)."""
    spread = float(scipy.special.stdtrit(max(days - 1, 1), 0.975)) ** 2 * factor * mean
    a, b = mean**2 - spread / days, 2 * mean * rest + spread
    root = math.sqrt(b**2 - 4 * a * rest**2)
    return 2 * rest**2 / (b + root), rest / mean, (b + root) / (2 * a) if a > 0 else math.inf


def _day(today: dt.date, time: float) -> dt.date | None:
    return today + dt.timedelta(max(math.ceil(time), 1) - 1) if time < _FAR else None


def _rate(per_day: float) -> str:
    return f"{per_day:.0f}" if per_day >= 10 else f"{per_day:.1f}"
