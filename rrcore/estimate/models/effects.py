"""Predictions of a model for given people, and on average over the people who answered, with errors by the delta method."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.models.cells import indicators
from rrcore.estimate.models.covariates import Covariate, read_covariates
from rrcore.estimate.models.distributions import LogLinear
from rrcore.estimate.models.moments import Moments
from rrcore.estimate.models.problem import Problem
from rrcore.estimate.models.solution import Solution
from rrcore.estimate.models.terms import Encoder, encoded
from rrcore.estimate.uncertainty import margin
from rrcore.limits import MAX_MODEL_LEVELS
from rrcore.table.reading import to_numbers
from rrcore.wording import counted
from rrcore.wording.short import Short, some


@dataclass(frozen=True, eq=False)
class Predictions(Short):
    """What a model expects for some people.

    Parameters
    ----------
    answers : tuple of str, the C categories of the outcome, that of reference first; the outcome itself where it is an amount
    values : ndarray of shape (m, C), shares, or means
    standard_error : ndarray of the same shape
    shares : bool, whether values are shares, whose intervals then stay between 0 and 1
    freedom : float, degrees of freedom of the errors; infinite for a simple random sample
    """

    answers: tuple[str, ...]
    values: Floats
    standard_error: Floats
    shares: bool
    freedom: float = field(default=math.inf, kw_only=True)

    def _summary(self) -> str:
        return f"{counted(len(self.values), 'row', 'rows')} of {some(self.answers)}"

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """(low, high); of shares symmetric in the log odds, else symmetric."""
        if not self.shares:
            half = margin(self.standard_error, confidence, self.freedom)
            return self.values - half, self.values + half
        inside = np.clip(self.values, 1e-12, 1 - 1e-12)
        odds = np.log(inside / (1 - inside))
        half = margin(self.standard_error / (inside * (1 - inside)), confidence, self.freedom)
        return 1 / (1 + np.exp(-(odds - half))), 1 / (1 + np.exp(-(odds + half)))


@dataclass(frozen=True, eq=False)
class Averages(Predictions):
    """Average predictions, one row for every value of a predictor or every group.

    Parameters
    ----------
    labels : tuple of str, of the rows
    differences : ndarray of shape (m, C), every row less the first
    difference_error : ndarray of the same shape
    """

    labels: tuple[str, ...]
    differences: Floats
    difference_error: Floats

    def difference_interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Confidence interval of every difference from the first row, symmetric: (low, high)."""
        half = margin(self.difference_error, confidence, self.freedom)
        return self.differences - half, self.differences + half

    def rows(self, confidence: float = 0.95) -> list[dict[str, Any]]:
        """One row for every label and answer, for a table or a file."""
        (low, high), (below, above) = self.interval(confidence), self.difference_interval(confidence)
        return [
            {
                "at": label, "outcome": answer, "average": float(self.values[i, c]), "low": float(low[i, c]), "high": float(high[i, c]),
                "difference": float(self.differences[i, c]), "difference low": float(below[i, c]), "difference high": float(above[i, c]),
            }
            for i, label in enumerate(self.labels)
            for c, answer in enumerate(self.answers)
        ]  # fmt: skip


def predictions(problem: Problem, coefficients: Floats, covariance: Floats, people: Mapping[str, Any]) -> Predictions:
    """Predictions for people whose every predictor is given; ``coefficients`` (E, K) and ``covariance`` (E K, E K) as in ``Fit``."""
    wanted = {term.column for term in problem.model.predictors}
    missing = [name for name in wanted if name not in people]
    if missing:
        raise InputError(f"A prediction needs a value of '{sorted(missing)[0]}': give one for every predictor of the model.")
    length = max((np.size(people[name]) for name in wanted), default=1)
    columns = {name: np.broadcast_to(np.asarray(people[name], dtype=object), (length,)) for name in wanted}
    found = read_covariates(columns, length)
    for name, column in found.items():
        if column.missing.any():
            raise InputError(f"A value of '{name}' is missing: a prediction needs one of every predictor.")
    blocks = [np.ones((length, 1))]
    for axis, first in problem.factors:
        assert problem.cells.schema is not None
        attribute = problem.cells.schema.attributes[axis]
        codes = np.array([_code(attribute.categories, value, attribute.name) for value in found[attribute.name].values])
        blocks.append(indicators(codes[found[attribute.name].codes], attribute.size, first))
    design = problem.design(encoded(problem.encoders, found, length), problem.crossed(np.hstack(blocks)))
    linear = design @ coefficients.T
    if problem.amount is not None:
        values, gradient = linear, design[:, None, :]
    else:
        values = scipy.special.softmax(np.pad(linear, ((0, 0), (1, 0))), axis=1)
        gradient = _share_gradient(values)[:, :, :, None] * design[:, None, None, :]
        gradient = gradient.reshape(length, values.shape[1], -1)
    errors = np.sqrt(np.maximum(np.einsum("mcp,pr,mcr->mc", gradient, covariance, gradient), 0.0))
    return Predictions(problem.answers, values, errors, problem.amount is None, freedom=problem.weighting.freedom)


