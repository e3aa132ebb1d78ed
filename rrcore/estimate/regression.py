"""Regressions in which the outcome, predictors or both were randomized.

Let t be a person's true answers to the randomized attributes of a model, u the randomized ones and x the columns that were not randomized.
A logistic regression maximizes the sum of ln sum over t of P(u | t) p(t | x), where P(u | t) is the known joint channel of the mechanism.
A linear regression solves normal equations whose every entry is unbiased under that channel (theory.md, section 21).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise, product
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import scipy

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError, NotIdentifiableError, need
from rrcore.estimate.countable import Countable
from rrcore.estimate.release import Release
from rrcore.estimate.sample import Sample, codes_by_name
from rrcore.estimate.uncertainty import margin, two_sided_chance
from rrcore.limits import MAX_MODEL_CELLS, MAX_MODEL_COEFFICIENTS, MAX_MODEL_ENTRIES, MAX_MODEL_LEVELS, MAX_MODEL_OUTCOMES
from rrcore.table.text_table import TextColumn, to_numbers
from rrcore.wording import amount_range_text, count_text, counted, csv_text, html_table, p_text
from rrcore.wording.short import Short, some

Kind = Literal["logistic", "linear"]
Columns = Mapping[str, Any] | Iterable[TextColumn]
"""Columns by name (a dict of sequences, a data frame), or the columns of a file that were not randomized (``Answers.groupings``)."""

INTERCEPT = "Intercept"


class NoHighestPointError(InputError):
    """The likelihood increases without end: a coefficient has no finite estimate."""


# Formulas


@dataclass(frozen=True)
class Factor:
    """A column as a formula uses it: ``age``, ``age^2``, ``age > 40`` or ``C(age)``."""

    column: str
    power: int = 1
    limit: tuple[str, float] | None = None
    categories: bool = False

    @property
    def text(self) -> str:
        if self.limit:
            return f"{self.column} {self.limit[0]} {self.limit[1]:g}"
        return self.column if self.power == 1 else f"{self.column}^{self.power}"


Term = tuple[Factor, ...]
_BEYOND = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}
_QUOTED = re.compile(r"`((?:[^`]|``)+)`")
_POWER = re.compile(r"(.+)\^\s*([23])")
_LIMIT = re.compile(r"(.+?)\s*(>=|>|<=|<)\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)")
_CATEGORIES = re.compile(r"C\((.+)\)")


def quoted(name: str) -> str:
    """Write a column's name for a formula, in backquotes if it has a sign of formulas.

    >>> quoted("work class"), quoted("age: years")
    ('work class', '`age: years`')
    """
    return f"`{name.replace('`', '``')}`" if re.search(r"[~+*:^<>()`]", name) else name


def read_formula(formula: str, known: Collection[str]) -> tuple[str, tuple[Term, ...]]:
    """Split a formula into the name of the outcome and its terms, main effects first.

    Parameters
    ----------
    formula : str
        The outcome, ``~`` and terms with ``+`` between them. ``a:b`` is an interaction, ``a*b`` both columns and their interaction,
        ``age^2`` a power, ``age > 40`` 1 or 0, ``C(age)`` a number taken as categories. Names with such signs stand in backquotes.
    known : names of attributes and columns

    Examples
    --------
    >>> outcome, terms = read_formula("smokes ~ age > 40*sex", ["smokes", "age", "sex"])
    >>> outcome, [":".join(factor.text for factor in term) for term in terms]
    ('smokes', ['age > 40', 'sex', 'age > 40:sex'])
    """
    names: list[str] = []

    def hide(match: re.Match[str]) -> str:
        names.append(match[1].replace("``", "`"))
        return f"\0{len(names) - 1}\0"

    def shown(text: str) -> str:
        return re.sub("\0(\\d+)\0", lambda match: names[int(match[1])], text).strip()

    def factor(text: str) -> Factor:
        text = text.strip()
        if shown(text) in known:
            return Factor(shown(text))
        if (found := _CATEGORIES.fullmatch(text)) and shown(found[1]) in known:
            return Factor(shown(found[1]), categories=True)
        if (found := _POWER.fullmatch(text)) and shown(found[1]) in known:
            return Factor(shown(found[1]), power=int(found[2]))
        if (found := _LIMIT.fullmatch(text)) and shown(found[1]) in known:
            return Factor(shown(found[1]), limit=(found[2], float(found[3])))
        raise InputError(f"There is no predictor '{shown(text)[:80]}': choose among {_listed(known)}.")

    left, sign, right = _QUOTED.sub(hide, formula).partition("~")
    if not sign:
        raise InputError(
            f"'{formula[:80]}' is not a formula: write the outcome, ~ and the predictors, as in 'smokes ~ age + sex'."
        )
    outcome = shown(left)
    if outcome not in known:
        raise InputError(f"There is no outcome '{outcome[:80]}': choose among {_listed(known)}.")
    terms: dict[frozenset[Factor], Term] = {}
    for part in right.split("+"):
        if part.strip() == "1":
            continue
        sides = [tuple(map(factor, side.split(":"))) for side in part.split("*")]
        for size in range(1, len(sides) + 1):
            for chosen in combinations(sides, size):
                term = tuple(dict.fromkeys(each for side in chosen for each in side))
                terms.setdefault(frozenset(term), term)
    for held, term in terms.items():
        if any(each.column == outcome for each in term):
            raise InputError(f"'{outcome}' is the outcome and a predictor: choose one of the two.")
        lacking = next((each for each in combinations(term, len(term) - 1) if each and frozenset(each) not in terms), ())
        if lacking:
            own, needed = (":".join(each.text for each in held) for held in (term, lacking))
            raise InputError(
                f"The interaction '{own}' needs '{needed}' as a predictor too: add it, or write '*' in place of ':'."
            )
    return outcome, tuple(sorted(terms.values(), key=len))


def _listed(known: Collection[str]) -> str:
    return ", ".join(list(known)[:20]) + (", ..." if len(known) > 20 else "")


# Columns that were not randomized


@dataclass(frozen=True, eq=False)
class _Column:
    """One column: codes (n,), -1 where a value is missing, the different values as texts, and as numbers if all of them are."""

    name: str
    codes: Integers
    values: tuple[str, ...]
    numbers: Floats | None

    @classmethod
    def of(cls, name: str, given: Any) -> _Column:
        if isinstance(given, TextColumn):
            codes, values, numbers = given.codes.astype(np.int64), given.values, to_numbers(given.values)
        else:
            raw = np.asarray(given)
            if raw.ndim != 1:
                raise InputError(f"The column '{name}' has shape {raw.shape}: give one value for each answer.")
            if raw.dtype.kind in "biuf":
                distinct, codes = np.unique(raw.astype(np.float64), return_inverse=True)
                if np.isinf(distinct).any():
                    raise InputError(f"The column '{name}' has an infinite number: leave out the row or the column.")
                numbers = distinct[~np.isnan(distinct)]
                codes = np.where(codes < len(numbers), codes, -1)
                return cls(name, codes, tuple(f"{value:.12g}" for value in numbers.tolist()), numbers)
            texts = ["" if value is None or value != value else str(value).strip() for value in raw.tolist()]
            codes, values = codes_by_name(texts)
            if values[:1] == ("",):
                codes, values = codes - 1, values[1:]
            numbers = to_numbers(values)
        if numbers is not None:
            order = np.argsort(numbers, kind="stable")
            codes = np.where(codes < 0, -1, np.argsort(order)[codes])
            values, numbers = tuple(values[i] for i in order), numbers[order]
        return cls(name, codes, values, numbers)

    def amounts(self) -> Floats:
        """Return the numbers, NaN where missing."""
        if self.numbers is None:
            raise InputError(f"'{self.name}' holds texts where numbers are needed: use it as categories, or leave it out.")
        return np.append(self.numbers, np.nan)[self.codes]

    def held(self, used: Booleans) -> list[int]:
        """Return the codes of the values that the people ``used`` (n,) have."""
        return np.unique(self.codes[used & (self.codes >= 0)]).tolist()


def _read_columns(columns: Columns, n: int) -> dict[str, _Column]:
    if hasattr(columns, "keys"):
        table: Any = columns  # a dict or a data frame
        found = [_Column.of(str(name), table[name]) for name in table.keys()]  # noqa: SIM118
    else:
        found = [_Column.of(column.name, column) for column in columns]
    for each in found:
        if len(each.codes) != n:
            raise InputError(
                f"The column '{each.name}' has {len(each.codes):,} values and there are {n:,} answers: give one for each."
            )
    return {each.name: each for each in found}


def _first(name: str, reference: Mapping[str, str], categories: Sequence[str]) -> int:
    """Return the place of the category that the others are compared with."""
    wanted = reference.get(name, categories[0])
    if wanted not in categories:
        raise InputError(f"'{name}' has no category '{wanted[:40]}' to compare with: choose among {_listed(categories)}.")
    return categories.index(wanted)


# The problem: people, what they reported, and where each coefficient stands


@dataclass(frozen=True, eq=False)
class _Problem:
    """Answers and columns as a model sees them.

    Parameters
    ----------
    labels : names of the K coefficients of one equation
    places : (feature, column of ``x``) of each of them; the coefficient belongs to the product
    features : ndarray of shape (T, F), functions of the true answers, the first is 1
    associations : ndarray of shape (T, rows), indicators of the randomized predictors and products of two of them
    alone : ndarray of shape (rows,), which of these are no products
    x : ndarray of shape (n, q), ones and columns that were not randomized
    matrix : ndarray of shape (R, T), P(report | true answers)
    report : ndarray of shape (n,), places in the rows of ``matrix``
    outcome : str
    answers : categories of the outcome, the reference first; nothing for a linear regression
    y : ndarray, the codes or the number of the outcome: of shape (T,) if it was randomized, else (n,)
    randomized : whether the outcome was randomized
    times : ndarray of shape (n,), how many people each row stands for
    weights : ndarray of shape (n,), ``times`` for a simple random sample, else sampling weights with mean 1
    sample : Sample of these people, or None for a simple random sample
    """

    labels: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    features: Floats
    associations: Floats
    alone: Booleans
    x: Floats
    matrix: Floats
    report: Integers
    outcome: str
    answers: tuple[str, ...]
    y: Any
    randomized: bool
    times: Integers
    weights: Floats
    sample: Sample | None

    @cached_property
    def standard(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of every column of ``x``; 0 and 1 of the ones."""
        mean, deviation = self.x.mean(axis=0), self.x.std(axis=0)
        mean[0], deviation[0] = 0.0, 1.0
        return mean, deviation

    def check_columns(self) -> None:
        """Raise InputError if a column is constant, or follows from others."""
        mean, deviation = self.standard
        names = {column: label for (feature, column), label in zip(self.places, self.labels, strict=True) if feature == 0}
        for column in np.flatnonzero(~(deviation > 0)).tolist():
            raise InputError(f"'{names.get(column, 'A product')}' is the same for everybody: leave it out.")
        triangle = np.asarray(np.linalg.qr((self.x - mean) / deviation, mode="r"))
        values, right = np.linalg.svd(triangle / math.sqrt(len(self.x)))[1:]
        if values[-1] < 1e-7:
            involved = [repr(names[i]) for i in np.flatnonzero(np.abs(right[-1]) > 0.05).tolist() if i and i in names]
            raise InputError(f"One of {', '.join(involved)} follows from the others: leave one of them out.")

    @cached_property
    def groups(self) -> tuple[Integers, Integers]:
        """People who are alike in everything that the likelihood sees: the first of each group, and the group of everybody."""
        parts = [self.x, self.report[:, None]] + ([] if self.randomized else [self.y[:, None]])
        rows = np.ascontiguousarray(np.hstack(parts, dtype=np.float64) + 0.0)  # -0.0 is 0.0
        packed = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
        _, first, group = np.unique(packed, return_index=True, return_inverse=True)
        return first, group.ravel()

    def likelihood(self) -> _Likelihood:
        """Return the likelihood over standardized columns."""
        first, group = self.groups
        mean, deviation = self.standard
        x = (self.x[first] - mean) / deviation
        parts: list[_Predictors | _Outcome] = []
        free: list[Booleans] = []
        if self.associations.shape[1]:
            parts.append(_Predictors(self.associations))
            free.append(self.alone[:, None] | (np.arange(x.shape[1]) == 0))
        parts.append(_Outcome(len(self.answers), self.features, self.y[:, None] if self.randomized else self.y[None, first]))
        own = np.zeros((self.features.shape[1], x.shape[1]), dtype=np.bool_)
        own[tuple(np.transpose(self.places))] = True
        free += [own] * (len(self.answers) - 1)
        all_free = np.vstack(free)
        if all_free.sum() > MAX_MODEL_COEFFICIENTS:
            raise InputError(f"There are {int(all_free.sum()):,} coefficients, the limit is {MAX_MODEL_COEFFICIENTS}: use fewer.")
        if len(first) * self.matrix.shape[1] > MAX_MODEL_ENTRIES:
            raise InputError(
                f"{len(first):,} × {self.matrix.shape[1]} answers are too many for a model: use fewer randomized attributes."
            )
        return _Likelihood(
            x, np.bincount(group, self.weights).astype(np.float64), self.matrix[self.report[first]], parts, all_free
        )

    def spread(self, scores: Floats) -> Floats:
        """Return the covariance of the weighted total of ``scores`` (n, P), by clusters within strata. Populations are taken as large."""
        if self.sample is None:
            people = self.times.sum()
            centred = scores - self.times @ scores / people
            return np.asarray((centred * self.times[:, None]).T @ centred * (people / max(people - 1, 1)))
        sample, weighted = self.sample, scores * self.weights[:, None]
        totals = np.zeros((len(sample.unit_strata), scores.shape[1]))
        np.add.at(totals, sample.units, weighted)
        drawn = np.asarray(sample.drawn, dtype=np.float64)
        means = np.zeros((len(drawn), scores.shape[1]))
        np.add.at(means, sample.unit_strata, totals)
        means /= np.maximum(drawn, 1)[:, None]
        several = drawn > 1
        scale = np.where(several, drawn / np.maximum(drawn - 1, 1), 0.0 if sample.lonely == "certain" else 1.0)
        means[~several] = 0.0  # a cluster alone counts by its distance from the total, which is 0 at the solution
        square = (totals * scale[sample.unit_strata, None]).T @ totals - (means * (scale * drawn)[:, None]).T @ means
        return np.asarray((square + square.T) / 2)


