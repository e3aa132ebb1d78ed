"""Several surveys in the field that ask the same by mechanism files of their own, as one look sees them together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.estimate import simplex
from rrcore.receiver.field import SurveySoFar, Watched
from rrcore.wording import Quantity


@dataclass(frozen=True, eq=False)
class Together:
    """What the answers of several surveys to one marginal say at the last look.

    Parameters
    ----------
    each : tuple of Watched, one for each survey; with probability ``confidence`` all their intervals of one share hold at every look
    parts : ndarray of shape (surveys,), the part of the population that each survey stands for, summing to 1
    shares, low, high : ndarrays of the shape of the marginal, the shares of the whole population and the ends of their intervals
    confidence : that the interval of a share never misses it
    """

    each: tuple[Watched, ...]
    parts: Floats
    shares: Floats
    low: Floats
    high: Floats
    confidence: float

    def share_text(self, cell: Sequence[int]) -> str:
        """The share of a combination with its interval, cut off at 0 and 100 %."""
        share, low, high = (float(np.clip(table[tuple(cell)], 0, 1)) for table in (simplex(self.shares), self.low, self.high))
        return Quantity("share", str(cell), "the population").estimated(share, min(low, share), max(high, share))


@dataclass(frozen=True, eq=False)
class SurveysTogether:
    """Several surveys that ask the same, each by a mechanism file of its own or by the same one.

    Parameters
    ----------
    surveys : tuple of SurveySoFar, at least two, each with an answer
    weights : what each survey stands for, such as the number of people of its region; empty for the number of its answers so far

    Raises
    ------
    InputError
        For fewer than two surveys, different questions, a survey without an answer, or weights that are not positive numbers.

    Examples
    --------
    >>> import datetime as dt, numpy as np
    >>> from rrcore.receiver.field import invented_survey
    >>> north, south = (invented_survey(dt.date(2026, 11, 22), rng=np.random.default_rng(seed)) for seed in (1, 2))
    >>> found = SurveysTogether((north, south), weights=(3, 1)).watch(["violence"])
    >>> [watched.share_text((1,)) for watched in found.each], found.share_text((1,))
    (['29 % (22 to 37)', '28 % (21 to 36)'], '29 % (21 to 37)')
    """

    surveys: tuple[SurveySoFar, ...]
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if len(self.surveys) < 2:
            raise InputError("Only one survey is given: choose at least two to see them together.")
        first = self.surveys[0]
        for survey in self.surveys:
            if survey.mechanism.schema != first.mechanism.schema:
                raise InputError(
                    f"'{first.title}' and '{survey.title}' ask about different attributes or categories: only surveys that ask the same can "
                    "be seen together."
                )
            if survey.answers is None:
                raise InputError(f"'{survey.title}' has no answer yet: leave it out until it has some.")
        if self.weights and (len(self.weights) != len(self.surveys) or not all(0 < weight < np.inf for weight in self.weights)):
            raise InputError(
                "The surveys do not have one positive weight each: give each the number of people that it stands for."
            )

    def watch(self, names: Sequence[str], *, confidence: float = 0.95) -> Together:
        """The marginal over ``names`` at the last look, valid however often one looks.

        Every survey has its own sequence with its part of the error; where all hold, so does any mean of them, whatever the weights are and
        however they change with the answers (theory.md section 19).

        Raises
        ------
        InputError, NotIdentifiableError
            As ``SurveySoFar.watch`` does.
        """
        own = 1 - (1 - confidence) / len(self.surveys)
        each = tuple(survey.watch(names, confidence=own) for survey in self.surveys)
        weights = np.array(self.weights or [survey.n for survey in self.surveys], dtype=np.float64)
        parts = weights / weights.sum()
        shares, low, high = (
            np.asarray(sum(part * table[..., -1] for part, table in zip(parts, tables, strict=True)))
            for tables in zip(*((watched.shares, watched.low, watched.high) for watched in each), strict=True)
        )
        return Together(each, parts, shares, low, high, confidence)
