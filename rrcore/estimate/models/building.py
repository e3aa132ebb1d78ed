"""From releases, covariates and a model to the problem that is solved, and to the same as if released answers were true."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.models.cells import DesignReports, ModelCells, asked, indicators
from rrcore.estimate.models.covariates import Covariate
from rrcore.estimate.models.model import Model
from rrcore.estimate.models.problem import Problem
from rrcore.estimate.models.terms import Encoder, Product, crossed, encoded, reference_code
from rrcore.estimate.models.weighting import Weighting
from rrcore.estimate.release import Release
from rrcore.estimate.sample import Sample
from rrcore.limits import MAX_MODEL_OUTCOMES
from rrcore.wording import counted


def build_problem(
    releases: Sequence[Release],
    model: Model,
    covariates: dict[str, Covariate],
    sample: Sample | None = None,
) -> Problem:
    """Put the answers of one or several releases, asked by designs of their own, and their covariates together.

    Parameters
    ----------
    releases : Release each, with the attributes of the model in common
    covariates : by name, of the people of all releases, one after the other
    sample : Sample of them, or None for a simple random sample

    Raises
    ------
    InputError
        What was found and what to do, in a sentence.
    """
    cells = _cells(releases, model)
    held, n = [], 0
    for release in releases:
        design, rows = asked(release, cells)
        held.append((design, n + rows))
        n += release.n
    kept = np.zeros(n, dtype=np.bool_)
    for _, rows in held:
        kept[rows] = True
    for name in (*(name for term in model.predictors for name in term.columns), model.outcome):
        if name not in releases[0].schema.names:
            kept &= ~covariates[name].missing
    if model.random:
        kept &= ~covariates[model.random].missing
    weighting, kept = Weighting.of(sample, kept)
    if kept.sum() < 2:
        raise InputError("Fewer than two answers have a value of every predictor: use other predictors.")
    place = np.cumsum(kept) - 1
    designs = [(DesignReports(design.matrix, design.reports[kept[rows]]), place[rows[kept[rows]]]) for design, rows in held]
    chance = np.empty((int(kept.sum()), cells.number))
    for design, people in designs:
        chance[people] = design.matrix[design.reports]
    if model.always:
        chance = _refusals(model, releases, cells, designs, chance)
    answers, codes, amount = _outcome(model, cells, covariates, kept)
    encoders, factors, crosses, named, places = _layout(model, cells, covariates, kept)
    labels, owners, firsts = zip(*named, strict=True)
    x = encoded(encoders, covariates, n)
    clusters = _clusters(model, covariates, weighting, kept, answers)
    own = {name: Covariate(c.name, c.codes[kept], c.numbers, c.texts) for name, c in covariates.items()}
    out = int(n - kept.sum())
    notes = (f"{counted(out, 'answer', 'answers')} left out: a value is missing, or the weight is 0.",) * (out > 0)
    problem = Problem(
        model, encoders, cells, factors, crosses, labels, owners, firsts, places, x[kept], chance, tuple(designs), answers, codes, amount,
        weighting, clusters, own, notes,
    )  # fmt: skip
    problem.check_columns()
    return problem


def _clusters(
    model: Model, covariates: dict[str, Covariate], weighting: Weighting, kept: Booleans, answers: tuple[str, ...]
) -> Integers | None:
    """The code of everybody's cluster, 0..C-1, where each has an intercept of its own."""
    if not model.random:
        return None
    if not weighting.simple:
        raise InputError("Random intercepts are of answers without weights, strata and clusters of a sample: leave these out.")
    if len(answers) != 2:
        raise InputError(
            f"Random intercepts are of an outcome of two answers, and '{model.outcome}' has {len(answers)}: choose another."
        )
    codes = np.unique(covariates[model.random].codes[kept], return_inverse=True)[1].astype(np.int64)
    if not 1 < codes.max() + 1 < len(codes):
        raise InputError(
            f"'{model.random}' makes {int(codes.max()) + 1:,} groups of {len(codes):,} people: random intercepts need several people "
            "in each of several groups."
        )
    return codes


def _cells(releases: Sequence[Release], model: Model) -> ModelCells:
    """Those of the attributes that were randomised, the outcome last; raises InputError where groups were asked different ones."""
    schema = releases[0].schema
    names = [
        name for name in (*(term.column for term in model.predictors if term.by is None), model.outcome) if name in schema.names
    ]
    cells = ModelCells(schema.select(names) if names else None)
    if names and any(other.schema.select(names) != cells.schema for other in releases[1:]):
        raise InputError(
            "The groups were asked different questions: model what all of them were asked, with the same categories."
        )
    return cells


_Pairs = tuple[tuple[int, int], ...]


