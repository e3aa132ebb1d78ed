"""How many deny when they are asked directly: what the two parts of a split sample differ by (theory.md section 28)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import scipy

from rrcore.errors import InputError
from rrcore.estimate.direct import BreakEven
from rrcore.estimate.estimate import Estimate
from rrcore.estimate.uncertainty import check_confidence
from rrcore.wording import Quantity, counted, points

Verdict = Literal["randomise", "ask directly", "open", "more directly"]
"""What the interval of denial says: above the break-even denial, below it, neither; or that more said it when asked directly."""


@dataclass(frozen=True, eq=False)
class Denial:
    """One share as two random parts of the same people gave it: randomised, and asked directly.

    Denial is the randomised share less the direct one. Its interval is made of both shares' own score intervals (Zou and Donner 2008,
    "Construction of confidence limits about effect measures: a general approach", Statistics in Medicine 27: for a difference the method 10
    of Newcombe 1998), so that it holds where nobody, or hardly anybody, said it.

    Parameters
    ----------
    randomised, directly : Estimate of the same marginal
    cell : tuple of int, the combination of categories that is looked at
    confidence : of intervals, and so of what they say

    Raises
    ------
    InputError
        If the two are of different questions, for a confidence that is no number between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> from rrcore.estimate import invert_counts
    >>> from rrcore.promise.groups import direct_file
    >>> schema = rr.Schema((rr.Attribute("cheated", ("no", "yes")),))
    >>> arms = [rr.build("kronecker", (2,), [1.5]), direct_file(schema)]
    >>> counts = [np.array([500, 250]), np.array([240, 10])]
    >>> two = [invert_counts(each, arm.marginal_channel((0,)), schema=schema) for each, arm in zip(counts, arms)]
    >>> found = Denial(*two, (1,))
    >>> print(found.text)
    24 % (19 to 29) when randomised, 4.0 % (2.1 to 7.0) when asked directly: denial +20 (+14 to +26) points, p < 0.001.
    """

    randomised: Estimate
    directly: Estimate
    cell: tuple[int, ...]
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if self.randomised.schema != self.directly.schema:
            raise InputError(
                "The two parts of a split sample were asked different questions: give two estimates of the same ones."
            )

    @property
    def difference(self) -> float:
        """The randomised share less the direct one."""
        return float(self.randomised.shares[self.cell] - self.directly.shares[self.cell])

    def interval(self, confidence: float | None = None) -> tuple[float, float]:
        """The interval of denial against the population that both parts were drawn from."""
        sure = self.confidence if confidence is None else confidence
        upper, lower = (one.interval(sure, population=True) for one in (self.randomised, self.directly))
        x, q = (float(one.shares[self.cell]) for one in (self.randomised, self.directly))
        (x_low, x_high), (q_low, q_high) = ((float(end[self.cell]) for end in ends) for ends in (upper, lower))
        below = math.hypot(max(0.0, x - x_low), max(0.0, q_high - q))
        above = math.hypot(max(0.0, x_high - x), max(0.0, q - q_low))
        return x - q - below, x - q + above

    @property
    def p_value(self) -> float:
        """Of the test of no denial: the smallest level at which the interval leaves out 0."""
        from scipy.optimize import brentq  # heavy

        end = 0 if self.difference > 0 else 1

        def reach(z: float) -> float:
            return self.interval(math.erf(z / math.sqrt(2)))[end]

        farthest = 7.0  # beyond, the confidence is 1 in floating point
        if self.difference == 0 or reach(1e-6) * self.difference <= 0:
            return 1.0
        if reach(farthest) * self.difference > 0:
            return float(scipy.special.erfc(farthest / math.sqrt(2)))
        return float(scipy.special.erfc(brentq(reach, 1e-6, farthest) / math.sqrt(2)))

    def break_even(self, people: int) -> BreakEven:
        """What denial would have to cost among so many people, at the randomised share and the noise that it was read with."""
        share = float(min(max(self.randomised.projected[self.cell], 0.5 / self.randomised.n), 1 - 0.5 / self.randomised.n))
        error = float(self.randomised.standard_error(population=True)[self.cell])
        return BreakEven(share, people, max(0.0, error**2 * self.randomised.n - share * (1 - share)))

    def verdict(self, people: int, confidence: float | None = None) -> Verdict:
        """Which way would have been closer for so many people, as far as the interval of denial tells."""
        low, high = self.interval(confidence)
        limit = self.break_even(people).denial
        if high < 0:
            return "more directly"
        return "randomise" if low > limit else "ask directly" if high < limit else "open"

    @property
    def text(self) -> str:
        """Both shares, their difference and its p-value."""
        label = ", ".join(
            attribute.categories[i] for attribute, i in zip(self.randomised.schema.attributes, self.cell, strict=True)
        )
        quantity = Quantity("share", label, "the population")
        shares = []
        for one in (self.randomised, self.directly):
            low, high = (float(end[self.cell]) for end in one.interval(self.confidence, population=True))
            shares.append(quantity.estimated(float(one.shares[self.cell]), low, high))
        p = self.p_value
        value = "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"
        denial = quantity.changed(self.difference, *self.interval())
        return f"{shares[0]} when randomised, {shares[1]} when asked directly: denial {denial} points, {value}."

    def advice(self, people: int) -> str:
        """What that says of the next survey of so many people, in one sentence."""
        limit, whom = points(self.break_even(people).denial), counted(people, "person", "people")
        return {
            "randomise": f"More deny than the {limit} that randomising costs {whom}: it pays.",
            "ask directly": f"Fewer deny than the {limit} that randomising costs {whom}: asking directly comes closer, and protects nobody.",
            "open": f"Randomising costs {whom} as much as a denial of {limit}: this survey cannot tell which way comes closer.",
            "more directly": "More said it when asked directly: people may have misread the device, or feared that an innocent answer is "
            "misread.",
        }[self.verdict(people)]

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        low, high = self.interval()
        return {
            "categories": [each.categories[i] for each, i in zip(self.randomised.schema.attributes, self.cell, strict=True)],
            "randomised": float(self.randomised.shares[self.cell]),
            "asked_directly": float(self.directly.shares[self.cell]),
            "denial": self.difference,
            "low": low,
            "high": high,
            "p_value": self.p_value,
            "sentence": self.text,
        }


def denials(
    randomised: Estimate, directly: Estimate, cells: Sequence[tuple[int, ...]] = (), *, confidence: float = 0.95
) -> tuple[Denial, ...]:
    """One for every cell, or for ``cells``; of a single attribute with two categories for the second alone, since the first mirrors it."""
    every = [(1,)] if randomised.shares.shape == (2,) else [names for names, _ in randomised.cells(randomised.shares.size)]
    return tuple(Denial(randomised, directly, cell, confidence) for cell in cells or every)
