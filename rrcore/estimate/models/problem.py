"""Answers and covariates as a model sees them: a matrix of covariates, and how likely each answer is under every truth."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.models.cells import DesignReports, ModelCells
from rrcore.estimate.models.covariates import Covariate
from rrcore.estimate.models.distributions import Categorical, Distribution, LogLinear, Normal, only_constant
from rrcore.estimate.models.likelihood import Likelihood
from rrcore.estimate.models.model import PRIOR, Model
from rrcore.estimate.models.terms import Encoder, Product
from rrcore.estimate.models.weighting import Weighting
from rrcore.limits import MAX_MODEL_COEFFICIENTS, MAX_MODEL_ENTRIES
from rrcore.wording import counted


@dataclass(frozen=True, eq=False)
class Problem:
    """A model with the answers that it is fitted to.

    Parameters
    ----------
    model : Model
    encoders : of the covariate terms, in the order of the columns of ``x``
    cells : Cells, the true answers to the randomised attributes: predictors first, the outcome last where it was randomised
    factors : (axis of ``cells``, code of reference) of every randomised predictor
    crosses : pairs of features of randomised predictors, whose products are features too
    labels : tuple of str, what the coefficients of one equation are called, in the order of the model's terms
    owners : tuple of str, the term that each of them belongs to
    firsts : tuple of str, the category that each of them compares its own with; empty for a number, a limit and the intercept
    places : tuple of (feature, column of ``x``), where each of them stands
    x : ndarray of shape (n, q), ones and the covariates
    chance : ndarray of shape (n, T), P(u | t); with refusals (n, 2 T)
    designs : (design, the people of ``x`` who were asked by it) each
    answers : tuple of str, the categories of the outcome, the one of reference first; one word where it is an amount
    codes : ndarray of shape (T,) or (n,), the outcome of every combination, or of every person where it is known; or None
    amount : ndarray of shape (n,), the outcome where it is an amount, or None
    weighting : Weighting
    clusters : ndarray of shape (n,), codes of the clusters that have intercepts of their own, or None
    columns : covariates by name, of the rows that are used
    notes : sentences about what was left out
    """

    model: Model
    encoders: tuple[Encoder | Product, ...]
    cells: ModelCells
    factors: tuple[tuple[int, int], ...]
    crosses: tuple[tuple[int, int], ...]
    labels: tuple[str, ...]
    owners: tuple[str, ...]
    firsts: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    x: Floats
    chance: Floats
    designs: tuple[tuple[DesignReports, Integers], ...]
    answers: tuple[str, ...]
    codes: Integers | None
    amount: Floats | None
    weighting: Weighting
    clusters: Integers | None
    columns: dict[str, Covariate]
    notes: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of answers used."""
        return len(self.x)

    @property
    def refusals(self) -> bool:
        return bool(self.model.always)

    @property
    def randomised_outcome(self) -> bool:
        return self.cells.schema is not None and self.model.outcome in self.cells.schema.names

    @cached_property
    def features(self) -> Floats:
        """1 and the indicators of the randomised predictors, for every combination of true answers: shape (T, 1 + D)."""
        ones = np.ones((self.cells.number, 1))
        return self.crossed(np.hstack([ones, *(self.cells.indicators(axis, first) for axis, first in self.factors)]))

    def crossed(self, features: Floats) -> Floats:
        """``features`` (m, ...) of single predictors, and the products of two behind them."""
        return np.hstack([features, *(features[:, [a]] * features[:, [b]] for a, b in self.crosses)])

    @cached_property
    def standard(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of every column of ``x``; 0 and 1 of the ones."""
        mean, deviation = self.x.mean(axis=0), self.x.std(axis=0)
        mean[0], deviation[0] = 0.0, 1.0
        return mean, deviation

    @cached_property
    def unit(self) -> tuple[float, float]:
        """Mean and standard deviation of an outcome that is an amount; 0 and 1 of one that is not."""
        if self.amount is None:
            return 0.0, 1.0
        return float(self.amount.mean()), float(self.amount.std()) or 1.0

    def check_spread(self) -> list[str]:
        """What the columns are called. Raises InputError where one is the same for everybody, and so has no scale."""
        names = [
            label
            for _, label in sorted((place, label) for place, label in zip(self.places, self.labels, strict=True) if not place[0])
        ]
        for name, spread in zip(names, self.standard[1], strict=True):
            if not spread > 0:
                raise InputError(f"'{name}' is the same for everybody: leave it out.")
        return names

    def check_columns(self) -> None:
        """Raises InputError where a column says nothing, or follows from others."""
        names, (mean, deviation) = self.check_spread(), self.standard
        _, values, right = np.linalg.svd(np.linalg.qr((self.x - mean) / deviation, mode="r") / np.sqrt(self.n))
        if values[-1] < 1e-7:
            involved = [name for name, size in zip(names, np.abs(right[-1]), strict=True) if size > 0.05 and name != "intercept"]
            raise InputError(f"Of {', '.join(map(repr, involved))} one follows from the others: leave one of them out.")

    def design(self, x: Floats, features: Floats) -> Floats:
        """One column for each coefficient of an equation, shape (n, K): of ``x`` (n, q) times ``features`` (n, 1 + D)."""
        return np.stack([x[:, column] * features[:, feature] for feature, column in self.places], axis=1)

    @cached_property
    def groups(self) -> tuple[Integers, Integers]:
        """People who are alike in all that the likelihood sees: the first of each group, and the group of everybody."""
        parts = [self.x, self.chance]
        if self.codes is not None and not self.randomised_outcome:
            parts.append(self.codes[:, None].astype(np.float64))
        if self.amount is not None:
            parts.append(self.amount[:, None])
        if self.clusters is not None:
            parts.append(self.clusters[:, None].astype(np.float64))
        rows = np.ascontiguousarray(np.hstack(parts) + 0.0)  # -0.0 is 0.0
        packed = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
        _, first, group = np.unique(packed, return_index=True, return_inverse=True)
        return first, group.ravel()

    def likelihood(self, fixed: Sequence[str] = ()) -> Likelihood:
        """The likelihood over standardised covariates and amounts; terms called ``fixed`` have no effect on the outcome."""
        first, group = self.groups
        mean, deviation = self.standard
        x = (self.x[first] - mean) / deviation
        parts, free = self._given(x.shape[1])
        held = np.array([owner not in fixed for owner in self.owners])
        features = np.tile(self.features, (2, 1)) if self.refusals else self.features
        if self.amount is not None:
            parts.append(Normal(features, (self.amount[first] - self.unit[0]) / self.unit[1]))
            free += [self._free(held, x.shape[1]), only_constant(1, x.shape[1])]
        else:
            assert self.codes is not None
            codes = (
                np.tile(self.codes, 2 if self.refusals else 1)[:, None] if self.randomised_outcome else self.codes[None, first]
            )
            parts.append(Categorical(len(self.answers), features, codes))
            free += [self._free(held, x.shape[1])] * (len(self.answers) - 1)
        all_free = np.vstack(free)
        if all_free.sum() > MAX_MODEL_COEFFICIENTS:
            raise InputError(
                f"The model has {counted(int(all_free.sum()), 'coefficient', 'coefficients')}, the limit is {MAX_MODEL_COEFFICIENTS}: use "
                "fewer predictors, or fewer categories."
            )
        if len(first) * self.chance.shape[1] > MAX_MODEL_ENTRIES:
            raise InputError(
                f"{counted(len(first), 'different answer', 'different answers')} times {self.chance.shape[1]} combinations of true answers "
                "are too many for a model: use fewer randomised attributes."
            )
        alike: Floats = np.asarray(np.bincount(group, self.weighting.weights), dtype=np.float64)
        return Likelihood(x, alike, self.chance[first], parts, all_free, self._ridge(all_free))

    def _ridge(self, free: Booleans) -> Floats:
        """How strongly a penalty draws each free coefficient of the standardised covariates, (P,): columns of 0 and 1 count as they are."""
        if not self.model.penalty:
            return np.zeros(int(free.sum()))
        categories = ((self.x == 0) | (self.x == 1)).all(axis=0)
        scale = np.where(categories, 1 / self.standard[1], 1.0) / PRIOR
        return np.asarray(np.broadcast_to(scale**2, free.shape)[free])

    def rows(self, start: int) -> list[tuple[int, int]]:
        """Where the coefficients of all equations of the outcome stand, as (row, column), its linear predictors beginning at ``start``."""
        equations, wide = max(len(self.answers) - 1, 1), self.features.shape[1]
        return [(start + wide * e + feature, column) for e in range(equations) for feature, column in self.places]

    def _given(self, q: int) -> tuple[list[Distribution], list[Booleans]]:
        """The distribution of the true predictors that were randomised, and of who follows the instruction, given the covariates."""
        parts: list[Distribution] = []
        free: list[Booleans] = []
        if self.factors:
            sizes = self.cells.sizes[: len(self.factors)]
            own = ModelCells(self.cells.schema.select(self.cells.schema.names[: len(sizes)]) if self.cells.schema else None)
            features, by_all = associations(own, full=self.model.association == "full")
            parts.append(LogLinear(features, np.arange(self.cells.number) // (self.cells.number // own.number)))
            free.append(np.where(by_all[:, None], True, only_constant(len(by_all), q)))
        if self.refusals:
            parts.append(LogLinear(np.array([[0.0], [1.0]]), np.repeat([0, 1], self.cells.number)))
            free.append(only_constant(1, q))
        return parts, free

    def _free(self, held: Booleans, q: int) -> Booleans:
        """Which coefficients one equation of the outcome has: shape (1 + D, q)."""
        free = np.zeros((self.features.shape[1], q), dtype=np.bool_)
        for (feature, column), wanted in zip(self.places, held, strict=True):
            free[feature, column] = wanted
        return free


def associations(cells: ModelCells, *, full: bool) -> tuple[Floats, Booleans]:
    """Features of combinations of true predictors, shape (T, rows), and which of them go with the covariates (rows,).

    ``full``: every combination but the first; else the categories of each predictor but the first, and their products in pairs, which
    are the same for everybody.
    """
    if full:
        return np.eye(cells.number)[:, 1:], np.ones(cells.number - 1, dtype=np.bool_)
    single = [cells.indicators(axis, 0) for axis in range(len(cells.sizes))]
    pairs = [(a[:, :, None] * b[:, None, :]).reshape(cells.number, -1) for i, a in enumerate(single) for b in single[i + 1 :]]
    alone = sum(part.shape[1] for part in single)
    features = np.hstack([*single, *pairs])
    return features, np.arange(features.shape[1]) < alone
