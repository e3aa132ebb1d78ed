"""Ordered attributes in one look: cumulative shares, median, quartiles and mean, with intervals (theory.md section 25)."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.estimate.conditional import functional_error
from rrcore.estimate.estimate import Estimate
from rrcore.estimate.projections import simplex
from rrcore.estimate.sample import Spread
from rrcore.estimate.score import ShareLaws, trust_in
from rrcore.estimate.uncertainty import two_sided_point
from rrcore.limits import FEWEST_ORDERED, MAX_SCORE
from rrcore.table.schema import Attribute
from rrcore.wording import Quantity, amount_text, csv_text, percent, range_text
from rrcore.wording.json_values import finite

QUARTILES = {0.25: "lower quartile", 0.5: "median", 0.75: "upper quartile"}
_NOTHING = 1e-14  # a share or variance that rounding alone makes
_NUMBER = r"([+-]?\d+(?:\.\d+)?)"
_BAND = re.compile(rf"{_NUMBER}\s*(?:to|-|\u2013)\s*<?\s*{_NUMBER}")


@dataclass(frozen=True)
class Quantile:
    """The category that a part of the people do not exceed, and between which categories it lies.

    Parameters
    ----------
    level : the part, 0 to 1
    at, low, high : positions of categories, 0..a-1: the estimate, and the ends of its interval, low <= at <= high
    """

    level: float
    at: int
    low: int
    high: int


@dataclass(frozen=True, eq=False)
class OrderedSummary:
    """What is estimated of an ordered attribute beside its shares. Made by ``ordered_summary``.

    Parameters
    ----------
    attribute : Attribute of kind "ordinal" with a categories
    shares, low, high : ndarrays of shape (a,), share of the people at each category or one before it with its interval; the last one is 1
    quartiles : Quantile of a quarter, half and three quarters of the people
    scores : ndarray of shape (a,), the number of each category
    ranked : whether these are 1, 2, ..., a because no others were given
    mean, error, mean_low, mean_high : of the scores, its standard error, and the ends of its interval, in the unit of the scores
    confidence : of each interval
    """

    attribute: Attribute
    shares: Floats
    low: Floats
    high: Floats
    quartiles: tuple[Quantile, ...]
    scores: Floats
    ranked: bool
    mean: float
    error: float
    mean_low: float
    mean_high: float
    confidence: float = 0.95

    @property
    def median(self) -> Quantile:
        """That of half of the people."""
        return self.quartiles[1]

    @property
    def sentence(self) -> str:
        """How many of 100 are at the category nearest the middle or before it, and the median."""
        cut = int(np.abs(self.shares[:-1] - 0.5).argmin())
        ends = range_text(*(float(np.clip(end[cut], 0.0, 1.0)) for end in (self.low, self.high)))
        return (
            f"About {100 * self.shares[cut]:.0f} of 100 are at “{self.attribute.categories[cut]}” or before it in order "
            f"({100 * self.confidence:g} %: {ends}); {self._named(self.median)}."
        )

    @property
    def quartiles_sentence(self) -> str:
        """Both quartiles."""
        text = "; ".join(self._named(each) for each in (self.quartiles[0], self.quartiles[2]))
        return f"{text[0].upper()}{text[1:]}."

    @property
    def mean_sentence(self) -> str:
        """The mean, and what it is the mean of."""
        of = f"ranks, 1 for “{self.attribute.categories[0]}” to {len(self.scores)}" if self.ranked else "the numbers given"
        mean, low, high = (amount_text(value) for value in (self.mean, self.mean_low, self.mean_high))
        return f"Mean of {of}: {mean} ({low} to {high})."

    def _named(self, quantile: Quantile) -> str:
        at, low, high = (self.attribute.categories[i] for i in (quantile.at, quantile.low, quantile.high))
        doubt = "" if low == high else f" (between “{low}” and “{high}”)"
        return f"the {QUARTILES[quantile.level]} is “{at}”{doubt}"

    def texts(self) -> dict[str, list[str]]:
        """Columns of texts, one row for each category: its name, its number, and the share at it or before it with its interval."""
        ends = zip(self.shares, self.low, self.high, strict=True)
        lines = [Quantity("share", self.attribute.name).estimated(*each) for each in ends]
        return {
            self.attribute.name: list(self.attribute.categories),
            "This or before it": [*lines[:-1], percent(1.0)],
            "Rank" if self.ranked else "Number": [f"{score:g}" for score in self.scores],
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; quartiles by the names of categories."""
        names = self.attribute.categories
        places = {QUARTILES[each.level]: [names[i] for i in (each.at, each.low, each.high)] for each in self.quartiles}
        return {
            "attribute": self.attribute.name,
            "categories": list(names),
            "cumulative": {name: finite(getattr(self, name).tolist()) for name in ("shares", "low", "high")},
            **{name: dict(zip(("category", "low", "high"), place, strict=True)) for name, place in places.items()},
            "scores": self.scores.tolist(),
            "scores_are": "ranks" if self.ranked else "given",
            "mean": {
                name: finite(getattr(self, field))
                for name, field in (("value", "mean"), ("standard_error", "error"), ("low", "mean_low"), ("high", "mean_high"))
            },
            "sentences": [self.sentence, self.quartiles_sentence, self.mean_sentence],
        }

    def to_csv(self, *, mark: str = "") -> str:
        """CSV text: one row for each cumulative share, the quartiles and the mean; ``mark`` names a first column that says "yes"."""
        found = self.to_dict()
        below = zip(self.attribute.categories, *found["cumulative"].values(), strict=True)
        rows: list[list[Any]] = [["this or before it", *row, ""] for row in below]
        rows += [[name, "", *found[name].values(), ""] for name in QUARTILES.values()]
        value, error, low, high = found["mean"].values()
        rows.append(["mean rank" if self.ranked else "mean", "", value, low, high, error])
        return csv_text(["what", self.attribute.name, "estimate", "low", "high", "standard error"], rows, mark=mark)


