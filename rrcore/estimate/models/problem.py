"""Answers and covariates as a model sees them: a matrix of covariates, and how likely each answer is under every truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.models.cells import Asked, Cells, asked, with_refusals
from rrcore.estimate.models.covariates import Covariate
from rrcore.estimate.models.likelihood import Likelihood
from rrcore.estimate.models.model import Model
from rrcore.estimate.models.parts import Categorical, LogLinear, Normal, Part, only_constant
from rrcore.estimate.models.terms import Encoder
from rrcore.estimate.models.weighting import Weighting, sample_of
from rrcore.estimate.release import Release
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
    labels : tuple of str, what the coefficients of one equation are called, in the order of the model's terms
    owners : tuple of str, the term that each of them belongs to
    places : tuple of (feature, column of ``x``), where each of them stands
    x : ndarray of shape (n, q), ones and the covariates
    chance : ndarray of shape (n, T), P(u | t); with refusals (n, 2 T)
    designs : (design, the people of ``x`` who were asked by it) each
    answers : tuple of str, the categories of the outcome, the one of reference first; one word where it is an amount
    codes : ndarray of shape (T,) or (n,), the outcome of every combination, or of every person where it is known; or None
    amount : ndarray of shape (n,), the outcome where it is an amount, or None
    weighting : Weighting
    columns : covariates by name, of the rows that are used
    notes : sentences about what was left out
    """

    model: Model
    encoders: tuple[Encoder, ...]
    cells: Cells
    factors: tuple[tuple[int, int], ...]
    labels: tuple[str, ...]
    owners: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    x: Floats
    chance: Floats
    designs: tuple[tuple[Asked, Integers], ...]
    answers: tuple[str, ...]
    codes: Integers | None
    amount: Floats | None
    weighting: Weighting
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
        return np.hstack([ones, *(self.cells.indicators(axis, first) for axis, first in self.factors)])

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

    def check_columns(self) -> None:
        """Raises InputError where a column says nothing, or follows from others."""
        mean, deviation = self.standard
        names = [
            label
            for _, label in sorted((place, label) for place, label in zip(self.places, self.labels, strict=True) if not place[0])
        ]
        for name, spread in zip(names, deviation, strict=True):
            if not spread > 0:
                raise InputError(f"'{name}' is the same for everybody: leave it out.")
        _, values, right = np.linalg.svd(np.linalg.qr((self.x - mean) / deviation, mode="r") / np.sqrt(self.n))
        if values[-1] < 1e-7:
            involved = [name for name, size in zip(names, np.abs(right[-1]), strict=True) if size > 0.05 and name != "intercept"]
            raise InputError(f"Of {', '.join(map(repr, involved))} one follows from the others: leave one of them out.")

    def compared_with(self, label: str) -> str:
        """The category that a coefficient compares its own with; nothing where it has none."""
        for encoder in self.encoders:
            if encoder.kept and label in encoder.labels:
                return encoder.first
        for axis, first in self.factors:
            assert self.cells.schema is not None
            attribute = self.cells.schema.attributes[axis]
            if label in (f"{attribute.name}: {category}" for category in attribute.categories):
                return attribute.categories[first]
        return ""

    @cached_property
    def groups(self) -> tuple[Integers, Integers]:
        """People who are alike in all that the likelihood sees: the first of each group, and the group of everybody."""
        parts = [self.x, self.chance]
        if self.codes is not None and not self.randomised_outcome:
            parts.append(self.codes[:, None].astype(np.float64))
        if self.amount is not None:
            parts.append(self.amount[:, None])
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
            codes = np.tile(self.codes, 2 if self.refusals else 1)[None] if self.randomised_outcome else self.codes[first, None]
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
        return Likelihood(x, alike, self.chance[first], parts, all_free)

    def rows(self, start: int) -> list[tuple[int, int]]:
        """Where the coefficients of all equations of the outcome stand, as (row, column), its linear predictors beginning at ``start``."""
        equations, wide = max(len(self.answers) - 1, 1), self.features.shape[1]
        return [(start + wide * e + feature, column) for e in range(equations) for feature, column in self.places]

    def _given(self, q: int) -> tuple[list[Part], list[Booleans]]:
        """The distribution of the true predictors that were randomised, and of who follows the instruction, given the covariates."""
        parts: list[Part] = []
        free: list[Booleans] = []
        if self.factors:
            sizes = self.cells.sizes[: len(self.factors)]
            own = Cells(self.cells.schema.select(self.cells.schema.names[: len(sizes)]) if self.cells.schema else None)
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