def _build(
    formula: str,
    data: Countable[Any],
    kind: Kind,
    reference: Mapping[str, str],
    covariates: Columns | None,
    drawn: Sequence[Any],
    naive: bool,
) -> tuple[_Problem, int]:
    """Return the problem that a formula describes, and how many answers are left out."""
    held = data if isinstance(data, Release) and data.times is None else None  # counts alone have no further columns
    given = getattr(held, "groupings", ()) if covariates is None else covariates
    columns = _read_columns(given, held.n) if held else {}
    outcome, terms = read_formula(formula, [*dict.fromkeys((*data.schema.names, *columns))])
    randomized = dict.fromkeys(each.column for term in terms for each in term if each.column in data.schema.names)
    names = [*randomized, *([outcome] if outcome in data.schema.names else [])]
    matrix, report, times = _reports(data, held, names, naive)
    kept = report >= 0
    for name in (outcome, *(each.column for term in terms for each in term)):
        if name not in names:
            kept &= columns[name].codes >= 0
    sample = _sample(held, drawn, len(report))
    if sample is not None:
        kept &= sample.weights > 0
        sample = sample.take(kept)
    if times[kept].sum() < 2:
        raise InputError("Fewer than two answers have a value of every predictor: use other predictors.")
    schema = data.schema.select(names) if names else None
    truths = np.array([*np.ndindex(schema.sizes if schema else ())], dtype=np.int64).reshape(matrix.shape[1], len(names))

    def levels(each: Factor) -> list[tuple[str, bool, Any]]:
        """The label of every coefficient of a factor alone, whether it was randomized, and its value for each truth or person."""
        if each.column in names:
            if each.power > 1 or each.limit:
                raise InputError(f"'{each.column}' was randomized and has categories: use it without a power or a limit.")
            axis = names.index(each.column)
            assert schema is not None
            categories = schema.attributes[axis].categories
            first = _first(each.column, reference, categories)
            return [(f"{each.column}: {categories[i]}", True, truths[:, axis] == i) for i in range(len(categories)) if i != first]
        column = columns[each.column]
        if each.limit or each.power > 1 or not (column.numbers is None or each.categories or each.column in reference):
            amounts = np.nan_to_num(column.amounts())
            return [(each.text, False, _BEYOND[each.limit[0]](amounts, each.limit[1]) if each.limit else amounts**each.power)]
        codes = column.held(kept)
        if len(codes) > MAX_MODEL_LEVELS:
            raise InputError(
                f"'{each.column}' has {len(codes):,} different texts: a predictor has at most {MAX_MODEL_LEVELS}, so group them."
            )
        first = codes[_first(each.column, reference, [column.values[i] for i in codes])]
        if len(codes) < 2:
            raise InputError(f"'{each.column}' has one category only among these answers: leave it out.")
        return [(f"{each.column}: {column.values[i]}", False, column.codes == i) for i in codes if i != first]

    labels, places = [INTERCEPT], [(0, 0)]
    features: dict[tuple[str, ...], Floats] = {(): np.ones(len(truths))}
    x: dict[tuple[str, ...], Floats] = {(): np.ones(len(report))}
    for term in terms:
        for chosen in product(*map(levels, term)):
            labels.append(" × ".join(label for label, _, _ in chosen))
            place = []
            for side, table in ((True, features), (False, x)):
                own = [(label, value) for label, mine, value in chosen if mine is side]
                key = tuple(label for label, _ in own)
                if key not in table:
                    table[key] = np.prod([value for _, value in own], axis=0, dtype=np.float64)
                place.append([*table].index(key))
            places.append((place[0], place[1]))
    answers, y = _read_outcome(outcome, kind, reference, columns, kept, schema, truths)
    sizes = schema.sizes[: len(randomized)] if schema else ()
    associations, alone = _associations(truths[:, : len(randomized)], sizes)
    weights = times[kept].astype(np.float64) if sample is None else sample.weights / sample.weights.mean()
    problem = _Problem(
        tuple(labels),
        tuple(places),
        np.stack([*features.values()], axis=1),
        associations,
        alone,
        np.stack([*x.values()], axis=1)[kept],
        matrix,
        report[kept],
        outcome,
        answers,
        y if outcome in names else y[kept],
        outcome in names,
        times[kept],
        weights,
        sample,
    )
    problem.check_columns()
    return problem, int(data.n - times[kept].sum())