def has_order(attributes: Sequence[Attribute]) -> bool:
    """Whether it is a single attribute that ``ordered_summary`` can be asked of: kind "ordinal", at least ``FEWEST_ORDERED`` categories."""
    return len(attributes) == 1 and attributes[0].kind == "ordinal" and attributes[0].size >= FEWEST_ORDERED


def ordered_scores(attribute: Attribute) -> tuple[float | None, ...]:
    """A number for each category whose name is one ("3") or a band with two ends ("20 to 29", "20-29", "20 to <30": its middle); else None.

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
    """Cumulative shares, quartiles and mean of one ordered attribute.

    A cumulative share is that of a set of categories taken together, and has a score interval (theory.md section 15). The interval of a
    quartile holds every category that these do not contradict (Woodruff 1952). The mean has a normal one, Student's where clusters are few.

    Parameters
    ----------
    estimate : Estimate of that attribute alone
    scores : a number for each category; 1, 2, ..., a by default
    shares : ndarray of shape (a,), probabilities to be summed in place of the unbiased estimate, such as ``estimate.closest().shares``;
        intervals are then cut off where no share or mean can lie and widened to hold what comes of them
    confidence : of each interval
    population : as in ``cell_variance``

    Raises
    ------
    InputError
        For an attribute without an order, or with fewer than ``FEWEST_ORDERED`` categories; for scores that are not a finite number each.

    Examples
    --------
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic").select(["Class"])
    >>> estimate = rr.perturb(table, rr.build("kronecker", (4,), [2]), rng=np.random.default_rng(0)).estimate(["Class"])
    >>> found = ordered_summary(estimate)
    >>> found.shares.round(2).tolist(), found.median.at, found.ranked
    ([0.14, 0.28, 0.61, 1.0], 2, True)
    """
    if not has_order(estimate.schema.attributes):
        raise InputError(
            f"Cumulative shares are of one attribute with an order and at least {FEWEST_ORDERED} categories, and "
            f"{', '.join(estimate.schema.names)[:200]} is not: choose one whose kind is 'ordinal'."
        )
    (attribute,) = estimate.schema.attributes
    numbers = _checked(attribute, scores)
    point = two_sided_point(confidence, estimate.spread.freedom if population else math.inf)
    laws = cumulative_laws(estimate, population=population)
    low, high = (laws if shares is None else laws.within).interval(point)
    read = estimate.shares if shares is None else shares
    below = read.cumsum()[:-1]
    error = functional_error(numbers, estimate, population)
    mean, ends = float(read @ numbers), float(estimate.shares @ numbers) + point * error * np.array([-1.0, 1.0])
    if shares is not None:
        low, high = np.minimum(np.clip(low, 0.0, 1.0), below), np.maximum(np.clip(high, 0.0, 1.0), below)
        ends = np.clip(ends, numbers.min(), numbers.max())
        ends = np.array([min(ends[0], mean), max(ends[1], mean)])
    below, low, high = (np.append(values, 1.0) for values in (below, low, high))
    possible = np.append(simplex(read).cumsum()[:-1], 1.0)
    quartiles = tuple(_quantile(level, possible, low, high) for level in QUARTILES)
    return OrderedSummary(
        attribute, below, low, high, quartiles, numbers, scores is None, mean, error, float(ends[0]), float(ends[1]), confidence
    )


def _checked(attribute: Attribute, scores: Sequence[float] | None) -> Floats:
    found = np.arange(1.0, attribute.size + 1) if scores is None else np.asarray(scores, dtype=np.float64)
    if found.shape != (attribute.size,):
        raise InputError(f"'{attribute.name}' has {attribute.size} categories and {found.size} numbers: give one for each.")
    if not (np.abs(found) <= MAX_SCORE).all():
        wrong = attribute.categories[int((~(np.abs(found) <= MAX_SCORE)).argmax())]
        raise InputError(
            f"The number of '{wrong}' is missing, or beyond {MAX_SCORE:g}: give each category of '{attribute.name}' one."
        )
    return found


def _quantile(level: float, shares: Floats, low: Floats, high: Floats) -> Quantile:
    """The first category by which ``shares`` reach ``level``; between the first and last one that the intervals allow to be it."""
    at = int((shares >= level - _NOTHING).argmax())
    allowed = np.flatnonzero((high >= level) & (np.append(0.0, low[:-1]) < level))
    return Quantile(level, at, min([at, *allowed[:1].tolist()]), max([at, *allowed[-1:].tolist()]))


def cumulative_laws(estimate: Estimate, *, population: bool) -> ShareLaws:
    """The laws of the shares of the first, the first two, ... and all but the last category of one attribute (theory.md section 15).

    Those in a set keep their estimated proportions among each other whatever its share is, and so do the others.
    """
    channel, released, projected, n = estimate.channel, estimate.released, estimate.projected, estimate.n
    sets = np.triu(np.ones((projected.size, projected.size)))[:, :-1]
    added = channel.invert_back(sets)
    squares, cubes = added * added, added * added * added
    seen, expected = released @ squares, channel.push(projected)
    second, third, fourth = expected @ squares, expected @ cubes, expected @ (squares * squares)
    square, cube = channel.pull(squares), channel.pull(cubes)
    inside, outside = _proportions(sets, projected), _proportions(1 - sets, projected)
    effect = np.ones(sets.shape[1])
    if estimate.drawn is not None:
        spreads = (Spread.simple(released, n), estimate.drawn)
        simple, found = (spread.sum_variances(added, channel, population=population) for spread in spreads)
        alone = np.full_like(simple, n / estimate.drawn.kish)
        effect = np.maximum(np.divide(found, simple, out=alone, where=simple > _NOTHING), _NOTHING)
    shares, trust = estimate.shares @ sets, trust_in(second, third, fourth, projected @ sets, effect, n)
    others, own = (tuple((part * moment).sum(axis=0) for moment in (square, cube)) for part in (outside, inside))
    return ShareLaws(shares, shares, seen, trust, others[0], others[1], own[0], own[1], n, population, effect)


def _proportions(sets: Floats, projected: Floats) -> Floats:
    """How people in each of the ``sets``, a column of 0 and 1 each, are divided; evenly where nobody is in it."""
    found = sets * projected[:, None]
    found = np.where(found.sum(axis=0) > _NOTHING, found, sets)
    return np.asarray(found / found.sum(axis=0))