def average_predictions(
    problem: Problem,
    solved: Solution | Moments,
    coefficients: Floats,
    covariance: Floats,
    predictor: str,
    at: Sequence[Any],
    by: str,
) -> Averages:
    """Average predictions: of everybody as he is, with a predictor set to values, or within the groups of a covariate."""
    if by and predictor:
        raise InputError(
            "Give either a predictor, to set its values for everybody, or a column whose groups are averaged: not both."
        )
    own = {term.column for term in problem.model.predictors}
    if predictor and predictor not in own:
        raise InputError(f"'{predictor[:80]}' is not a predictor of the model: choose among {', '.join(sorted(own))}.")
    if by and by not in problem.columns:
        known = ", ".join(problem.columns) or "none"
        raise InputError(f"There is no column '{by[:80]}' that was not randomised: choose among {known}.")
    everybody = np.ones(problem.n, dtype=np.bool_)
    settings: list[tuple[str, Floats, Integers | None, Booleans]] = []
    if predictor:
        settings = [(label, x, code, everybody) for label, x, code in _settings(problem, predictor, at)]
    elif by:
        column = problem.columns[by]
        groups = [code for code in range(len(column.values)) if (column.codes == code).any()]
        if len(groups) > MAX_MODEL_LEVELS:
            raise InputError(f"'{by}' makes {len(groups):,} groups, the limit is {MAX_MODEL_LEVELS}: merge some.")
        settings = [(column.values[code], problem.x, None, column.codes == code) for code in groups]
    else:
        settings = [("everybody", problem.x, None, everybody)]
    each = [_mean(problem, solved, coefficients, x, code, people) for _, x, code, people in settings]
    values = np.stack([value for value, _, _ in each])
    gradient = np.concatenate([own_gradient for _, own_gradient, _ in each])
    influence = np.concatenate([own_influence for _, _, own_influence in each], axis=1)
    spread = _covariance(problem, solved, gradient, influence)
    m, c = values.shape
    contrast = np.eye(m) - np.eye(m)[:1]
    from_first = np.kron(contrast, np.eye(c))
    errors, difference = (
        np.sqrt(np.maximum(np.diag(a), 0.0)).reshape(m, c) for a in (spread, from_first @ spread @ from_first.T)
    )
    return Averages(
        problem.answers,
        values,
        errors,
        problem.amount is None,
        tuple(label for label, *_ in settings),
        values - values[0],
        difference,
        freedom=problem.weighting.freedom,
    )


def _settings(problem: Problem, predictor: str, at: Sequence[Any]) -> list[tuple[str, Floats, Integers | None]]:
    """Covariates of everybody, and the feature rows of the randomised predictors, with one predictor set to each of its values."""
    schema = problem.cells.schema
    if schema and predictor in schema.names:
        axis = schema.names.index(predictor)
        attribute, cells = schema.attributes[axis], np.indices(problem.cells.sizes)
        found = []
        for value in at or attribute.categories:
            moved = cells.copy()
            moved[axis] = _code(attribute.categories, value, predictor)
            found.append((f"{value}", problem.x, np.ravel_multi_index(tuple(moved), problem.cells.sizes).ravel()))
        return found
    column = problem.columns[predictor]
    numeric = any(
        not encoder.first for encoder in problem.encoders if isinstance(encoder, Encoder) and encoder.term.column == predictor
    )
    if not at and numeric and len(column.values) > 3:
        at = [f"{value:g}" for value in np.unique(np.quantile(column.amounts(), [0.25, 0.5, 0.75], method="nearest"))]
    found = []
    for value in at or column.values:
        (text,) = read_covariates({predictor: [str(value)]}, 1)[predictor].values
        constant = Covariate(predictor, np.zeros(problem.n, dtype=np.int64), to_numbers([text]), (text,))
        found.append((text, encoded(problem.encoders, problem.columns | {predictor: constant}, problem.n), None))
    return found