def _reports(data: Countable[Any], held: Release[Any] | None, names: list[str], naive: bool) -> tuple[Floats, Integers, Integers]:
    """Return the channel (R, T) of the named attributes, the report of every row, -1 where it lacks an answer, and how many people it is."""
    if not names:
        rows = held.n if held else 0
        return np.ones((1, 1)), np.zeros(rows, dtype=np.int64), np.ones(rows, dtype=np.int64)
    cells = math.prod(data.schema.select(names).sizes)
    if cells > MAX_MODEL_CELLS:
        raise InputError(f"Randomized attributes have {cells:,} combinations, the limit is {MAX_MODEL_CELLS}: use fewer.")
    channel = data.channel(names)
    for lost in channel.lost():
        if len(lost) <= 2:
            what = " and ".join(f"'{names[axis]}'" for axis in lost)
            how = what if len(lost) == 1 else f"the association of {what}"
            raise NotIdentifiableError(f"The mechanism erases {how}: leave one predictor or the outcome out.", (lost,))
    matrix = np.maximum(channel.push(np.eye(cells).reshape(*channel.sizes, cells)).reshape(-1, cells), 0.0)
    asked = data.reports.select(names)
    if naive:
        if asked != data.schema.select(names):
            raise InputError("The reports have other categories than the questions: they cannot be taken as true answers.")
        matrix = np.eye(cells)
    if held is None:
        times = np.asarray(data.counts(names), dtype=np.int64).ravel()
        return matrix, np.arange(times.size), times
    codes, answered = held.records(names)
    report = np.full(held.n, -1, dtype=np.int64)
    report[answered] = np.ravel_multi_index(tuple(codes.T), asked.sizes)
    return matrix, report, np.ones(held.n, dtype=np.int64)


