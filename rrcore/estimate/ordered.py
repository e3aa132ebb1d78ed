"""Summaries of ordered attributes with confidence intervals.

They contain cumulative shares, the median, quartiles and the mean (theory.md section 25).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.estimate.estimate import Estimate
from rrcore.estimate.estimators import simplex
from rrcore.estimate.result import Result
from rrcore.limits import FEWEST_ORDERED, MAX_SCORE
from rrcore.table.schema import Attribute
from rrcore.wording import amount_text, csv_text, estimate_text, percent, range_text

QUARTILES = {0.25: "lower quartile", 0.5: "median", 0.75: "upper quartile"}
_NUMBERS = ("estimate", "std_error", "conf_low", "conf_high")
_NOTHING = 1e-14  # a share or variance that rounding alone makes
_NUMBER = r"([+-]?\d+(?:\.\d+)?)"
_BAND = re.compile(rf"{_NUMBER}\s*(?:to|-|\u2013)\s*<?\s*{_NUMBER}")


@dataclass(frozen=True)
class Quantile:
    """A quantile of an ordered attribute with its interval.

    Parameters
    ----------
    level : the cumulative share of the quantile, 0 to 1
    at, low, high : positions of categories, 0..a-1: the estimate and the ends of its interval, with low <= at <= high
    """

    level: float
    at: int
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class OrderedSummary:
    """Cumulative shares, quartiles and mean of an ordered attribute.

    ``ordered_summary`` creates this object.

    Parameters
    ----------
    attribute : Attribute of kind "ordinal" with a categories
    below : Result with a rows, the share of people at each category or below. The last one is 1
    quartiles : the three quartiles, each a Quantile
    scores : ndarray of shape (a,), the number of each category
    ranked : whether the scores are 1, 2, ..., a because no others were given
    mean : Result with one row, the mean of the scores
    """

    attribute: Attribute
    below: Result
    quartiles: tuple[Quantile, ...]
    scores: Floats
    ranked: bool
    mean: Result

    @property
    def median(self) -> Quantile:
        """The median."""
        return self.quartiles[1]

    @property
    def sentence(self) -> str:
        """A sentence on the median and on a cumulative share.

        The cumulative share is that of the category nearest to the middle.
        """
        cut = int(np.abs(self.below.estimate[:-1] - 0.5).argmin())
        ends = range_text(float(self.below.conf_low[cut]), float(self.below.conf_high[cut]))
        return (
            f"About {100 * self.below.estimate[cut]:.0f} of 100 are at “{self.attribute.categories[cut]}” or before it in order "
            f"({100 * self.below.confidence:g}%: {ends}); {self._named(self.median)}."
        )

    @property
    def quartiles_sentence(self) -> str:
        """A sentence on the lower and upper quartiles."""
        text = "; ".join(self._named(each) for each in (self.quartiles[0], self.quartiles[2]))
        return f"{text[0].upper()}{text[1:]}."

    @property
    def mean_sentence(self) -> str:
        """A sentence on the mean and its scores."""
        of = f"ranks, 1 for “{self.attribute.categories[0]}” to {len(self.scores)}" if self.ranked else "the numbers given"
        mean, low, high = (amount_text(float(one[0])) for one in (self.mean.estimate, self.mean.conf_low, self.mean.conf_high))
        return f"Mean of {of}: {mean} ({low} to {high})."

    def _named(self, quantile: Quantile) -> str:
        at, low, high = (self.attribute.categories[i] for i in (quantile.at, quantile.low, quantile.high))
        doubt = "" if low == high else f" (between “{low}” and “{high}”)"
        return f"the {QUARTILES[quantile.level]} is “{at}”{doubt}"

    def texts(self) -> dict[str, list[str]]:
        """Return columns of text with one row for each category.

        The columns hold the name, the score, and the cumulative share with its interval.
        """
        ends = zip(self.below.estimate, self.below.conf_low, self.below.conf_high, strict=True)
        lines = [estimate_text(*each) for each in ends]
        return {
            self.attribute.name: list(self.attribute.categories),
            "This or before it": [*lines[:-1], percent(1.0)],
            "Rank" if self.ranked else "Number": [f"{score:g}" for score in self.scores],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as a dictionary for JSON.

        Quartiles are given by the names of categories.
        """
        names = self.attribute.categories
        places = {QUARTILES[each.level]: [names[i] for i in (each.at, each.low, each.high)] for each in self.quartiles}
        return {
            "attribute": self.attribute.name,
            "categories": list(names),
            "cumulative": {name: self.below.to_dict()[name] for name in _NUMBERS},
            **{name: dict(zip(("category", "low", "high"), place, strict=True)) for name, place in places.items()},
            "scores": self.scores.tolist(),
            "scores_are": "ranks" if self.ranked else "given",
            "mean": {name: self.mean.to_dict()[name][0] for name in _NUMBERS},
            "sentences": [self.sentence, self.quartiles_sentence, self.mean_sentence],
        }

    def to_csv(self, *, mark: str = "") -> str:
        """Return CSV text with a row for each cumulative share, quartile and the mean.

        ``mark`` names a first column that is "yes" in every row.
        """
        found = self.to_dict()
        below = zip(self.attribute.categories, *found["cumulative"].values(), strict=True)
        rows: list[list[Any]] = [["this or before it", *row] for row in below]
        rows += [
            [name, "", place["category"], "", place["low"], place["high"]]
            for name in QUARTILES.values()
            if (place := found[name])
        ]
        rows.append(["mean rank" if self.ranked else "mean", "", *found["mean"].values()])
        return csv_text(["what", self.attribute.name, *_NUMBERS], rows, mark=mark)


