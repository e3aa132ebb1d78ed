"""From releases, covariates and a model to the problem that is solved, and to the same as if released answers were true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.models.cells import Asked, Cells, asked, with_refusals
from rrcore.estimate.models.covariates import Covariate
from rrcore.estimate.models.model import Encoder, Model
from rrcore.estimate.models.problem import Problem
from rrcore.estimate.models.weighting import Weighting, sample_of
from rrcore.estimate.release import Release
from rrcore.wording import counted


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


def naive_problem(releases: Sequence[Release], problem: Problem) -> Problem | None:
    """``problem`` with released answers in place of true ones; None where the reports are not the categories that were asked about.

    Randomised predictors become columns of covariates, and nothing is summed out.
    """
    schema = problem.cells.schema
    if schema is None:
        return None
    if any(release.dataset.schema.select(schema.names) != schema for release in releases):
        return None
    sizes = schema.sizes
    codes = np.empty((problem.n, len(sizes)), dtype=np.int64)
    for design, people in problem.designs:
        codes[people] = np.stack(np.unravel_index(design.reports, sizes), axis=1)
    released: list[Floats] = []
    for axis, first in problem.factors:
        others = [code for code in range(schema.sizes[axis]) if code != first]
        released.append((codes[:, axis, None] == np.array(others)).astype(np.float64))
    x = np.hstack([problem.x, *released])
    q = problem.x.shape[1]
    places = tuple((0, column if feature == 0 else q + feature - 1) for feature, column in problem.places)
    outcome = problem.codes
    if problem.randomised_outcome:
        assert outcome is not None
        back = np.zeros(schema.sizes[-1], dtype=np.int64)  # the last attribute's code -> its place after the one of reference
        back[problem.cells.answers(len(schema.sizes) - 1)] = outcome
        outcome = back[codes[:, -1]]
    return replace(
        problem,
        model=replace(problem.model, always=""),
        cells=Cells(None),
        factors=(),
        places=places,
        x=x,
        chance=np.ones((len(x), 1)),
        codes=outcome,
    )