def _sample(held: Release[Any] | None, drawn: Sequence[Any], n: int) -> Sample | None:
    """Return the sample that weights, clusters and strata describe, else the one that the answers bring; None if it is simple."""
    brought = None if held is None else held.sample
    if all(column is None for column in drawn):
        return brought
    if brought is not None:
        raise InputError("The answers bring their own sample: leave out weights, clusters and strata.")
    for name, column in zip(("weights", "clusters", "strata"), drawn, strict=True):
        if column is not None and np.shape(column) != (n,):
            raise InputError(f"There are {n:,} answers and {name} of shape {np.shape(column)}: give one for each answer.")
    clusters, strata = (
        None if each is None else np.unique(np.asarray(each), return_inverse=True)[1].ravel() for each in drawn[1:]
    )
    return Sample(np.ones(n) if drawn[0] is None else np.asarray(drawn[0], dtype=np.float64), strata=strata, clusters=clusters)


def _read_outcome(
    name: str,
    kind: Kind,
    reference: Mapping[str, str],
    columns: Mapping[str, _Column],
    kept: Booleans,
    schema: Any,
    truths: Integers,
) -> tuple[tuple[str, ...], Any]:
    """Return the categories of the outcome, the reference first, and its codes; for a linear regression no categories, and its numbers."""
    randomized = name not in columns or (schema is not None and name in schema.names)
    if randomized:
        categories, codes = schema.attributes[-1].categories, truths[:, -1]
        if kind == "linear":
            scores = to_numbers(categories)
            if scores is None:
                raise InputError(f"The categories of '{name}' are not numbers: choose a logistic regression.")
            return (), scores[codes]
    else:
        if kind == "linear":
            return (), columns[name].amounts()
        own = columns[name].held(kept)
        categories = tuple(columns[name].values[code] for code in own)
        codes = np.searchsorted(own, columns[name].codes)
        if len(categories) < 2:
            raise InputError(f"'{name}' has one value only among these answers: choose another outcome.")
        if len(categories) > MAX_MODEL_OUTCOMES:
            raise InputError(f"'{name}' has {len(categories):,} different values: choose a linear regression.")
    first = _first(name, reference, categories)
    order = [first, *(code for code in range(len(categories)) if code != first)]
    return tuple(categories[code] for code in order), np.append(np.argsort(order), 0)[codes]


def _associations(truths: Integers, sizes: Sequence[int]) -> tuple[Floats, Booleans]:
    """Return indicators of the true predictors and their products in pairs, shape (T, rows), and which are no products (rows,)."""
    single = [(truths[:, [axis]] == np.arange(1, size)).astype(np.float64) for axis, size in enumerate(sizes)]
    pairs = [(a[:, :, None] * b[:, None, :]).reshape(len(truths), -1) for a, b in combinations(single, 2)]
    features = np.hstack([np.zeros((len(truths), 0)), *single, *pairs])
    return features, np.arange(features.shape[1]) < sum(size - 1 for size in sizes)


# The likelihood, with the true answers summed out

_BLOCK = 100_000  # numbers of one temporary table; larger ones leave the processor's cache


class _Local(NamedTuple):
    """Log probability (T, g) of one factor of p(t | x), its gradient (T, rows, g) and the shares that its curvature is made of."""

    value: Floats
    gradient: Floats
    shares: Floats


