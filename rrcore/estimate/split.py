"""A split sample: a random part is asked directly, so that the survey itself measures how many deny (theory.md section 28)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import scipy

from rrcore.errors import InputError
from rrcore.estimate.direct import BreakEven
from rrcore.estimate.uncertainty import check_confidence, normal_point
from rrcore.limits import MAX_PEOPLE
from rrcore.wording import count_text, counted, percent, points

POWER = 0.8
"""The power that is asked for unless another is given: of 100 such surveys 80 find the denial."""

_HALVED = 50  # times, until the part is exact


@dataclass(frozen=True)
class SplitSample:
    """So many people, of whom a random part is asked directly.

    Parameters
    ----------
    asked : BreakEven, the share, all people and the noise of randomising
    denial : float, b > 0, at most the share: the denial that is to be found
    part : float, 0 < f < 1, the probability of being asked directly. Who is so is drawn person by person
    confidence : float, of the interval of denial, which finds it when it is above 0

    Raises
    ------
    InputError
        For a part or a denial that is none.

    Examples
    --------
    >>> asked = BreakEven(0.1, 1_000, 0.3125)  # forced response with 2/3
    >>> best = SplitSample.fewest_people(asked, 0.06)
    >>> best.people, round(best.part, 3), round(best.power, 3)
    (1627, 0.287, 0.8)
    >>> SplitSample.fewest_directly(replace(asked, people=2_000), 0.06).directly
    253
    """

    asked: BreakEven
    denial: float
    part: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if not 0 < self.denial <= self.asked.share:
            raise InputError(
                f"The denial to be found is {points(self.denial)}: give one above 0, at most the share itself, {points(self.asked.share)}."
            )
        if not 0 < self.part < 1:
            raise InputError(f"The part asked directly is {self.part:g}: give a number between 0 and 1, for example 0.25.")

    @classmethod
    def fewest_people(cls, asked: BreakEven, denial: float, *, power: float = POWER, confidence: float = 0.95) -> SplitSample:
        """The split that needs fewest people for that ``power``, and with how many: f = sqrt(D) / (sqrt(D) + sqrt(S)).

        D is the variance of one direct answer, S = p (1 - p) + V that of one randomised answer; with many people
        n = (z + z_power)^2 (sqrt(D) + sqrt(S))^2 / b^2. D is taken half-way between no denial and b, since the end of the interval that
        has to leave out 0 is nearer to p than the share itself.
        """
        first = cls(asked, denial, _best_part(asked, denial), confidence)
        _check_power(power)
        many = 1
        while replace(first, asked=replace(asked, people=many)).power < power:
            many *= 2
            if many > 2 * MAX_PEOPLE:
                raise InputError(
                    f"To find a denial of {points(denial)} more than {MAX_PEOPLE:,} people would be needed: look for a larger one."
                )
        low, high = many // 2, many
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if replace(first, asked=replace(asked, people=middle)).power >= power else (middle, high)
        return replace(first, asked=replace(asked, people=high))

    @classmethod
    def fewest_directly(cls, asked: BreakEven, denial: float, *, power: float = POWER, confidence: float = 0.95) -> SplitSample:
        """The smallest part asked directly that has that ``power`` with all people as given, so that fewest go unprotected.

        With many people the smaller root f of t f^2 - (t + D - S) f + D = 0, with t = n b^2 / (z + z_power)^2.

        Raises
        ------
        InputError
            If no split of so few people has that power; the message says how many are needed.
        """
        best = cls(asked, denial, _best_part(asked, denial), confidence)
        _check_power(power)
        if best.power < power:
            needed = cls.fewest_people(asked, denial, power=power, confidence=confidence)
            raise InputError(
                f"{counted(asked.people, 'person', 'people')} cannot show a denial of {points(denial)} with a power of {percent(power)}, "
                f"however they are split: {count_text(needed.people)} can, {percent(needed.part)} of them asked directly."
            )
        low, high = 0.0, best.part
        for _ in range(_HALVED):
            middle = (low + high) / 2
            low, high = (low, middle) if replace(best, part=middle).power >= power else (middle, high)
        return replace(best, part=high)

    @property
    def people(self) -> int:
        """All people."""
        return self.asked.people

    @property
    def directly(self) -> int:
        """How many are asked directly, rounded to the nearest."""
        return round(self.part * self.people)

    @property
    def of_100(self) -> int:
        """How many of 100 people are asked directly, in whole ones, rounded up: as a form deals them out."""
        return max(1, math.ceil(100 * self.part - 1e-9))

    @property
    def error(self) -> float:
        """Standard error of the difference of the two shares."""
        direct, randomised = self._variances
        return math.sqrt((direct / self.part + randomised / (1 - self.part)) / self.people)

    @property
    def power(self) -> float:
        """The probability that the interval of denial is above 0, the direct share's part of it being a score interval (Wilson 1927)."""
        z, (direct, randomised) = normal_point(self.confidence), self._variances
        said, one = self.asked.share - self.denial, z**2 / (self.part * self.people)
        above = (said + one / 2 + math.sqrt(one * direct + one**2 / 4)) / (1 + one) - said
        reach = math.hypot(above, z * math.sqrt(randomised / (1 - self.part) / self.people))
        return float(scipy.special.ndtr((self.denial - reach) / self.error))

    @property
    def margin(self) -> float:
        """Half the length of the expected interval of denial."""
        return normal_point(self.confidence) * self.error

    @property
    def text(self) -> str:
        """What the split finds and what it costs, in one sentence with its price."""
        return (
            f"With {counted(self.people, 'person', 'people')}, {percent(self.part)} of them asked directly, {100 * self.power:.0f} of 100 "
            f"such surveys find a denial of {points(self.denial)}. Price: about {counted(self.directly, 'person', 'people')} whose answers "
            "are not protected at all."
        )

    @property
    def _variances(self) -> tuple[float, float]:
        """Of one direct and of one randomised answer."""
        return _variances(self.asked, self.denial)


def _variances(asked: BreakEven, denial: float) -> tuple[float, float]:
    said = asked.share - denial
    return max(0.0, said * (1 - said)), asked.share * (1 - asked.share) + asked.noise


def _best_part(asked: BreakEven, denial: float) -> float:
    direct, randomised = map(math.sqrt, _variances(asked, denial / 2))
    return direct / (direct + randomised)


def _check_power(power: float) -> None:
    if not 0.5 <= power < 1:
        raise InputError(f"The power is {power:g}: give a number from 0.5 to below 1, for example 0.8.")