def associations(cells: Cells, *, full: bool) -> tuple[Floats, Booleans]:
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


def build_problem(
    releases: Sequence[Release],
    model: Model,
    covariates: dict[str, Covariate],
    *,
    weights: Any = None,
    clusters: Any = None,
    strata: Any = None,
) -> Problem:
    """Put the answers of one or several releases, asked by designs of their own, and their covariates together.

    Parameters
    ----------
    releases : Release each, with the attributes of the model in common
    covariates : by name, of the people of all releases, one after the other
    weights, clusters, strata : one value for every answer, or None

    Raises
    ------
    InputError
        What was found and what to do, in a sentence.
    """
    schema = releases[0].schema
    names = [term.column for term in model.predictors if term.column in schema.names]
    by_answers = model.outcome in schema.names
    if by_answers:
        names.append(model.outcome)
    cells = Cells(schema.select(names) if names else None)
    for other in releases[1:]:
        if names and other.schema.select(names) != cells.schema:
            raise InputError(
                "The groups were asked different questions: model what all of them were asked, with the same categories."
            )
    held = [asked(release, cells) for release in releases]
    starts = np.cumsum([0, *(release.n for release in releases)])
    n = int(starts[-1])
    kept = np.zeros(n, dtype=np.bool_)
    for (_, rows), start in zip(held, starts, strict=False):
        kept[start + rows] = True
    used = [term.column for term in model.predictors if term.column not in schema.names]
    for name in [*used, *([] if by_answers else [model.outcome])]:
        kept &= ~covariates[name].missing
    weighting, kept = Weighting.of(sample_of(releases, weights, clusters, strata), kept)
    if kept.sum() < 2:
        raise InputError("Fewer than two answers have a value of every predictor: use other predictors.")
    place = np.cumsum(kept) - 1
    designs = []
    for (design, rows), start in zip(held, starts, strict=False):
        mine = kept[start + rows]
        designs.append((Asked(design.matrix, design.reports[mine]), place[start + rows[mine]]))
    chance = np.empty((int(kept.sum()), cells.number))
    for design, people in designs:
        chance[people] = design.chance
    if model.always:
        chance = _refusals(model, releases, cells, designs, chance)
    answers, codes, amount = _outcome(model, cells, covariates, kept)
    encoders, factors, named, places = _layout(model, cells, covariates, kept)
    labels, owners = zip(*named, strict=True)
    x = np.hstack([np.ones((n, 1)), *(encoder.columns(covariates[encoder.term.column]) for encoder in encoders)])
    own = {name: Covariate(c.name, c.codes[kept], c.numbers, c.texts) for name, c in covariates.items()}
    out = int(n - kept.sum())
    notes = (f"{counted(out, 'answer', 'answers')} left out: a value is missing, or the weight is 0.",) * (out > 0)
    problem = Problem(
        model, encoders, cells, factors, labels, owners, places, x[kept], chance, tuple(designs), answers, codes, amount, weighting,
        own, notes,
    )  # fmt: skip
    problem.check_columns()
    return problem


