"""Should people be asked directly or at random? What denial has to cost before lies at random pay (theory.md section 28).

Asked directly, a share p comes out at p - b, since some deny, with the variance of sampling alone; randomised, it comes out at p, with the
noise of the randomization on top. Asking directly is closer as long as b is below sqrt(V / n), the break-even denial.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.channel import Channel
from rrcore.errors import InputError, NotIdentifiableError, check_number
from rrcore.estimate.uncertainty import cell_variance, margin
from rrcore.wording import amount_text, count_text, percent, points

Ends = tuple[float, float]


@dataclass(frozen=True)
class BreakEven:
    """One share, asked directly or randomised, of so many people.

    Parameters
    ----------
    share : float, 0 < p < 1, the share that is expected
    people : int >= 1, how many are asked
    noise : float >= 0, V: the variance that randomising one person's answer adds to that person's part in the share. ``of`` takes it from a
        channel, ``Facts.break_even`` from a design of the field

    Raises
    ------
    InputError
        For a share that is none, or nobody to be asked.

    Examples
    --------
    Forced response that keeps two answers of three, of a share of 10 %, among 200 people:

    >>> import numpy as np
    >>> from rrcore.channel import MatrixChannel
    >>> found = BreakEven.of(MatrixChannel(np.array([[5, 1], [1, 5]]) / 6), 1, people=200, share=0.1)
    >>> round(found.denial, 4), round(found.deniers, 2)
    (0.0395, 0.4)
    >>> found.people_for(0.04)  # with more, lies at random pay for themselves
    196
    """

    share: float
    people: int
    noise: float

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise InputError(f"The expected share is {self.share:g}: give a number between 0 and 1, for example 0.1.")
        if not 1 <= self.people < math.inf:
            raise InputError(f"{count_text(self.people)} people are to be asked: give a whole number from 1.")
        check_number("The noise", self.noise, 0)

    @classmethod
    def of(cls, channel: Channel, cell: int | Sequence[int], *, people: int, share: float) -> BreakEven:
        """That of a cell of the marginal that ``channel`` randomises, ``share`` of it; all other cells are taken to be equally common.

        Parameters
        ----------
        channel : Channel, for example ``mechanism.marginal_channel((axis,))``
        cell : int, number of the category; of several attributes a sequence of them
        people, share : as in the class

        Raises
        ------
        NotIdentifiableError
            If the channel erases the share, so that no number of people makes randomising pay.
        """
        if channel.lost():
            raise NotIdentifiableError(
                "Randomised in this way the share cannot be read at all: raise the levels, or ask directly.", channel.lost()
            )
        at = (cell,) if isinstance(cell, int) else tuple(cell)
        shares = np.full(channel.sizes, (1 - share) / (math.prod(channel.sizes) - 1))
        shares[at] = share
        found = cls(share, people, 0.0)  # which checks both before anything is computed
        noise = cell_variance(channel.push(shares), shares, channel, 1, population=False)[at]
        return cls(found.share, found.people, float(noise))

    @property
    def denial(self) -> float:
        """b = sqrt(V / n): by how much the share would have to come out too low, asked directly, before randomising is closer.

        The variance of the direct share is taken to be p (1 - p) / n whatever is denied; with b denied it is a little less where p is below
        one half, so that this is on the side of randomising (by less than b / 2n in squared error).
        """
        return math.sqrt(self.noise / self.people)

    @property
    def deniers(self) -> float:
        """b / p: how many of those whom it is true of would have to deny, as a share of them; above 1 not even all are enough."""
        return self.denial / self.share

    @property
    def never(self) -> bool:
        """Whether asking directly comes closer even if everybody denies."""
        return self.deniers >= 1

    def people_for(self, denial: float) -> int:
        """The number of people from which on a ``denial`` b > 0 costs more than randomising does: V / b^2, rounded up."""
        if not 0 < denial <= 1:
            raise InputError(f"The denial is {denial:g}: give a number above 0, at most 1, for example 0.04 for 4 points.")
        return max(1, math.ceil(self.noise / denial**2 - 1e-9))

    def directly(self, denial: float, confidence: float = 0.95) -> tuple[float, Ends]:
        """The share expected of asking directly, p - b, and its expected interval (normal, cut off at 0 and 1)."""
        said = self.share - self._checked(denial)
        return said, self._around(said, said * (1 - said) / self.people, confidence)

    def randomised(self, confidence: float = 0.95) -> tuple[float, Ends]:
        """The share expected of randomising, p itself, and its expected interval (normal, cut off at 0 and 1)."""
        return self.share, self._around(self.share, (self.share * (1 - self.share) + self.noise) / self.people, confidence)

    def off_by(self, denial: float) -> tuple[float, float]:
        """Root-mean-square errors to expect: asked directly with ``denial`` b, and randomised; sqrt(b^2 + p (1 - p) / n) and so on."""
        sampling = self.share * (1 - self.share) / self.people
        return math.sqrt(self._checked(denial) ** 2 + sampling), math.sqrt(sampling + self.noise / self.people)

    @property
    def denial_text(self) -> str:
        """The break-even denial as a percentage of all people, with two digits."""
        return f"{amount_text(100 * self.denial, 2)} %"

    @property
    def sentence(self) -> str:
        """The break-even denial in words."""
        if not self.noise:
            return "Nothing is randomised here: this is asking directly."
        if self.never:
            return f"Asked directly, the share comes out closer even if all {percent(self.share)} of it deny."
        many = f"{100 * self.deniers:.0f} of 100 people whom it is true of"
        return f"Asked directly, more than {self.denial_text} of all must deny before this design pays: {many}."

    def _checked(self, denial: float) -> float:
        if not 0 <= denial <= self.share:
            raise InputError(f"The denial is {points(denial)}: give one from 0 to the share itself, {points(self.share)}.")
        return denial

    @staticmethod
    def _around(share: float, variance: float, confidence: float) -> Ends:
        half = float(margin(math.sqrt(variance), confidence))
        return max(0.0, share - half), min(1.0, share + half)


@dataclass(frozen=True)
class DenialRate:
    """One validation study.

    Parameters
    ----------
    what : what was asked
    rate : float, of those whom it is true of (or of the events) this share was not reported
    measured : what the number is, how it was validated, and who was asked
    source : the study
    read_in : where the number was read
    """

    what: str
    rate: float
    measured: str
    source: str
    read_in: str


DENIAL_RATES = (
    DenialRate(
        "An abortion, matched with medical records",
        0.19,
        "of 104 American women aged 27 to 30, those who left out at least one abortion that stood in their medical records",
        "J. R. Udry, M. Gaughan, P. J. Schwingl, B. J. van den Berg, “A Medical Record Linkage Analysis of Abortion Underreporting”, Family "
        "Planning Perspectives 28 (1996) 228-231",
        "the abstract",
    ),
    DenialRate(
        "Smoking while pregnant",
        0.22,
        "of pregnant women in New Zealand who smoked by the cotinine in their blood, those who denied it",
        "R. P. Ford, D. M. Tappin, P. J. Schluter, C. J. Wild, “Smoking during pregnancy: how reliable are maternal self reports in New "
        "Zealand?”, Journal of Epidemiology and Community Health 51 (1997) 246-251",
        "the abstract",
    ),
    DenialRate(
        "An abortion, told without the interviewer",
        0.48,
        "of abortions in the USA of 1991 to 1994 that providers counted, those missing in the self-report of a national survey",
        "H. Fu, J. E. Darroch, S. K. Henshaw, E. Kolb, “Measuring the Extent of Abortion Underreporting in the 1995 National Survey of "
        "Family Growth”, Family Planning Perspectives 30 (1998) 128-133, 138",
        "the abstract: 52 % reported",
    ),
    DenialRate(
        "An abortion, told to an interviewer",
        0.53,
        "of abortions in the USA of 1997 to 2001, those missing in the interviews of a national survey of 2002",
        "R. K. Jones, K. Kost, “Underreporting of Induced and Spontaneous Abortion in the United States: An Analysis of the 2002 National "
        "Survey of Family Growth”, Studies in Family Planning (2007), doi 10.1111/j.1728-4465.2007.00130.x",
        "the abstract: 47 % reported",
    ),
    DenialRate(
        "An abortion, matched with insurance claims",
        0.71,
        "of abortions that Medicaid claims show for 1,236 welfare mothers in New Jersey, those not reported by them",
        "R. Jagannathan, “Relying on Surveys to Understand Abortion Behavior: Some Cautionary Evidence”, American Journal of Public "
        "Health 91 (2001) 1825-1831",
        "the abstract: 29 % reported",
    ),
)
"""Least denied first."""