@dataclass(frozen=True, eq=False)
class _Predictors:
    """The distribution of the true predictors: log-linear, with ``features`` (T, rows) times linear predictors of the columns.

    The outcome may be one of the T combinations' answers: combinations that differ in it alone share their features.
    """

    features: Floats

    @property
    def rows(self) -> int:
        return self.features.shape[1]

    @cached_property
    def _cells(self) -> tuple[Floats, Integers]:
        """The different rows of the features, and which of them each truth has."""
        cells, cell = np.unique(self.features, axis=0, return_inverse=True)
        return cells, cell.ravel()

    def local(self, eta: Floats, people: slice) -> _Local:
        cells, cell = self._cells
        shares, logarithms = _softmax(cells @ eta)
        gradient = cells[:, :, None] - cells.T @ shares
        return _Local(logarithms[cell], gradient[cell], shares)

    def curvature(self, shares: Floats, posterior: Floats) -> Floats:
        """Return the negative second derivatives, (rows, rows, g)."""
        mean = self._cells[0].T @ shares
        return _mean_square(self._cells[0], shares) - mean[:, None] * mean


@dataclass(frozen=True, eq=False)
class _Outcome:
    """A categorical outcome: a linear predictor for every category but the first and every feature of the truth.

    Parameters
    ----------
    size : number of categories
    features : ndarray of shape (T, F)
    answer : codes, ndarray of shape (T, 1) if the outcome was randomized, (1, g) if it is known
    """

    size: int
    features: Floats
    answer: Integers

    @property
    def rows(self) -> int:
        return (self.size - 1) * self.features.shape[1]

    def local(self, eta: Floats, people: slice) -> _Local:
        linear = np.zeros((self.size, len(self.features), eta.shape[1]))
        np.matmul(self.features, eta.reshape(self.size - 1, self.features.shape[1], -1), out=linear[1:])
        shares, logarithms = _softmax(linear)
        answer = self.answer if self.answer.shape[1] == 1 and len(self.answer) > 1 else self.answer[:, people]
        chosen = logarithms[answer, np.arange(shares.shape[1])[:, None], np.arange(shares.shape[2])]
        rest = (answer == np.arange(1, self.size)[:, None, None]) - shares[1:]
        gradient = rest.swapaxes(0, 1)[:, :, None] * self.features[:, None, :, None]
        return _Local(chosen, gradient.reshape(len(self.features), self.rows, -1), shares)

    def curvature(self, shares: Floats, posterior: Floats) -> Floats:
        """Return the negative second derivatives, averaged over the truths by ``posterior`` (T, g): shape (rows, rows, g)."""
        k, wide = self.size - 1, self.features.shape[1]
        weighted = shares[1:] * posterior
        found = np.empty((k, wide, k, wide, posterior.shape[1]))
        for c in range(k):
            for d in range(c, k):
                found[c, :, d] = found[d, :, c] = _mean_square(self.features, weighted[c] * ((c == d) - shares[d + 1]))
        return found.reshape(self.rows, self.rows, -1)


def _mean_square(features: Floats, weights: Floats) -> Floats:
    """Return the products of two ``features`` (T, rows), added up by ``weights`` (T, g): shape (rows, rows, g)."""
    rows = features.shape[1]
    squares = (features[:, :, None] * features[:, None]).reshape(len(features), rows * rows)
    return (squares.T @ weights).reshape(rows, rows, -1)


def _softmax(linear: Floats) -> tuple[Floats, Floats]:
    """Return probabilities along the first axis, and their logarithms."""
    below = linear - linear.max(axis=0)
    raised: Floats = np.exp(below)
    total = raised.sum(axis=0)
    return raised / total, below - np.log(total)