def _layout(
    model: Model, cells: ModelCells, covariates: dict[str, Covariate], kept: Booleans
) -> tuple[tuple[Encoder | Product, ...], _Pairs, _Pairs, list[tuple[str, str, str]], _Pairs]:
    """The predictors that are covariates, those that were randomised, products of two of these, and of every coefficient label, term, first
    category and place."""
    encoders: list[Encoder | Product] = []
    factors: list[tuple[int, int]] = []
    crosses: list[tuple[int, int]] = []
    named, places = [("intercept", "intercept", "")], [(0, 0)]
    columns, features = count(1), count(1)
    for term in (term for term in model.predictors if term.by is None):
        if cells.schema and term.column in cells.schema.names:
            if term.numeric:
                raise InputError(
                    f"'{term.column}' was randomised and has categories: use it as it is, without a power or a limit."
                )
            attribute = cells.schema.attributes[len(factors)]
            first = attribute.categories[reference_code(term.column, term.reference, attribute.categories, 12)]
            factors.append((len(factors), attribute.categories.index(first)))
            labels = [f"{attribute.name}: {category}" for category in attribute.categories if category != first]
            places += [(next(features), 0) for _ in labels]
        else:
            encoder = term.encode(covariates[term.column], kept)
            encoders.append(encoder)
            labels, first = encoder.labels, encoder.first
            places += [(0, next(columns)) for _ in labels]
        named += [(label, term.text, first) for label in labels]
    own = {
        text: [(place, label) for place, (label, owner, _) in zip(places, named, strict=True) if owner == text]
        for text in model.names
    }
    for term in (term for term in model.predictors if term.by is not None):
        first_own, second_own = (own[part.text] for part in term.parts)
        mine: list[tuple[int, int]] = []
        if all(feature == 0 for (feature, _), _ in (*first_own, *second_own)):
            by_text = {encoder.term.text: encoder for encoder in encoders if isinstance(encoder, Encoder)}
            first_part, second_part = (by_text[part.text] for part in term.parts)
            encoders.append(Product(term, (first_part, second_part)))
            mine = [(0, next(columns)) for _ in first_own for _ in second_own]
        elif model.family == "linear":
            raise InputError(
                f"The interaction '{term.text}' of a randomised attribute needs a likelihood: choose family 'normal'."
            )
        else:
            for (feature, column), _ in first_own:
                for (other, further), _ in second_own:
                    if feature and other:
                        crosses.append((feature, other))
                        mine.append((-len(crosses), 0))
                    else:
                        mine.append((feature or other, column or further))
        places += mine
        names = crossed([label for _, label in first_own], [label for _, label in second_own])
        named += [(name, term.text, "") for name in names]
    wide = next(features)  # products of two randomised predictors stand behind the features of single ones
    return tuple(encoders), tuple(factors), tuple(crosses), named, tuple((wide - f - 1 if f < 0 else f, c) for f, c in places)


def _outcome(
    model: Model, cells: ModelCells, covariates: dict[str, Covariate], kept: Booleans
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
        if len(categories) > MAX_MODEL_OUTCOMES:
            raise InputError(
                f"'{model.outcome}' has {len(categories):,} different values: choose a linear regression, or an outcome with categories."
            )
    first = reference_code(model.outcome, model.reference, categories)
    order = [first, *(code for code in range(len(categories)) if code != first)]
    return tuple(categories[code] for code in order), np.argsort(order)[codes], None


def _refusals(
    model: Model,
    releases: Sequence[Release],
    cells: ModelCells,
    designs: Sequence[tuple[DesignReports, Integers]],
    chance: Floats,
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
    return np.hstack([chance, np.where(denied, refused.astype(np.float64)[:, None], chance)])


def naive_problem(releases: Sequence[Release], problem: Problem) -> Problem | None:
    """``problem`` with released answers in place of true ones; None where the reports are not the categories that were asked about.

    Randomised predictors become columns of covariates, and nothing is summed out.
    """
    schema = problem.cells.schema
    if schema is None or any(release.dataset.schema.select(schema.names) != schema for release in releases):
        return None
    sizes = schema.sizes
    codes = np.empty((problem.n, len(sizes)), dtype=np.int64)
    for design, people in problem.designs:
        codes[people] = np.stack(np.unravel_index(design.reports, sizes), axis=1)
    ones = np.ones((problem.n, 1))
    features = problem.crossed(
        np.hstack([ones, *(indicators(codes[:, axis], sizes[axis], first) for axis, first in problem.factors)])
    )
    moved = [place for place in problem.places if place[0]]
    x = np.hstack([problem.x, *(problem.x[:, [column]] * features[:, [feature]] for feature, column in moved)])
    q = problem.x.shape[1]
    places = tuple((0, q + moved.index(place) if place[0] else place[1]) for place in problem.places)
    outcome = problem.codes
    if problem.randomised_outcome:
        assert outcome is not None
        back = np.zeros(schema.sizes[-1], dtype=np.int64)  # the last attribute's code -> its place after the one of reference
        back[problem.cells.answers(len(schema.sizes) - 1)] = outcome
        outcome = back[codes[:, -1]]
    return replace(
        problem,
        model=replace(problem.model, always=""),
        cells=ModelCells(None),
        factors=(),
        crosses=(),
        places=places,
        x=x,
        chance=np.ones((len(x), 1)),
        codes=outcome,
    )
