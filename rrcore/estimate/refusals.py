"""How an estimate moves if some people give one report whatever is asked: refusals, and the "no" of self-protection (theory.md section 24).

A share x of the people always reports u, the others follow the instructions, so that what is released is (1 - x) channel(pi) + x [u] with
pi the true shares among those who follow them. x itself cannot be estimated from the same answers: it is varied.
"""

from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats
from rrcore.channel import StackedChannel
from rrcore.errors import InputError
from rrcore.estimate.estimate import Estimate
from rrcore.limits import MAX_ALWAYS
from rrcore.wording import Quantity, percent, quantity_target

NOT_CORRECTED = "Not corrected by the control item: people who always say the same may be among those whom it counts."
"""What is said where other estimates are corrected by a control item."""


@dataclass(frozen=True, eq=False)
class Always:
    """The shares of one attribute, if so many people always give one report.

    Parameters
    ----------
    estimate : Estimate of a single attribute, as if everybody followed the instructions
    said : int, number of the report that is always given

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> survey = nigeria()
    >>> always = Always(survey.estimate(survey.mechanism.schema.names), 0)
    >>> [float(always.shares(x)[1].round(3)) for x in (0.0, 0.1, 0.2)]
    [0.262, 0.319, 0.39]
    >>> round(always.possible, 3)  # with more, some answer would have a share below 0
    0.59
    """

    estimate: Estimate
    said: int

    def __post_init__(self) -> None:
        if self.estimate.shares.ndim != 1:
            raise InputError("People who always give the same answer are looked at for one attribute at a time: choose one.")
        if isinstance(self.estimate.channel, StackedChannel):
            raise InputError(
                "People who always give the same answer are looked at where all were asked by one mechanism file: read the groups one by one."
            )
        if not 0 <= self.said < self.estimate.released.size:
            raise InputError(f"There is no report number {self.said}: there are {self.estimate.released.size}.")

    @property
    def weights(self) -> Floats:
        """What one report ``said`` adds to the estimated share of every category: kappa(u, v), ndarray of shape (a,)."""
        unit = np.zeros(self.estimate.released.shape)
        unit[self.said] = 1.0
        return self.estimate.channel.invert(unit)

    def shares(self, x: float) -> Floats:
        """Estimated shares among those who follow the instructions if a share ``x`` does not: shape (a,), unbiased if x is right."""
        return self._without(self.estimate.shares, x)

    def interval(self, x: float, confidence: float = 0.95, *, population: bool = True) -> tuple[Floats, Floats]:
        """Their intervals (low, high), ``population`` as in ``cell_variance``: the ends of the estimate's own, moved as it is moved."""
        low, high = self.estimate.interval(confidence, population=population)
        return self._without(low, x), self._without(high, x)

    def everybody(self, x: float) -> tuple[Floats, Floats]:
        """Least and largest estimated share among all people: none, or all, of those who always give one report belong to the category."""
        followed = (1 - x) * self.shares(x)
        return followed, followed + x

    @property
    def possible(self) -> float:
        """The largest share x at which the estimate is still possible: beyond, some category's share is below 0."""
        return self._limit(self.estimate.shares)

    def compatible(self, confidence: float = 0.95, *, population: bool = True) -> float:
        """The largest share x that the answers do not contradict: beyond, some category's whole interval is below 0."""
        return self._limit(self.estimate.interval(confidence, population=population)[1])

    def sentence(self, x: float, of: int, *, population: bool = True) -> str:
        """What ``x`` would mean for category ``of``."""
        categories, reports = (schema.attributes[0].categories for schema in (self.estimate.schema, self.estimate.reports))
        low, high = (float(end[of]) for end in self.interval(x, population=population))
        limit = self.compatible(population=population)
        said = f"If {percent(x)} of the people always say “{reports[self.said]}”"
        if x > limit:
            return f"{said}, the answers contradict it: they allow at most {percent(limit)}."
        return (
            f"{said}, the share of “{categories[of]}” among the others is "
            f"{Quantity('share', categories[of], quantity_target(population)).estimated(float(self.shares(x)[of]), low, high)} instead of "
            f"{percent(float(self.estimate.shares[of]))}. The answers allow at most {percent(limit)} of such people."
        )

    def _without(self, shares: Floats, x: float) -> Floats:
        if not 0 <= x < 1:
            raise InputError(f"The share of people who always give the same answer is {x:g}: give one from 0 to below 1.")
        return np.asarray((shares - x * self.weights) / (1 - x))

    def _limit(self, ends: Floats) -> float:
        falling = self.weights > 0
        return float(np.clip((ends[falling] / self.weights[falling]).min(), 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class Course:
    """One category's share as more and more people always give one report: arrays over ``x``, all of its shape.

    Parameters
    ----------
    x : ndarray of shape (m,), from 0 upwards
    share, low, high : the estimate among those who follow the instructions, and its interval
    all_of_them : the share among everybody if all who always give that report belong to the category
    limit : float, the largest x that the answers do not contradict
    """

    x: Floats
    share: Floats
    low: Floats
    high: Floats
    all_of_them: Floats
    limit: float


def refusals_course(always: Always, of: int, *, most: float = MAX_ALWAYS, steps: int = 31, population: bool = True) -> Course:
    """The course of category ``of`` from 0 to ``most``, in ``steps`` steps, as far as the answers do not contradict it."""
    limit = always.compatible(population=population)
    grid = np.linspace(0.0, min(most, limit), steps)
    ends = np.array([always.interval(float(x), population=population) for x in grid])
    share = np.array([always.shares(float(x))[of] for x in grid])
    high = np.array([always.everybody(float(x))[1][of] for x in grid])
    return Course(grid, share, ends[:, 0, of], ends[:, 1, of], high, limit)