class _Derivatives(NamedTuple):
    """At one point: value, score (P,), observed information and the information with the truth known, (P, P) each."""

    value: float
    score: Floats
    information: Floats
    complete: Floats


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """Log-likelihood of the free coefficients: value, score and observed information (Louis 1982).

    The score is the mean over P(t | u, x) of the score with t known. The observed information is the mean of the information with t known
    less the variance of that score.

    Parameters
    ----------
    x : ndarray of shape (g, q), columns of people who are alike, the first column ones
    weights : ndarray of shape (g,), how many people each row stands for
    chance : ndarray of shape (g, T), P(u | t)
    parts : the factors of p(t | x)
    free : ndarray of shape (rows of all parts, q), which coefficients are estimated; the others are 0
    """

    x: Floats
    weights: Floats
    chance: Floats
    parts: Sequence[_Predictors | _Outcome]
    free: Booleans

    @cached_property
    def rows(self) -> list[slice]:
        """Where the linear predictors of each part stand."""
        ends = np.cumsum([0, *(part.rows for part in self.parts)])
        return [slice(a, b) for a, b in pairwise(ends.tolist())]

    @cached_property
    def _squares(self) -> Floats:
        """Weighted products of two columns, the upper triangle: shape (g, q (q + 1) / 2)."""
        i, j = np.triu_indices(self.x.shape[1])
        return self.x[:, i] * self.x[:, j] * self.weights[:, None]

    @cached_property
    def _columns(self) -> Floats:
        return np.ascontiguousarray(self.x.T)

    @cached_property
    def _log_chance(self) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(np.ascontiguousarray(self.chance.T))

    @cached_property
    def _pairs(self) -> tuple[Integers, Integers]:
        """Where the information of two free coefficients stands among pairs of rows and pairs of columns, (P, P) each."""
        rows, columns = np.nonzero(self.free)
        return _places(rows, len(self.free)), _places(columns, self.x.shape[1])

    def _blocks(self) -> Iterator[slice]:
        rows = len(self.free)
        step = max(64, _BLOCK // max(rows * rows, self.chance.shape[1] * rows))
        return (slice(start, min(start + step, len(self.x))) for start in range(0, len(self.x), step))

    def _at(self, coefficients: Floats, people: slice) -> tuple[Floats, Floats, list[_Local], Floats]:
        """Log-likelihood of each row (g,), P(t | u, x) (T, g), the parts, and their gradients (T, rows, g)."""
        eta = coefficients @ self._columns[:, people]
        parts = [part.local(eta[rows], people) for part, rows in zip(self.parts, self.rows, strict=True)]
        joint = self._log_chance[:, people] + sum(part.value for part in parts)
        top = np.maximum(joint.max(axis=0), -1e300)  # a row of -inf, far out in a line search, stays one
        raised = np.exp(joint - top)
        total = raised.sum(axis=0)
        gradient = np.concatenate([part.gradient for part in parts], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return top + np.log(total), raised / total, parts, gradient

    def coefficients(self, theta: Floats) -> Floats:
        """Return all coefficients, shape (rows, q)."""
        found = np.zeros(self.free.shape)
        found[self.free] = theta
        return found

    def scores(self, theta: Floats) -> Floats:
        """Return what each row adds to the score, for weight 1: shape (g, P)."""
        rows, columns = np.nonzero(self.free)
        found = []
        for people in self._blocks():
            _, posterior, _, gradient = self._at(self.coefficients(theta), people)
            found.append(np.einsum("tg,trg->rg", posterior, gradient))
        return np.asarray((np.concatenate(found, axis=1)[rows] * self._columns[columns]).T)

    @np.errstate(over="ignore", invalid="ignore")  # far out in a line search, where the value is then no number
    def derivatives(self, theta: Floats) -> _Derivatives:
        """Return value, score and informations at ``theta``."""
        coefficients, m = self.coefficients(theta), len(self.free)
        upper = np.triu_indices(m)
        score, (seen, whole) = np.zeros(self.free.shape), np.zeros((2, len(upper[0]), self._squares.shape[1]))
        value = 0.0
        for people in self._blocks():
            own, posterior, parts, gradient = self._at(coefficients, people)
            value += float(self.weights[people] @ own)
            weighted = gradient * posterior[:, None]
            mean = weighted.sum(axis=0)
            score += (mean * self.weights[people]) @ self.x[people]
            known = np.zeros((m, m, len(own)))
            for part, at, rows in zip(self.parts, parts, self.rows, strict=True):
                known[rows, rows] = part.curvature(at.shares, posterior)
            curvature = known[upper]
            whole += curvature @ self._squares[people]
            for a in range(m):
                curvature[upper[0] == a] -= np.einsum("tg,tbg->bg", weighted[:, a], gradient[:, a:]) - mean[a] * mean[a:]
            seen += curvature @ self._squares[people]
        return _Derivatives(value, score[self.free], seen[self._pairs], whole[self._pairs])


def _places(codes: Integers, size: int) -> Integers:
    """Return where each pair of ``codes`` (P,) stands in the upper triangle of a matrix of ``size`` rows, shape (P, P)."""
    first, second = np.minimum.outer(codes, codes), np.maximum.outer(codes, codes)
    return np.asarray(first * size - first * (first - 1) // 2 + second - first)


# The highest point

_STEPS = 300
_ENOUGH = 1e-9  # nats that the next step promises, below which it is not made
_LEAST = 1e-3  # share of the information in a direction below which its curvature says nothing
_LONGEST = 4.0  # most that a coefficient of a standardized column moves in one step
_FLAT = 1e-4  # information about a standardized coefficient whose standard error is above 100: there is no highest point


def _climb(likelihood: _Likelihood, start: Floats) -> tuple[Floats, _Derivatives, int]:
    """Return the highest point, what is known there, and the number of steps: ``_STEPS`` if it was not reached.

    Steps are Newton's where the observed information is positive definite. Elsewhere each direction is gone by its own curvature, relative
    to the information with the truth known, which alone would make it a step of EM (Lange 1995) and slow where little is observed.
    Steps are halved until the likelihood increases.
    """
    theta, at = start, likelihood.derivatives(start)
    for count in range(_STEPS):
        step = _step(at)
        promised = float(at.score @ step)
        if promised < _ENOUGH:
            return theta, at, count
        step *= min(1.0, _LONGEST / float(np.abs(step).max()))
        promised = float(at.score @ step)
        length, there = 1.0, likelihood.derivatives(theta + step)
        while not there.value >= at.value + 1e-4 * length * promised:
            length /= 2
            if length < 1e-8:  # the likelihood is flat to the last digit
                return theta, at, count if promised < 1e-4 else _STEPS
            there = likelihood.derivatives(theta + length * step)
        theta, at = theta + length * step, there
    return theta, at, _STEPS


def _step(at: _Derivatives) -> Floats:
    try:
        return np.asarray(scipy.linalg.cho_solve(scipy.linalg.cho_factor(at.information), at.score))
    except scipy.linalg.LinAlgError:
        pass
    try:
        shares, directions = scipy.linalg.eigh(at.information, at.complete)
    except scipy.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(at.complete)
        return np.asarray(vectors @ ((vectors.T @ at.score) / np.maximum(np.abs(values), 1e-8 * np.abs(values).max())))
    return np.asarray(directions @ ((directions.T @ at.score) / np.maximum(np.abs(shares), _LEAST)))


class _Solution(NamedTuple):
    """Coefficients (E, K), their covariance (E K, E K), the log-likelihood, and whether a combination of predictors is empty."""

    coefficients: Floats
    covariance: Floats
    value: float
    empty: bool


def _maximize(problem: _Problem) -> _Solution:
    """Return the logistic regression. Raises NoHighestPointError if a coefficient of the outcome has no finite estimate."""
    likelihood = problem.likelihood()
    free, start = likelihood.free, likelihood.rows[-1].start
    theta, at, steps = _climb(likelihood, np.zeros(int(free.sum())))
    wide = problem.features.shape[1]
    places = [(start + wide * e + f, column) for e in range(len(problem.answers) - 1) for f, column in problem.places]
    number = (np.cumsum(free) - 1).reshape(free.shape)[tuple(np.transpose(places))]  # of the outcome's among the free ones
    values, vectors = np.linalg.eigh(at.information)
    curved = values > _FLAT
    worst = (vectors[:, ~curved] ** 2).sum(axis=1)[number]
    if worst.size and worst.max() > 1e-3:
        label = np.tile(problem.labels, len(problem.answers) - 1)[worst.argmax()]
        raise NoHighestPointError(
            f"The coefficient of '{label}' has no finite estimate, because it separates the outcome completely or the answers are too few "
            "for the noise. Leave the predictor out, group its categories, or collect more answers."
        )
    if steps == _STEPS:
        raise NoHighestPointError(f"The likelihood was not maximized in {_STEPS} steps: use fewer predictors.")
    flat = vectors[:, curved]
    covariance = flat @ np.linalg.inv(flat.T @ at.information @ flat) @ flat.T
    if problem.sample is not None:
        covariance = covariance @ problem.spread(likelihood.scores(theta)[problem.groups[1]]) @ covariance
    back = _back(problem.standard, free)
    theta, covariance = back @ theta, back @ covariance @ back.T
    return _Solution(
        theta[number].reshape(len(problem.answers) - 1, -1), covariance[np.ix_(number, number)], at.value, not curved.all()
    )


def _back(standard: tuple[Floats, Floats], free: Booleans) -> Floats:
    """Return the matrix that takes coefficients of standardized columns to those of the columns as given."""
    mean, deviation = standard
    row, column = np.nonzero(free)
    matrix = np.diag(1 / deviation[column])
    constant: Integers = np.full(len(free), -1, dtype=np.int64)
    constant[row[column == 0]] = np.flatnonzero(column == 0)
    others = np.flatnonzero(column > 0)
    matrix[constant[row[others]], others] = -mean[column[others]] / deviation[column[others]]
    return matrix


def _moments(problem: _Problem) -> _Solution:
    """Return the linear regression by unbiased normal equations, with sandwich errors.

    With d(t, x) the row of the design, functions of the report are found whose expectations, given t, are d d' and d y. Then the solution is
    right whatever the distribution of the errors and of the true predictors (corrected scores: Nakamura 1990; Carroll et al., Measurement
    Error in Nonlinear Models, chapter 7).
    """
    feature, column = np.transpose(problem.places)
    features, wide = problem.features, problem.features.shape[1]
    first = features * (problem.y[:, None] if problem.randomized else 1.0)
    products = (features[:, :, None] * features[:, None, :]).reshape(len(features), -1)
    wanted = np.hstack([first, products])
    found = np.linalg.lstsq(problem.matrix.T, wanted, rcond=1e-9)[0]
    if np.abs(problem.matrix.T @ found - wanted).max() > 1e-6 * max(1.0, np.abs(wanted).max()):
        raise NotIdentifiableError("The mechanism erases the association of the true predictors: leave some out.", ())
    first, products = found[:, :wide][:, feature], found[:, wide:].reshape(-1, wide, wide)[:, feature][:, :, feature]
    rows = problem.x[:, column]
    right = rows * first[problem.report] * (1.0 if problem.randomized else problem.y[:, None])
    left = np.zeros((len(feature), len(feature)))
    people = [np.flatnonzero(problem.report == report) for report in range(len(products))]
    for mine, square in zip(people, products, strict=True):
        left += (rows[mine] * problem.weights[mine, None]).T @ rows[mine] * square
    scale = np.sqrt(np.maximum(np.diag(left), 1e-300))
    if np.linalg.eigvalsh(left / np.outer(scale, scale)).min() < 1e-10:
        raise InputError("The answers say too little about the randomized predictors: collect more, or use fewer of them.")
    solved = np.linalg.solve(left, right.T @ problem.weights)
    for mine, square in zip(people, products, strict=True):
        right[mine] -= rows[mine] * ((rows[mine] * solved) @ square)
    return _Solution(solved[None], problem.spread(right @ np.linalg.inv(left)), math.nan, False)


# The result


@dataclass(frozen=True, eq=False)
class Regression(Short):
    """A fitted regression.

    Parameters
    ----------
    formula : str
    kind : "logistic" or "linear"
    outcome : str
    answers : tuple of str
        One for each equation: the categories of the outcome but the reference. The outcome itself in a linear regression.
    reference : str
        The category of the outcome that the others are compared with. Empty in a linear regression.
    terms : tuple of str
        Names of the K coefficients of an equation, "Intercept" first.
    coefficients : ndarray of shape (E, K)
        Log odds, or units of the outcome.
    covariance : ndarray of shape (E K, E K)
    nobs : int
        Number of answers used.
    llf : float
        Log-likelihood; NaN for a linear regression, which is fitted by moments.
    freedom : float
        Degrees of freedom of the standard errors: clusters less strata, infinite for a simple random sample.
    notes : tuple of str
    """

    formula: str
    kind: Kind
    outcome: str
    answers: tuple[str, ...]
    reference: str
    terms: tuple[str, ...]
    coefficients: Floats
    covariance: Floats
    nobs: int
    llf: float
    freedom: float
    notes: tuple[str, ...]

    def _summary(self) -> str:
        terms = [f"{term} {value:.3g}" for term, value in self.params.items()]
        return f"{self.title}, {counted(self.nobs, 'answer', 'answers')}: {some(terms)}"

    @property
    def title(self) -> str:
        """The kind of regression and its outcome."""
        kind = "multinomial" if len(self.answers) > 1 else self.kind
        return f"{kind.capitalize()} regression of {self.outcome}"

    @property
    def labels(self) -> list[str]:
        """The name of every coefficient: its term, after the category of the outcome if there are several equations."""
        several = len(self.answers) > 1
        return [f"{answer}, {term}" if several else term for answer in self.answers for term in self.terms]

    def _labeled(self, values: Floats) -> dict[str, float]:
        return dict(zip(self.labels, values.ravel().tolist(), strict=True))

    @property
    def _errors(self) -> Floats:
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    @property
    def params(self) -> dict[str, float]:
        """Every coefficient by name."""
        return self._labeled(self.coefficients)

    @property
    def bse(self) -> dict[str, float]:
        """Standard error of every coefficient."""
        return self._labeled(self._errors)

    @property
    def pvalues(self) -> dict[str, float]:
        """Two-sided p-value of every coefficient being 0 (Wald)."""
        return self._labeled(two_sided_chance(self.coefficients.ravel() / self._errors, self.freedom))

    def conf_int(self, alpha: float = 0.05) -> dict[str, tuple[float, float]]:
        """Return the confidence interval of every coefficient, with confidence 1 - ``alpha``: normal, or Student's t for a sample.

        Examples
        --------
        >>> from rrcore.answers import nigeria
        >>> found = fit("connected to an armed group ~ education > 3", nigeria())
        >>> [round(end, 2) for end in found.conf_int()["education > 3"]]
        [0.4, 1.38]
        """
        half = margin(self._errors, 1 - alpha, self.freedom)
        ends = zip((self.coefficients.ravel() - half).tolist(), (self.coefficients.ravel() + half).tolist(), strict=True)
        return dict(zip(self.labels, ends, strict=True))

    def rows(self, alpha: float = 0.05) -> list[dict[str, Any]]:
        """Return one row for every coefficient: outcome, term, estimate, error, interval, p-value; odds ratios of a logistic regression."""
        bounds, errors, chances = self.conf_int(alpha), self.bse, self.pvalues
        names = product(self.answers, self.terms)
        found = []
        for (answer, term), (label, value) in zip(names, self.params.items(), strict=True):
            low, high = bounds[label]
            row = {"outcome": answer, "term": term, "estimate": value, "standard error": errors[label], "low": low, "high": high}
            row["p-value"] = chances[label]
            if self.kind == "logistic":
                ratios = np.exp(np.clip([value, low, high], -700, 700)).tolist()
                row |= dict(zip(("odds ratio", "odds ratio low", "odds ratio high"), ratios, strict=True))
            found.append(row)
        return found

    def texts(self, alpha: float = 0.05) -> list[dict[str, str]]:
        """Return the rows as pages and reports print them: heading -> text."""
        several, span = len(self.answers) > 1, f"{100 * (1 - alpha):g}% CI"
        found = []
        for row in self.rows(alpha):
            estimate, _, bounds = amount_range_text(row["estimate"], row["low"], row["high"]).partition(" ")
            error = f"{row['standard error']:.2g}"
            texts = {"Outcome": row["outcome"]} if several else {}
            texts |= {"Term": row["term"], "Estimate": estimate, "Standard error": error, span: bounds.strip("()")}
            found.append(texts | {"p-value": p_text(row["p-value"])})
        return found

    def to_pandas(self) -> Any:
        """Return the rows as a pandas DataFrame."""
        return need("pandas", "to_pandas").DataFrame(self.rows())

    def to_csv(self, alpha: float = 0.05, *, mark: str = "") -> str:
        """Return the rows as CSV; ``mark`` is the name of a first column that says "yes" in every row."""
        rows = self.rows(alpha)
        return csv_text(rows[0], (row.values() for row in rows), mark=mark)

    def summary(self, alpha: float = 0.05) -> str:
        """Return the regression as a table of text."""
        texts = self.texts(alpha)
        cells = [list(texts[0]), *(list(row.values()) for row in texts)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        left = len(widths) - 4  # numbers are aligned to the right
        lines = [
            "  ".join(f"{cell:{'<' if i < left else '>'}{widths[i]}}" for i, cell in enumerate(row)).rstrip() for row in cells
        ]
        compared = f", compared with '{self.reference}'" if self.reference else ""
        return "\n".join([f"{self.title}{compared}, {count_text(self.nobs)} answers", *lines, *self.notes])

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        texts = self.texts()
        title = f"{self.title}, {counted(self.nobs, 'answer', 'answers')}"
        return html_table(list(texts[0]), [list(row.values()) for row in texts], numbers=4, title=title)


def fit(
    formula: str,
    data: Countable[Any],
    *,
    kind: Kind = "logistic",
    reference: Mapping[str, str] | None = None,
    covariates: Columns | None = None,
    weights: Any = None,
    clusters: Any = None,
    strata: Any = None,
    naive: bool = False,
) -> Regression:
    """Regress an outcome on predictors, each a randomized attribute or a column that was not randomized.

    Parameters
    ----------
    formula : str
        For example ``"smokes ~ age + sex*region"``, as ``read_formula`` reads it.
    data : Release, Answers or counts
        Counts alone are enough if the formula has randomized attributes only.
    kind : "logistic" or "linear"
        A logistic regression of more than two categories is multinomial. A linear regression needs an outcome in numbers: a column, or a
        randomized attribute whose categories are numbers.
    reference : mapping of str to str
        Name of a column -> the category that the others are compared with. The first category by default.
    covariates : mapping or data frame
        Columns that were not randomized, one value per answer. Collected answers bring their own.
    weights, clusters, strata : array_like of shape (n,)
        Sampling weights, primary sampling units, strata. Standard errors are then by linearization, with Student's t.
    naive : bool
        Take the randomized answers as true, to see what the noise does. The result is biased.

    Returns
    -------
    Regression

    Raises
    ------
    NotIdentifiableError
        If the mechanism erases an attribute of the model, or the association of two of them.
    InputError
        If the model does not fit the answers, or a coefficient has no finite estimate.

    Examples
    --------
    >>> from rrcore.answers import nigeria
    >>> found = fit("connected to an armed group ~ education", nigeria())
    >>> {term: round(value, 2) for term, value in found.params.items()}
    {'Intercept': -1.19, 'education': 0.03}
    """
    if kind not in get_args(Kind):
        raise InputError(f"There is no regression '{kind}': choose among {', '.join(get_args(Kind))}.")
    problem, out = _build(formula, data, kind, reference or {}, covariates, (weights, clusters, strata), naive)
    solved = _moments(problem) if kind == "linear" else _maximize(problem)
    notes = (f"{counted(out, 'answer', 'answers')} left out: a value is missing, or the weight is 0.",) * (out > 0)
    notes += ("A combination of the randomized predictors is estimated to be empty: errors take that as known.",) * solved.empty
    freedom = math.inf if problem.sample is None else problem.sample.freedom
    return Regression(
        formula,
        kind,
        problem.outcome,
        problem.answers[1:] or (problem.outcome,),
        problem.answers[0] if problem.answers else "",
        problem.labels,
        solved.coefficients,
        solved.covariance,
        int(problem.times.sum()),
        solved.value,
        freedom,
        notes,
    )