def _layout(
    model: Model, cells: Cells, covariates: dict[str, Covariate], kept: Booleans
) -> tuple[tuple[Encoder, ...], tuple[tuple[int, int], ...], list[tuple[str, str]], tuple[tuple[int, int], ...]]:
    encoders: list[Encoder] = []
    factors: list[tuple[int, int]] = []
    named, places = [("intercept", "intercept")], [(0, 0)]
    column, feature = 1, 1
    for term in model.predictors:
        if cells.schema and term.column in cells.schema.names:
            if term.numeric:
                raise InputError(
                    f"'{term.column}' was randomised and has categories: use it as it is, without a power or a limit."
                )
            attribute = cells.schema.attributes[len(factors)]
            if term.reference and term.reference not in attribute.categories:
                known = ", ".join(attribute.categories[:12])
                raise InputError(
                    f"'{term.column}' has no category '{term.reference[:40]}' to compare with: choose among {known}."
                )
            first = attribute.categories.index(term.reference) if term.reference else 0
            factors.append((len(factors), first))
            for code, category in enumerate(attribute.categories):
                if code != first:
                    named.append((f"{attribute.name}: {category}", term.text))
                    places.append((feature, 0))
                    feature += 1
        else:
            encoders.append(term.encode(covariates[term.column], kept))
            for label in encoders[-1].labels:
                named.append((label, term.text))
                places.append((0, column))
                column += 1
    return tuple(encoders), tuple(factors), named, tuple(places)


def _outcome(
    model: Model, cells: Cells, covariates: dict[str, Covariate], kept: Booleans
) -> tuple[tuple[str, ...], Integers | None, Floats | None]:
    """Categories of the outcome and its codes, or its amounts."""
    randomised = cells.schema is not None and model.outcome in cells.schema.names
    if model.family != "logistic":
        if randomised:
            raise InputError(f"'{model.outcome}' was randomised and has categories: choose a logistic regression.")
        return (model.outcome,), None, covariates[model.outcome].amounts()[kept]
    if randomised:
        assert cells.schema is not None
        categories, codes = cells.schema.attributes[-1].categories, cells.answers(len(cells.sizes) - 1)
    else:
        column = covariates[model.outcome]
        held = np.unique(column.codes[kept])
        categories, codes = tuple(column.values[code] for code in held), np.searchsorted(held, column.codes[kept])
        if len(categories) < 2:
            raise InputError(f"'{model.outcome}' has one value only among these answers: choose another outcome.")
        if len(categories) > 20:
            raise InputError(
                f"'{model.outcome}' has {len(categories):,} different values: choose a linear regression, or an outcome with categories."
            )
    if model.reference and model.reference not in categories:
        known = ", ".join(categories)
        raise InputError(
            f"'{model.outcome}' has no category '{model.reference[:40]}' to compare with: choose among {known}.", quoted=known
        )
    first = categories.index(model.reference) if model.reference else 0
    order = [first, *(code for code in range(len(categories)) if code != first)]
    return tuple(categories[code] for code in order), np.argsort(order)[codes], None


def _refusals(
    model: Model, releases: Sequence[Release], cells: Cells, designs: Sequence[tuple[Asked, Integers]], chance: Floats
) -> Floats:
    """P(u | t, follows the instruction or not), shape (n, 2 T). Raises InputError where refusals cannot be told from a true answer."""
    if len(cells.sizes) != 1 or model.outcome not in (cells.schema.names if cells.schema else ()):
        raise InputError(
            "People who do not follow the instruction can be modelled where the outcome was randomised and no predictor was: choose such "
            "predictors."
        )
    matrices = [design.matrix for design, _ in designs]
    if all(each.shape == matrices[0].shape and np.abs(each - matrices[0]).max() < 1e-6 for each in matrices):
        raise InputError(
            "One design cannot tell people who do not follow the instruction from people whose true answer is "
            f"'{model.always[:40]}': give the answers of at least two groups that were asked by different designs."
        )
    refused = np.zeros(len(chance), dtype=np.bool_)
    for release, (design, people) in zip(releases, designs, strict=True):
        categories = release.dataset.schema.select([model.outcome]).attributes[0].categories
        if model.always not in categories:
            raise InputError(
                f"Nobody can answer '{model.always[:40]}' to '{model.outcome}': choose among {', '.join(categories)}."
            )
        refused[people] = design.reports == categories.index(model.always)
    true = cells.schema.attributes[0].categories if cells.schema else ()
    denied = np.array([model.refusing == "anyone" or category != model.always for category in true])
    return with_refusals(chance, refused, denied)