def has_order(attributes: Sequence[Attribute]) -> bool:
    """Return whether ``ordered_summary`` supports a schema.

    The schema must have a single attribute of kind "ordinal" with at least ``FEWEST_ORDERED`` categories.
    """
    return len(attributes) == 1 and attributes[0].kind == "ordinal" and attributes[0].size >= FEWEST_ORDERED


def ordered_scores(attribute: Attribute) -> tuple[float | None, ...]:
    """Return a number for each category whose name is a number or a range.

    The score of a range such as "20 to 29", "20-29" or "20 to <30" is its middle. Other categories get None.

    Examples
    --------
    >>> ordered_scores(Attribute("age", ("under 20", "20 to 29", "30 to <50", "50 and over"), "ordinal"))
    (None, 24.5, 40.0, None)
    """
    return tuple(_proposed(category.strip()) for category in attribute.categories)


def _proposed(text: str) -> float | None:
    if re.fullmatch(_NUMBER, text):
        return float(text)
    ends = _BAND.fullmatch(text)
    return None if ends is None else (float(ends[1]) + float(ends[2])) / 2


def ordered_summary(
    estimate: Estimate,
    scores: Sequence[float] | None = None,
    *,
    shares: Floats | None = None,
    confidence: float = 0.95,
    population: bool = False,
) -> OrderedSummary:
    """Return cumulative shares, quartiles and mean of one ordered attribute.

    Section 30 of theory.md describes the intervals. The interval of a quartile contains every category that is compatible with the
    intervals of the cumulative shares (Woodruff 1952).

    Parameters
    ----------
    estimate : Estimate of that attribute alone
    scores : a number for each category, 1, 2, ..., a by default
    shares : ndarray of shape (a,), probabilities to sum instead of the unbiased estimate, such as ``estimate.closest().shares``.
        Intervals are extended to contain the result
    confidence : confidence of each interval
    population : as in ``cell_variance``

    Raises
    ------
    InputError
        If the attribute has no order or fewer than ``FEWEST_ORDERED`` categories, or if some score is not a finite number.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.budget import build
    >>> table = rr.load_demo("titanic").select(["Class"])
    >>> estimate = rr.simulate(table, build("independent", (4,), [2]), rng=np.random.default_rng(0)).estimate(["Class"])
    >>> found = ordered_summary(estimate)
    >>> found.below.estimate.round(2).tolist(), found.median.at, found.ranked
    ([0.14, 0.28, 0.61, 1.0], 2, True)
    """
    if not has_order(estimate.schema.attributes):
        raise InputError(
            f"Cumulative proportions need one ordinal attribute with at least {FEWEST_ORDERED} categories, got "
            f"{', '.join(estimate.schema.names)[:200]}. Choose another attribute."
        )
    (attribute,) = estimate.schema.attributes
    numbers, read = _checked(attribute, scores), estimate.shares if shares is None else shares
    below = np.triu(np.ones((attribute.size, attribute.size), dtype=np.int64))[:, :-1]
    part = estimate.functionals(below, np.array([0.0, 1.0]), population=population).result(
        confidence, estimate=read.cumsum()[:-1], labels={attribute.name: attribute.categories[:-1]}
    )
    columns: dict[str, Any] = {each: np.append(getattr(part, each), each != "std_error") for each in _NUMBERS}
    whole = replace(part, labels={attribute.name: attribute.categories}, **columns)
    possible = np.append(simplex(read).cumsum()[:-1], 1.0)
    quartiles = tuple(_quantile(level, possible, whole.conf_low, whole.conf_high) for level in QUARTILES)
    values, groups = np.unique(numbers, return_inverse=True)
    mean = estimate.functionals(groups.reshape(-1, 1), values, population=population).result(
        confidence, estimate=np.array([read @ numbers]), labels={"mean of": [attribute.name]}, share=False
    )
    return OrderedSummary(attribute, whole, quartiles, numbers, scores is None, mean)


def _checked(attribute: Attribute, scores: Sequence[float] | None) -> Floats:
    found = np.arange(1.0, attribute.size + 1) if scores is None else np.asarray(scores, dtype=np.float64)
    if found.shape != (attribute.size,):
        raise InputError(f"Expected {attribute.size} scores for '{attribute.name}' (one per category), got {found.size}.")
    if not (np.abs(found) <= MAX_SCORE).all():
        wrong = int((~(np.abs(found) <= MAX_SCORE)).argmax())
        raise InputError(
            f"Expected a score from {-MAX_SCORE:g} to {MAX_SCORE:g} for '{attribute.categories[wrong]}', got {found[wrong]:g}. "
            f"Enter one for each category of '{attribute.name}'."
        )
    return found


def _quantile(level: float, shares: Floats, low: Floats, high: Floats) -> Quantile:
    """The first category by which ``shares`` reach ``level``; between the first and last one that the intervals allow to be it."""
    at = int((shares >= level - _NOTHING).argmax())
    allowed = np.flatnonzero((high >= level) & (np.append(0.0, low[:-1]) < level))
    return Quantile(level, at, min([at, *allowed[:1].tolist()]), max([at, *allowed[-1:].tolist()]))