def _mean(
    problem: Problem, solved: Solution | Moments, coefficients: Floats, x: Floats, moved: Integers | None, people: Booleans
) -> tuple[Floats, Floats, Floats]:
    """Mean prediction (C,) over ``people``, its gradient (C, P), and what everybody's own covariates add to it (n, C)."""
    weights = problem.weighting.weights * people
    total = weights.sum()
    if isinstance(solved, Moments):
        parts = solved.indicators if moved is None else _set_features(problem, solved.indicators, moved)
        design = problem.design(x, np.pad(parts, ((0, 0), (1, 0)), constant_values=1.0))
        values = design @ coefficients[0]
        mean = weights @ values / total
        return np.array([mean]), (weights @ design / total)[None], (people * (values - mean) / total)[:, None]
    stride = problem.cells.sizes[-1] if problem.randomised_outcome else 1
    features = (problem.features if moved is None else problem.features[moved])[::stride]
    rows = solved.outcome_rows
    eta = x @ solved.coefficients[rows].T
    given, own = _given(problem, solved, len(features))
    if problem.amount is None:
        part = solved.likelihood.parts[-1]
        by_cell = np.moveaxis(part.shares(eta.T, features), -1, 0).swapaxes(1, 2)  # type: ignore[attr-defined]
    else:
        by_cell = (eta[:, :-1] @ features.T)[:, :, None]
    values = (given[:, :, None] * by_cell).sum(axis=1)
    mean = weights @ values / total
    c = values.shape[1]
    gradient = np.zeros((c, *solved.coefficients.shape))
    scaled = weights[:, None] / total
    if own is not None:
        centred = own.features[None] - (given @ own.features)[:, None, :]
        for k in range(c):
            moves = np.einsum("nt,nt,ntr->nr", given, by_cell[:, :, k], centred)
            gradient[k, solved.likelihood.rows[0]] = (moves * scaled).T @ problem.x
    if problem.amount is None:
        slopes = given[:, :, None, None] * _share_gradient(by_cell)
        for k in range(c):
            moves = np.tensordot(slopes[:, :, k], features, axes=([1], [0])).reshape(len(x), -1)
            gradient[k, rows] = (moves * scaled).T @ x
    else:
        gradient[0, rows.start : rows.stop - 1] = ((given @ features) * scaled).T @ x
    return mean, gradient[:, solved.likelihood.free], people[:, None] * (values - mean) / total


def _given(problem: Problem, solved: Solution, cells: int) -> tuple[Floats, LogLinear | None]:
    """P(true predictors | covariates) of everybody, shape (n, cells), and the part that says so."""
    if not problem.factors:
        return np.ones((problem.n, 1)), None
    part = solved.likelihood.parts[0]
    assert isinstance(part, LogLinear)
    return part.shares(solved.coefficients[solved.likelihood.rows[0]] @ problem.x.T).T, part


def _set_features(problem: Problem, indicators: Floats, moved: Integers) -> Floats:
    """Estimated indicators of everybody, those of the predictor that is set replaced by its value."""
    features = problem.features
    constant = np.ptp(features[moved], axis=0) == 0
    changed = constant & (np.ptp(features, axis=0) > 0)
    found = indicators.copy()
    found[:, changed[1:]] = features[moved][0, changed]
    return found


def _covariance(problem: Problem, solved: Solution | Moments, gradient: Floats, own: Floats) -> Floats:
    """Covariance of averages: what the coefficients' errors do to them, and that other people would have other covariates."""
    if isinstance(solved, Moments):  # both come from the same noise: what an answer does to the average is added up first
        return problem.weighting.spread(solved.influence @ gradient.T + own)
    return np.asarray(gradient @ solved.covariance @ gradient.T + problem.weighting.spread(own))


def _share_gradient(shares: Floats) -> Floats:
    """Derivatives of shares (..., C) in the linear predictors of all categories but the first: (..., C, C - 1)."""
    c = shares.shape[-1]
    return shares[..., :, None] * (np.eye(c)[:, 1:] - shares[..., None, 1:])


def _code(categories: Sequence[str], value: Any, name: str) -> int:
    if str(value) not in categories:
        raise InputError(
            f"'{name}' has no category '{str(value)[:40]}': choose among {', '.join(categories)}.", quoted=str(value)[:40]
        )
    return categories.index(str(value))
