"""Pearson's correlation of true answers that were randomised, with each other and with numbers that were not."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rrcore.arrays import Floats
from rrcore.errors import InputError
from rrcore.estimate.models.cells import ModelCells, asked
from rrcore.estimate.models.covariates import Columns, Covariate, read_covariates
from rrcore.estimate.models.weighting import Weighting
from rrcore.estimate.release import Release
from rrcore.estimate.uncertainty import margin, two_sided_chance
from rrcore.table.reading import to_numbers


@dataclass(frozen=True)
class Correlation:
    """The correlation of two attributes or columns.

    Parameters
    ----------
    names : the two
    value : float, right on average but for terms in 1/n; noise may take it beyond -1 and 1
    standard_error : float
    naive : that of the reports as if they were true; NaN where reports are not the categories asked about
    n : int, number of answers used
    freedom : float, degrees of freedom of the error; infinite for a simple random sample
    """

    names: tuple[str, str]
    value: float
    standard_error: float
    naive: float
    n: int
    freedom: float = math.inf

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """(low, high): symmetric on Fisher's scale, artanh of the correlation, within -1 and 1; else as it is."""
        if abs(self.value) >= 1:
            half = float(margin(self.standard_error, confidence, self.freedom))
            return self.value - half, self.value + half
        half = float(margin(self.standard_error / (1 - self.value**2), confidence, self.freedom))
        return math.tanh(math.atanh(self.value) - half), math.tanh(math.atanh(self.value) + half)

    @property
    def p_value(self) -> float:
        """Two-sided p-value of there being none (Wald); 0 of a perfect correlation, which has no error."""
        if not self.standard_error:
            return 0.0 if self.value else 1.0
        return float(two_sided_chance(np.array(self.value / self.standard_error), self.freedom))


def correlations(release: Release[Any], names: Sequence[str], *, covariates: Columns | None = None) -> list[Correlation]:
    """The correlation of every two of ``names``.

    Every mean that a correlation is made of is estimated without bias from the reports through the joint channel of the two, which is, for
    attributes randomised independently of each other, the correction of Fox and Tracy (1984, Measuring associations with randomized
    response), as of RRcor in the R package RRreg. Errors are by the delta method, with weights and clusters where the answers bring them.

    Parameters
    ----------
    names : attributes, and columns of numbers or of two texts. Categories count as the numbers they are, else as 0, 1, 2, ... in their order
    covariates : Columns; collected answers bring their own

    Raises
    ------
    NotIdentifiableError
        If the mechanism erases an attribute, or how two of them go together.
    InputError
        For a column of several texts, or where the estimated spread of one is not above 0.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> (found,) = correlations(nigeria(), ["connected to an armed group", "education"])
    >>> round(found.value, 3), round(found.standard_error, 3), round(found.naive, 3)
    (0.029, 0.032, 0.018)
    """
    columns = read_covariates(getattr(release, "groupings", ()) if covariates is None else covariates, release.n)
    for name in names:
        if name not in columns and name not in release.schema.names:
            raise InputError(
                f"There is no '{name[:80]}' to correlate: choose among {', '.join([*release.schema.names, *columns][:20])}."
            )
    if len(set(names)) < 2:
        raise InputError("A correlation is of two: name at least two different attributes or columns.")
    return [_pair(release, columns, pair) for pair in combinations(dict.fromkeys(names), 2)]


def _pair(release: Release[Any], columns: dict[str, Covariate], names: tuple[str, str]) -> Correlation:
    randomised = [name for name in names if name in release.schema.names]
    cells = ModelCells(release.schema.select(randomised) if randomised else None)
    design, rows = asked(release, cells)
    known = {name: _numbers(columns[name]) for name in names if name not in randomised}
    kept = np.zeros(release.n, dtype=np.bool_)
    kept[rows] = True
    for values in known.values():
        kept &= ~np.isnan(values)
    weighting, kept = Weighting.of(release.sample, kept)
    own = kept[rows]
    reports, rows = design.reports[own], rows[own]
    scores = {name: _scores(cells, axis) for axis, name in enumerate(randomised)}
    wanted = (
        np.stack([scores[a] * scores[b] if b else scores[a] for a, b in _moments(randomised)], axis=1)
        if randomised
        else np.ones((1, 0))
    )
    solved = np.linalg.lstsq(design.matrix.T, wanted, rcond=1e-9)[0]
    if np.abs(design.matrix.T @ solved - wanted).max(initial=0.0) > 1e-6:
        raise InputError(f"The reports do not say how {names[0]} and {names[1]} go together: leave one of them out.")
    value, influence = _correlation(
        _means(names, dict(zip(_moments(randomised), solved[reports].T, strict=True)), known, rows), weighting, names
    )
    error = float(np.sqrt(weighting.spread(influence[:, None])[0, 0]))
    naive = float("nan")
    if all(release.reports.select([name]) == release.schema.select([name]) for name in randomised):
        taken = dict(zip(_moments(randomised), wanted[reports].T, strict=True))
        naive = _correlation(_means(names, taken, known, rows), weighting, names)[0]
    return Correlation(names, value, error, naive, len(rows), weighting.freedom)


def _moments(randomised: Sequence[str]) -> list[tuple[str, str]]:
    """The functions of true answers whose means are needed: (a, "") is a itself, (a, b) a product."""
    return [(name, "") for name in randomised] + [(name, name) for name in randomised] + list(combinations(randomised, 2))


def _means(names: tuple[str, str], seen: dict[tuple[str, str], Floats], known: dict[str, Floats], rows: Any) -> Floats:
    """What everybody adds to the means of x, y, x^2, y^2 and x y: shape (n, 5)."""
    own = {name: values[rows] for name, values in known.items()}

    def moment(a: str, b: str) -> Floats:
        if (a, b) in seen:
            return seen[a, b]
        if a in own:
            return own[a] * moment(b, "") if b else own[a]
        return seen[a, ""] * own[b]

    a, b = names
    return np.stack([moment(a, ""), moment(b, ""), moment(a, a), moment(b, b), moment(a, b)], axis=1)


def _correlation(parts: Floats, weighting: Weighting, names: tuple[str, str]) -> tuple[float, Floats]:
    """The correlation and what everybody adds to it, for weight 1: shape (n,)."""
    total = weighting.weights.sum()
    x, y, xx, yy, xy = (weighting.weights @ parts / total).tolist()
    for name, spread in zip(names, (xx - x * x, yy - y * y), strict=True):
        if spread <= 0:
            raise InputError(
                f"The true answers to '{name}' are estimated not to differ between people, so nothing correlates with them: leave it out."
            )
    a, b, both = xx - x * x, yy - y * y, xy - x * y
    value = both / math.sqrt(a * b)
    root = math.sqrt(a * b)
    gradient = np.array([-y / root + value * x / a, -x / root + value * y / b, -value / (2 * a), -value / (2 * b), 1 / root])
    return value, (parts - np.array([x, y, xx, yy, xy])) @ gradient / total


def _scores(cells: ModelCells, axis: int) -> Floats:
    """The number that every combination of true answers counts as, of one attribute."""
    assert cells.schema is not None
    numbers = to_numbers(cells.schema.attributes[axis].categories)
    codes = cells.answers(axis)
    return codes.astype(np.float64) if numbers is None else np.asarray(numbers, dtype=np.float64)[codes]


def _numbers(column: Covariate) -> Floats:
    if column.numbers is None and len(column.values) == 2:
        return np.array([0.0, 1.0, np.nan])[column.codes]
    return column.amounts()
