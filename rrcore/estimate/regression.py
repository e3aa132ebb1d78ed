"""Regressions in which the outcome, predictors or both were randomized.

Let t be a person's true answers to the randomized attributes of a model, u the randomized answers, and x the columns that were not
randomized. A logistic regression maximizes the sum of ln sum over t of P(u | t) p(t | x), where P(u | t) is the known joint channel
of the mechanism. A linear regression solves normal equations whose entries are all unbiased under that channel (theory.md, section
21).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError, NotIdentifiableError, check_number, need, wrong_kind
from rrcore.estimate.release import Release, Released, Rows
from rrcore.estimate.result import Result
from rrcore.estimate.sample import Sample
from rrcore.estimate.uncertainty import margin, two_sided_chance
from rrcore.limits import MAX_MODEL_CELLS, MAX_MODEL_COEFFICIENTS, MAX_MODEL_ENTRIES, MAX_MODEL_LEVELS, MAX_MODEL_OUTCOMES
from rrcore.table.recoding import recodes_as_identifier
from rrcore.table.text_table import TextColumn, in_order, to_numbers
from rrcore.wording import counted, html_table, p_text
from rrcore.wording.short import some

Kind = Literal["logistic", "linear"]
INTERCEPT = "Intercept"

# Formulas

_QUOTED = re.compile(r"`((?:[^`]|``)+)`")
_FACTOR = re.compile(
    r"C\((?P<categories>.+)\)|(?P<column>.+?)\s*(?P<sign>\^|>=|>|<=|<)\s*(?P<number>[-+]?[\d.]+(?:[eE][-+]?\d+)?)"
)
_FUNCTIONS = {"^": np.power, ">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}


class Factor(NamedTuple):
    """A column as it appears in a formula.

    Examples are ``age``, ``age^2``, ``age > 40`` and ``C(age)``.
    """

    column: str
    sign: str = ""
    number: float = 0.0

    @property
    def text(self) -> str:
        if self.sign in ("", "C"):
            return self.column
        return f"{self.column}^{self.number:g}" if self.sign == "^" else f"{self.column} {self.sign} {self.number:g}"


Term = tuple[Factor, ...]


def usable_predictor(column: TextColumn) -> bool:
    """Return True if a column can be a predictor.

    It must vary, identify nobody, and contain numbers or few categories.
    """
    held = int((column.counts > 0).sum())
    return held > 1 and not recodes_as_identifier(column) and (held <= MAX_MODEL_LEVELS or to_numbers(column.values) is not None)


def regression_kinds(values: Sequence[str]) -> tuple[Kind, ...]:
    """Return the kinds of regression that suit these values of the outcome.

    The most common kind comes first.
    """
    if to_numbers(values) is None:
        return ("logistic",)
    if len(values) > MAX_MODEL_OUTCOMES:
        return ("linear",)
    return ("logistic", "linear") if len(values) == 2 else ("linear", "logistic")


def quoted(name: str) -> str:
    """Write the name of a column for a formula.

    Names with operators of formulas are enclosed in backquotes.

    >>> quoted("work class"), quoted("age: years")
    ('work class', '`age: years`')
    """
    return f"`{name.replace('`', '``')}`" if re.search(r"[~+*:^<>()`]", name) else name


def read_formula(formula: str, known: Collection[str]) -> tuple[str, tuple[Term, ...]]:
    """Split a formula into the name of the outcome and its terms, main effects first.

    Parameters
    ----------
    formula : str
        The outcome, ``~``, and terms separated by ``+``. ``a:b`` is an interaction, ``a*b`` adds both columns and their
        interaction, ``age^2`` is a power, ``age > 40`` is 1 or 0, and ``C(age)`` treats a number as categories. Put names with such
        operators in backquotes.
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

    def column(text: str) -> str:
        name = re.sub("\0(\\d+)\0", lambda match: names[int(match[1])], text).strip()
        if name not in known:
            raise InputError(f"There is no column '{name[:80]}'. Choose one of {some(list(known), 20)}.")
        return name

    def factor(text: str) -> Factor:
        found = None if text.strip() in known else _FACTOR.fullmatch(text.strip())
        if not found:
            return Factor(column(text))
        return (
            Factor(column(found["categories"]), "C")
            if found["categories"]
            else Factor(column(found["column"]), found["sign"], float(found["number"]))
        )

    left, sign, right = _QUOTED.sub(hide, formula).partition("~")
    if not sign:
        raise InputError(
            f"'{formula[:80]}' is not a formula. Write the outcome, ~ and the predictors, as in 'smokes ~ age + sex'."
        )
    outcome = column(left)
    terms: dict[frozenset[Factor], Term] = {}
    for part in right.split("+"):
        sides = [tuple(map(factor, side.split(":"))) for side in part.split("*") if side.strip() != "1"]
        for size in range(1, len(sides) + 1):
            for chosen in combinations(sides, size):
                term = tuple(dict.fromkeys(each for side in chosen for each in side))
                terms.setdefault(frozenset(term), term)
    for term in terms.values():
        if any(each.column == outcome for each in term):
            raise InputError(f"'{outcome}' is both the outcome and a predictor. Leave it out of the predictors.")
        for lower in combinations(term, len(term) - 1):
            if lower and frozenset(lower) not in terms:
                own, needed = (":".join(each.text for each in held) for held in (term, lower))
                raise InputError(
                    f"The interaction '{own}' also needs '{needed}' as a predictor. Add it, or write '*' instead of ':'."
                )
    return outcome, tuple(sorted(terms.values(), key=len))


# Columns that were not randomized


class _Column(NamedTuple):
    """Values of one column.

    It holds codes (n,), -1 for a missing value, the distinct values in order, and their numbers if all are numeric.
    """

    name: str
    codes: Integers
    values: tuple[str, ...]
    numbers: Floats | None

    def amounts(self) -> Floats:
        """Return the number of every row."""
        if self.numbers is None:
            raise InputError(f"'{self.name}' contains text, but numbers are needed. Use it as categories, or leave it out.")
        return self.numbers[self.codes]

    def take(self, rows: Integers) -> _Column:
        """Return these rows and the values that occur in them."""
        held, codes = np.unique(self.codes[rows], return_inverse=True)
        numbers = None if self.numbers is None else self.numbers[held]
        return _Column(self.name, codes.ravel(), tuple(self.values[code] for code in held), numbers)


def _read_column(name: str, given: Any, n: int) -> _Column:
    if isinstance(given, TextColumn):
        codes, values = given.codes, given.values
    else:
        try:
            texts = pc.utf8_trim_whitespace(pa.array(given, from_pandas=True).cast(pa.string()))
        except (pa.ArrowException, ValueError) as error:
            raise InputError(f"The column '{name}' contains neither numbers nor text. Use one value for each answer.") from error
        encoded = pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts).dictionary_encode()
        codes, values = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False), tuple(encoded.dictionary.to_pylist())
    if len(codes) != n:
        raise InputError(f"Expected {n:,} values in the column '{name}' (one per answer), got {len(codes):,}.")
    order = in_order(values)
    values = tuple(values[i] for i in order)
    return _Column(name, np.append(np.argsort(order), -1)[codes], values, to_numbers(values))


# The design: people who are alike, what they reported, and the place of each coefficient


class _Design(NamedTuple):
    """Answers and columns as arrays for a model.

    People with equal values share one row.

    Parameters
    ----------
    labels : names of the K coefficients of one equation
    places : (feature, column of ``x``) of each coefficient, which multiplies their product
    features : ndarray of shape (T, F), functions of the true predictors. The first is 1
    associations : ndarray of shape (T, A), indicators of the randomized predictors and products of two indicators
    alone : ndarray of shape (A,), which of the associations are single indicators
    x : ndarray of shape (g, q), a column of ones and columns that were not randomized
    matrix : ndarray of shape (R, T or T C), P(report | true answers), where the C categories of a randomized outcome come last
    report : ndarray of shape (g,), positions in the rows of ``matrix``
    outcome : str
    answers : categories of the outcome, the reference first. Empty in a linear regression
    y : ndarray, the outcome as a number or as its position in ``answers``, of shape (C,) if it was randomized and (g,) otherwise
    randomized : whether the outcome was randomized
    group : ndarray of shape (n,), the row of every person
    times : ndarray of shape (n,), the number of people that each row represents
    weights : ndarray of shape (n,), equal to ``times`` for a simple random sample, otherwise sampling weights with mean 1
    sample : Sample of these respondents, or None for a simple random sample
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
    group: Integers
    times: Integers
    weights: Floats
    sample: Sample | None

    @property
    def row_weights(self) -> Floats:
        """Total weight of the people in every row."""
        return np.bincount(self.group, self.weights, len(self.x)).astype(np.float64)

    def spread(self, scores: Floats) -> Floats:
        """Return the covariance of the weighted total of ``scores`` (g, P).

        It is computed from clusters within strata. Populations are treated as infinite.
        """
        if self.sample is None:
            people = self.times.sum()
            centered = scores - self.row_weights @ scores / people
            return np.asarray((centered * self.row_weights[:, None]).T @ centered * (people / max(people - 1, 1)))
        sample, weighted = self.sample, scores[self.group] * self.weights[:, None]
        totals = np.zeros((len(sample.unit_strata), scores.shape[1]))
        np.add.at(totals, sample.units, weighted)
        drawn = np.asarray(sample.drawn, dtype=np.float64)
        means = np.zeros((len(drawn), scores.shape[1]))
        np.add.at(means, sample.unit_strata, totals)
        several = drawn > 1
        # A cluster alone counts by its distance from the total, which is 0 at the solution.
        means *= (several / np.maximum(drawn, 1))[:, None]
        scale = np.where(several, drawn / np.maximum(drawn - 1, 1), 0.0 if sample.lonely == "certain" else 1.0)
        return np.asarray((totals * scale[sample.unit_strata, None]).T @ totals - (means * (scale * drawn)[:, None]).T @ means)


def _design(
    formula: str,
    data: Release[Any],
    kind: Kind,
    reference: Mapping[str, str],
    covariates: Any,
    naive: bool,
) -> _Design:
    """Return the design that a formula describes."""
    held = data.records  # counts alone have no further columns
    given = {each.name: each for each in (held.extra if held else ())} if covariates is None else covariates
    outcome, terms = read_formula(formula, [*dict.fromkeys((*data.schema.names, *map(str, given.keys() if held else ())))])
    used = dict.fromkeys(each.column for term in terms for each in term)
    names = [name for name in (*used, outcome) if name in data.schema.names]
    matrix, report, times = _reports(data, held, names, naive)
    columns = {name: _read_column(name, given[name], len(report)) for name in (*used, outcome) if name not in names}
    sample = None if held is None else held.sample
    keys = np.stack([report, *(each.codes for each in columns.values())], axis=1)
    kept = (keys >= 0).all(axis=1) & (times > 0 if sample is None else sample.weights > 0)
    if times[kept].sum() < 2:
        raise InputError("Fewer than two answers have a value for every predictor. Use other predictors.")
    _, first, group = np.unique(keys[kept], axis=0, return_index=True, return_inverse=True)
    rows = np.flatnonzero(kept)[first]
    columns = {name: each.take(rows) for name, each in columns.items()}
    sample = None if sample is None else sample.take(kept)
    attributes = data.schema.select(names).attributes if names else ()
    sizes = [len(each.categories) for each in attributes if each.name != outcome]
    truths = np.array([*np.ndindex(*sizes)], dtype=np.int64)

    def levels(each: Factor) -> list[tuple[str, bool, Any]]:
        """Return the main-effect coefficients of a factor.

        The result contains their labels, whether the factor was randomized, and its value for each truth or row.
        """
        randomized = each.column in names
        column = None if randomized else columns[each.column]
        if randomized and each.sign not in ("", "C"):
            raise InputError(f"'{each.column}' was randomized, so it is categorical. Use it without a power or a threshold.")
        if column and (each.sign in _FUNCTIONS or not (column.numbers is None or each.sign or each.column in reference)):
            amounts = column.amounts()
            return [(each.text, False, _FUNCTIONS[each.sign](amounts, each.number) if each.sign else amounts)]
        axis = names.index(each.column) if randomized else 0
        codes, categories = (column.codes, column.values) if column else (truths[:, axis], attributes[axis].categories)
        if not 2 <= len(categories) <= MAX_MODEL_LEVELS:
            raise InputError(
                f"'{each.column}' has {counted(len(categories), 'category', 'categories')} among these answers. Choose a "
                f"predictor with 2 to {MAX_MODEL_LEVELS}."
            )
        compared = _first(each.column, reference, categories)
        return [(f"{each.column}: {name}", randomized, codes == i) for i, name in enumerate(categories) if i != compared]

    labels, places = [INTERCEPT], [(0, 0)]
    features: dict[Any, Floats] = {(): np.ones(len(truths))}
    x: dict[Any, Floats] = {(): np.ones(len(rows))}
    for term in terms:
        for chosen in product(*map(levels, term)):
            labels.append(" × ".join(label for label, _, _ in chosen))
            place = []
            for randomized, table in ((True, features), (False, x)):
                own = {label: value for label, mine, value in chosen if mine is randomized}
                if tuple(own) not in table:
                    table[tuple(own)] = np.prod([*own.values()], axis=0, dtype=np.float64)
                place.append([*table].index(tuple(own)))
            places.append((place[0], place[1]))
    answers, y = _read_outcome(outcome, kind, reference, columns.get(outcome), attributes[-1].categories if attributes else ())
    single = [(truths[:, [axis]] == np.arange(1, size)).astype(np.float64) for axis, size in enumerate(sizes)]
    pairs = [(a[:, :, None] * b[:, None, :]).reshape(len(truths), -1) for a, b in combinations(single, 2)]
    associations = np.hstack([np.zeros((len(truths), 0)), *single, *pairs])
    return _Design(
        tuple(labels),
        tuple(places),
        np.stack([*features.values()], axis=1),
        associations,
        np.arange(associations.shape[1]) < sum(size - 1 for size in sizes),
        np.stack([*x.values()], axis=1),
        matrix,
        report[rows],
        outcome,
        answers,
        y,
        outcome in names,
        group.ravel(),
        times[kept],
        times[kept].astype(np.float64) if sample is None else sample.weights / sample.weights.mean(),
        sample,
    )


def _first(name: str, reference: Mapping[str, str], categories: Sequence[str]) -> int:
    """Return the place of the category that the others are compared with."""
    wanted = reference.get(name, categories[0])
    if wanted not in categories:
        raise InputError(f"'{name}' has no category '{wanted[:40]}' to compare with. Choose one of {some(categories, 20)}.")
    return categories.index(wanted)


def _reports(data: Release[Any], held: Rows | None, names: list[str], naive: bool) -> tuple[Floats, Integers, Integers]:
    """Return the channel (R, T) of the named attributes, the report of every row, -1 where it lacks an answer, and how many people it is."""
    if not names:
        rows = len(held.codes) if held else 0
        return np.ones((1, 1)), np.zeros(rows, dtype=np.int64), np.ones(rows, dtype=np.int64)
    asked, reported = data.schema.select(names), data.reports.select(names)
    cells = math.prod(asked.sizes)
    if cells > MAX_MODEL_CELLS:
        raise InputError(
            f"The randomized attributes have {cells:,} combinations, but at most {MAX_MODEL_CELLS} are allowed. Use "
            "fewer randomized attributes."
        )
    channel = data.channel(names)
    for lost in channel.lost():
        if len(lost) <= 2:
            what = " and ".join(f"'{names[axis]}'" for axis in lost)
            how, less = (what, what) if len(lost) == 1 else (f"the association of {what}", "one of them")
            raise NotIdentifiableError(
                f"The randomized answers carry no information about {how}. Leave {less} out of the model.", (lost,)
            )
    matrix = np.maximum(channel.push(np.eye(cells).reshape(*channel.sizes, cells)).reshape(-1, cells), 0.0)
    if naive:
        if asked != reported:
            raise InputError(
                "The recorded answers have other categories than the questions, so they cannot be treated as true answers. "
                "Leave out naive=True."
            )
        matrix = np.eye(cells)
    if held is None:
        times = np.asarray(data.counts(names), dtype=np.int64).ravel()
        return matrix, np.arange(times.size), times
    codes, answered = held.answered(names)
    report = np.full(len(held.codes), -1, dtype=np.int64)
    report[answered] = np.ravel_multi_index(tuple(codes.T), reported.sizes)
    return matrix, report, np.ones(len(held.codes), dtype=np.int64)


def _read_outcome(
    name: str, kind: Kind, reference: Mapping[str, str], column: _Column | None, asked: Sequence[str]
) -> tuple[tuple[str, ...], Any]:
    """Return the categories of the outcome, the reference first, and its codes; for a linear regression no categories, and its numbers."""
    categories = column.values if column else asked
    if kind == "linear":
        scores = to_numbers(categories)
        if scores is None:
            raise InputError(f"The categories of '{name}' are not numbers. Use a logistic regression.")
        return (), scores[column.codes] if column else scores
    if not 2 <= len(categories) <= (MAX_MODEL_OUTCOMES if column else MAX_MODEL_CELLS):
        raise InputError(
            f"'{name}' has {counted(len(categories), 'category', 'categories')} among these answers. A logistic regression "
            f"needs 2 to {MAX_MODEL_OUTCOMES}."
        )
    first = _first(name, reference, categories)
    order = np.array([first, *(code for code in range(len(categories)) if code != first)])
    return tuple(categories[code] for code in order), np.argsort(order)[column.codes] if column else order


# The likelihood, with the true answers summed out

_BLOCK = 300_000  # numbers of one temporary table; larger ones leave the processor's cache


class _Derivatives(NamedTuple):
    """Derivatives of the log-likelihood at one point.

    They are its value, the score (P,), the observed information (P, P), and the information with the true answers known (P, P).
    """

    value: float
    score: Floats
    information: Floats
    complete: Floats


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """Log-likelihood of the free coefficients (Louis 1982).

    It gives the value, the score and the observed information.

    The true predictors form a cell t, and the true outcome is a category c. Their joint probability p(t, c | x) = p(t | x) p(c | t,
    x) is a product of two multinomial logits. The score is the mean over P(t, c | u, x) of the score for known t and c. The
    observed information is the mean of the information for known t and c, minus the variance of that score.

    Parameters
    ----------
    x : ndarray of shape (g, q), columns of distinct people. The first column consists of ones
    weights : ndarray of shape (g,), the number of people that each row represents
    chance : ndarray of shape (g, T, C), P(u | t, c)
    associations : ndarray of shape (T, A), features of p(t | x)
    features : ndarray of shape (T, F), features of p(c | t, x), for each category but the first
    free : ndarray of shape (A + (C - 1) F, q), which coefficients are estimated. The others are 0
    """

    x: Floats
    weights: Floats
    chance: Floats
    associations: Floats
    features: Floats
    free: Booleans

    @classmethod
    def of(cls, design: _Design, x: Floats) -> _Likelihood:
        """Return the likelihood of a design with columns standardized to ``x``."""
        shape = (len(x), len(design.features), len(design.answers))
        if math.prod(shape) > MAX_MODEL_ENTRIES:
            raise InputError(
                f"The model needs a table of {shape[0]:,} × {shape[1] * shape[2]} numbers, which is too large. Use fewer "
                "randomized attributes."
            )
        own = np.zeros((design.features.shape[1], x.shape[1]), dtype=np.bool_)
        own[tuple(np.transpose(design.places))] = True
        free = np.vstack([design.alone[:, None] | (np.arange(x.shape[1]) == 0), *[own] * (shape[2] - 1)])
        if free.sum() > MAX_MODEL_COEFFICIENTS:
            raise InputError(
                f"The model has {int(free.sum()):,} coefficients, but at most {MAX_MODEL_COEFFICIENTS} are "
                "allowed. Use fewer predictors."
            )
        chance = design.matrix[design.report].reshape(*shape[:2], -1)
        chance = chance[:, :, design.y] if design.randomized else chance * (design.y[:, None, None] == np.arange(shape[2]))
        return cls(x, design.row_weights, chance, design.associations, design.features, free)

    def _parts(self, theta: Floats) -> Iterator[tuple[slice, Floats, Floats, Floats, Floats]]:
        """By blocks of rows: their log-likelihoods (b,), scores by linear predictor (b, m), complete and observed information (b, m, m)."""
        coefficients = np.zeros(self.free.shape)
        coefficients[self.free] = theta
        (_, cells, categories), rows = self.chance.shape, len(self.free)
        split = self.associations.shape[1]
        step = max(64, _BLOCK // (cells * categories * rows))
        for start in range(0, len(self.x), step):
            people = slice(start, start + step)
            eta = self.x[people] @ coefficients.T
            n = len(eta)
            cell = scipy.special.log_softmax(eta[:, :split] @ self.associations.T, axis=1)
            linear = np.zeros((n, cells, categories))
            linear[:, :, 1:] = self.features @ eta[:, split:].reshape(n, categories - 1, -1).swapaxes(1, 2)
            answer = scipy.special.log_softmax(linear, axis=2)
            with np.errstate(divide="ignore"):
                joint = np.log(self.chance[people]) + cell[:, :, None] + answer
            value = scipy.special.logsumexp(joint, axis=(1, 2))
            posterior, shares, cell_shares = np.exp(joint - value[:, None, None]), np.exp(answer), np.exp(cell)
            scores = np.empty((n, cells, categories, rows))
            scores[..., :split] = (self.associations - (cell_shares @ self.associations)[:, None])[:, :, None]
            rest = np.eye(categories)[:, 1:] - shares[:, :, None, 1:]
            scores[..., split:] = (rest[..., None] * self.features[:, None, None]).reshape(n, cells, categories, rows - split)
            gradient = scores.reshape(n, -1, rows)
            complete = np.zeros((n, rows, rows))
            complete[:, :split, :split] = _squares(gradient[..., :split], cell_shares[:, :, None] * shares)
            complete[:, split:, split:] = _squares(gradient[..., split:], posterior.sum(axis=2, keepdims=True) * shares)
            mean = np.einsum("ns,nsr->nr", posterior.reshape(n, -1), gradient)
            observed = complete - _squares(gradient, posterior) + mean[:, :, None] * mean[:, None]
            yield people, value, mean, complete, observed

    def scores(self, theta: Floats) -> Floats:
        """Return the contribution of each row to the score, shape (g, P).

        The contributions are for weight 1.
        """
        rows, columns = np.nonzero(self.free)
        return np.concatenate([mean[:, rows] * self.x[people][:, columns] for people, _, mean, _, _ in self._parts(theta)])

    def derivatives(self, theta: Floats) -> _Derivatives:
        """Return the value, the score and both information matrices at ``theta``."""
        (rows, q), value, score = self.free.shape, 0.0, np.zeros(self.free.shape)
        informations = np.zeros((2, rows * rows, q * q))
        for people, own, mean, *parts in self._parts(theta):
            x, weights = self.x[people], self.weights[people]
            value += float(weights @ own)
            score += (mean * weights[:, None]).T @ x
            squares = (x[:, :, None] * x[:, None] * weights[:, None, None]).reshape(len(x), -1)
            for information, part in zip(informations, parts, strict=True):
                information += part.reshape(len(x), -1).T @ squares
        free = np.flatnonzero(self.free)
        complete, observed = (
            each.reshape(rows, rows, q, q).swapaxes(1, 2).reshape(rows * q, -1)[np.ix_(free, free)] for each in informations
        )
        return _Derivatives(value, score[self.free], observed, complete)


def _squares(gradient: Floats, weights: Floats) -> Floats:
    """Return the products of two columns of ``gradient`` (b, S, m), added up by ``weights`` of b S numbers: shape (b, m, m)."""
    return (gradient * weights.reshape(*gradient.shape[:2], 1)).swapaxes(1, 2) @ gradient


# The highest point

_STEPS = 300
_ENOUGH = 1e-9  # nats that the next step promises, below which it is not made
_LEAST = 1e-6  # share of the information in a direction below which its curvature says nothing
_LONGEST = 4.0  # most that a coefficient of a standardized column moves in one step
_FLAT = 1e-4  # information about a standardized coefficient whose standard error is above 100: there is no highest point


def _climb(likelihood: _Likelihood, theta: Floats) -> tuple[Floats, _Derivatives, int]:
    """Return the highest point, what is known there, and the number of steps: ``_STEPS`` if it was not reached.

    Steps are Newton's in the directions that diagonalize the observed information relative to the one with the truth known. A direction of
    negative curvature is gone upwards by as much. Steps are halved until the likelihood increases.
    """
    at = likelihood.derivatives(theta)
    for count in range(_STEPS):
        metric = at.complete + np.eye(len(theta)) * (1e-9 * max(float(np.diag(at.complete).max()), 1.0))
        shares, directions = scipy.linalg.eigh(at.information, metric)
        step = directions @ (directions.T @ at.score / np.maximum(np.abs(shares), _LEAST))
        step *= min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-300))
        promised = float(at.score @ step)
        if promised < _ENOUGH:
            return theta, at, count
        for length in 0.5 ** np.arange(27):
            there = likelihood.derivatives(theta + length * step)
            if there.value >= at.value + 1e-4 * length * promised:
                break
        else:  # the likelihood is flat to the last digit
            return theta, at, count if promised < 1e-4 else _STEPS
        theta, at = theta + length * step, there
    return theta, at, _STEPS


class _Solution(NamedTuple):
    """Coefficients (E, K), their covariance (E K, E K) and the log-likelihood.

    The object also records whether a combination of predictors is empty.
    """

    coefficients: Floats
    covariance: Floats
    value: float
    empty: bool


def _standardized(design: _Design) -> tuple[Floats, Floats]:
    """Return standardized columns, and the matrix (q, q) that takes their coefficients to those of the columns as given."""
    weights = design.row_weights
    mean = np.average(design.x, axis=0, weights=weights)
    mean[0] = 0.0
    deviation = np.sqrt(np.average((design.x - mean) ** 2, axis=0, weights=weights))
    x = (design.x - mean) / np.where(deviation > 0, deviation, 1.0)
    values, right = np.linalg.svd(np.linalg.qr(x, mode="r"))[1:]
    if values[-1] < 1e-7 * math.sqrt(len(x)):
        names = {column: label for (feature, column), label in zip(design.places, design.labels, strict=True) if feature == 0}
        involved = [f"'{names.get(i, 'a product')}'" for i in np.flatnonzero(np.abs(right[-1]) > 0.05).tolist() if i]
        raise InputError(f"These predictors are constant or collinear: {', '.join(involved)}. Leave one out.")
    back = np.diag(1 / deviation)
    back[0, 1:] = -mean[1:] / deviation[1:]
    return x, back


def _maximize(design: _Design) -> _Solution:
    """Return the logistic regression. Raises InputError if a coefficient of the outcome has no finite estimate."""
    x, back = _standardized(design)
    likelihood = _Likelihood.of(design, x)
    free, equations = likelihood.free, len(design.answers) - 1
    theta, at, steps = _climb(likelihood, np.zeros(int(free.sum())))
    starts = design.associations.shape[1] + design.features.shape[1] * np.arange(equations)
    places = [(start + feature, column) for start in starts for feature, column in design.places]
    number = (np.cumsum(free) - 1).reshape(free.shape)[tuple(np.transpose(places))]  # of the outcome's among the free ones
    values, vectors = np.linalg.eigh(at.information)
    curved = values > _FLAT
    worst = (vectors[:, ~curved] ** 2).sum(axis=1)[number]
    if worst.max() > 1e-3:
        label = np.tile(design.labels, equations)[worst.argmax()]
        raise InputError(
            f"The coefficient of '{label}' has no finite estimate, because it separates the outcome completely or there are "
            "too few answers. Leave the predictor out, group its categories, or collect more answers."
        )
    if steps == _STEPS:
        raise InputError(f"The maximum likelihood estimation did not converge in {_STEPS} steps. Use fewer predictors.")
    covariance = (vectors[:, curved] / values[curved]) @ vectors[:, curved].T
    if design.sample is not None:
        covariance = covariance @ design.spread(likelihood.scores(theta)) @ covariance
    matrix = np.kron(np.eye(len(free)), back)[np.ix_(free.ravel(), free.ravel())][number]
    return _Solution((matrix @ theta).reshape(equations, -1), matrix @ covariance @ matrix.T, at.value, not curved.all())


def _moments(design: _Design) -> _Solution:
    """Return the linear regression by unbiased normal equations, with sandwich errors.

    With d(t, x) the row of the design, functions of the report are found whose expectations, given t, are d d' and d y. Then the solution is
    right whatever the distribution of the errors and of the true predictors (corrected scores: Nakamura 1990; Carroll et al., Measurement
    Error in Nonlinear Models, chapter 7).
    """
    _standardized(design)
    feature, column = np.transpose(design.places)
    wide, scores = design.features.shape[1], design.y if design.randomized else np.ones(1)
    features = np.repeat(design.features, len(scores), axis=0)
    first = features * np.tile(scores, len(design.features))[:, None]
    products = (features[:, :, None] * features[:, None, :]).reshape(len(features), -1)
    wanted = np.hstack([first, products])
    found = np.linalg.lstsq(design.matrix.T, wanted, rcond=1e-9)[0]
    if np.abs(design.matrix.T @ found - wanted).max() > 1e-6 * max(1.0, np.abs(wanted).max()):
        raise NotIdentifiableError(
            "The randomized answers carry no information about this combination of predictors. Leave out at least one predictor.",
            (),
        )
    first, products = found[:, :wide][:, feature], found[:, wide:].reshape(-1, wide, wide)[:, feature][:, :, feature]
    rows, weights = design.x[:, column], design.row_weights
    right = rows * first[design.report] * (1.0 if design.randomized else design.y[:, None])
    left = np.zeros((len(feature), len(feature)))
    people = [np.flatnonzero(design.report == report) for report in range(len(products))]
    for mine, square in zip(people, products, strict=True):
        left += (rows[mine] * weights[mine, None]).T @ rows[mine] * square
    scale = np.sqrt(np.maximum(np.diag(left), 1e-300))
    if np.linalg.eigvalsh(left / np.outer(scale, scale)).min() < 1e-10:
        raise InputError(
            "The answers contain too little information about the randomized predictors. Collect more answers, "
            "or use fewer such predictors."
        )
    solved = np.linalg.solve(left, right.T @ weights)
    for mine, square in zip(people, products, strict=True):
        right[mine] -= rows[mine] * ((rows[mine] * solved) @ square)
    return _Solution(solved[None], design.spread(right @ np.linalg.inv(left)), math.nan, False)


# The result


@dataclass(frozen=True, eq=False, kw_only=True)
class Regression(Result):
    """A fitted regression with one row for each coefficient.

    A coefficient is a log odds ratio, or a change in units of the outcome.

    Parameters
    ----------
    labels : mapping of str to sequences of str
        The term of each row, after the outcome in a multinomial regression.
    estimate, std_error, conf_low, conf_high : ndarray
        One value per row.
    confidence : float
        Confidence of every interval.
    columns : mapping of str to sequences
        The column "p_value".
    share : bool
        False, because coefficients are not shares.
    note : str
        A note on the rows.
    formula : str
        The formula passed to ``fit``.
    kind : {"logistic", "linear"}
        The kind of regression.
    outcome : str
        The name of the outcome.
    answers : tuple of str
        One for each equation: the categories of the outcome except the reference. In a linear regression, the outcome itself.
    reference : str
        The reference category of the outcome. Empty in a linear regression.
    covariance : ndarray of shape (rows, rows)
        Covariance of the coefficients.
    nobs : int
        Number of answers used.
    llf : float
        Log-likelihood. NaN for a linear regression, which uses the method of moments.
    freedom : float
        Degrees of freedom of the standard errors: clusters minus strata. Infinite for a simple random sample.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.answers import nigeria
    >>> found = rr.fit("connected to an armed group ~ education", nigeria())
    >>> found.nobs, found.bse.round(2).to_dict()
    (2434, {'Intercept': 0.2, 'education': 0.04})
    """

    share: bool = False
    formula: str
    kind: Kind
    outcome: str
    answers: tuple[str, ...]
    reference: str
    covariance: Floats
    nobs: int
    llf: float
    freedom: float

    def __str__(self) -> str:
        return self.summary()

    @property
    def title(self) -> str:
        """The kind of regression and its outcome."""
        kind = "multinomial" if "outcome" in self.labels else self.kind
        compared = f", compared with '{self.reference}'" if self.reference else ""
        return f"{kind.capitalize()} regression of {self.outcome}{compared}, {counted(self.nobs, 'answer', 'answers')}"

    def _labeled(self, **columns: Any) -> Any:
        """Return a pandas DataFrame of the columns, indexed by term or by outcome and term."""
        pandas = need("pandas", "params, bse, pvalues and conf_int")
        index = pandas.MultiIndex.from_arrays([*self.labels.values()], names=[*self.labels])
        return pandas.DataFrame(columns, index if len(self.labels) > 1 else index.get_level_values(0))

    @property
    def params(self) -> Any:
        """Coefficients as a pandas Series."""
        return self._labeled(params=self.estimate)["params"]

    @property
    def bse(self) -> Any:
        """Standard errors of the coefficients as a pandas Series."""
        return self._labeled(bse=self.std_error)["bse"]

    @property
    def pvalues(self) -> Any:
        """Two-sided p-values of the Wald test that a coefficient is 0.

        They form a pandas Series.
        """
        return self._labeled(pvalues=self.columns["p_value"])["pvalues"]

    def conf_int(self, alpha: float = 0.05) -> Any:
        """Return confidence intervals of the coefficients.

        They use the normal distribution, or Student's t for a sample with weights or clusters.

        Parameters
        ----------
        alpha : float
            The confidence is 1 - ``alpha``.

        Returns
        -------
        DataFrame
            The columns conf_low and conf_high, indexed by term.

        Examples
        --------
        >>> import rrcore as rr
        >>> from rrcore.answers import nigeria
        >>> found = rr.fit("connected to an armed group ~ education > 3", nigeria())
        >>> found.conf_int().loc["education > 3"].round(2).to_dict()
        {'conf_low': 0.4, 'conf_high': 1.38}
        """
        half = margin(self.std_error, 1 - alpha, self.freedom)
        return self._labeled(conf_low=self.estimate - half, conf_high=self.estimate + half)

    def odds_ratio(self, row: int) -> tuple[float, float, float]:
        """Return the odds ratio of a coefficient with its interval.

        The regression must be logistic.

        Parameters
        ----------
        row : int
            Position of the coefficient, from 0.

        Returns
        -------
        tuple of float
            The odds ratio and the two ends of its interval.

        Raises
        ------
        InputError
            If there is no such row.
        """
        check_number("row", row, 0, len(self.estimate) - 1, whole=True)
        ends = (self.estimate[row], self.conf_low[row], self.conf_high[row])
        value, low, high = np.exp(np.clip(ends, -700, 700)).tolist()
        return value, low, high

    def table(self) -> list[dict[str, str]]:
        """Return the rows as shown on pages and in reports.

        Returns
        -------
        list of dict
            One dictionary per row, from heading to text.
        """
        found = []
        for i, names in enumerate(zip(*self.labels.values(), strict=True)):
            estimate, interval = self.texts(i)
            labels = {name.capitalize(): text for name, text in zip(self.labels, names, strict=True)}
            numbers = {
                "Estimate": estimate,
                "Standard error": f"{self.std_error[i]:.2g}",
                f"{100 * self.confidence:g}% CI": interval,
            }
            found.append(labels | numbers | {"p-value": p_text(self.columns["p_value"][i])})
        return found

    def summary(self) -> str:
        """Return the regression as a table of text.

        Returns
        -------
        str
            A title, a heading, one line for each coefficient, and notes.
        """
        rows = self.table()
        cells = [list(rows[0]), *(list(row.values()) for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        # Numbers are aligned to the right.
        sides = "<" * len(self.labels) + ">" * 4
        lines = [
            "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)) for row in cells
        ]
        return "\n".join([self.title, *map(str.rstrip, lines), *filter(None, [self.note])])

    def _repr_html_(self) -> str:
        rows = self.table()
        return html_table(list(rows[0]), [list(row.values()) for row in rows], numbers=4, title=self.title, note=self.note)


def fit(
    formula: str,
    data: Release[Any] | Released,
    *,
    kind: Kind = "logistic",
    reference: Mapping[str, str] | None = None,
    covariates: Mapping[str, Any] | None = None,
    naive: bool = False,
    confidence: float = 0.95,
) -> Regression:
    """Regress an outcome on predictors, some of which were randomized.

    Parameters
    ----------
    formula : str
        A formula such as ``"smokes ~ age + sex*region"``. See ``read_formula``.
    data : Answers or Release
        Randomized answers with their mechanism.
    kind : {"logistic", "linear"}
        The kind of regression. A logistic regression with more than two categories is multinomial. A linear regression needs a
        numeric outcome: a column, or a randomized attribute whose categories are numbers.
    reference : mapping of str to str
        Reference category of each column, by name. The first category by default.
    covariates : mapping or data frame
        Columns that were not randomized, with one value per answer. Collected answers contain their own.
    naive : bool
        If True, treat the randomized answers as true, which shows the effect of the noise. The result is biased.
    confidence : float
        Confidence of the intervals.

    Returns
    -------
    Regression
        The coefficients with standard errors that include the randomization.

    Raises
    ------
    NotIdentifiableError
        If the answers carry no information about an attribute of the model, or about the association of two attributes.
    InputError
        If the model does not fit the answers, or a coefficient has no finite estimate.

    Examples
    --------
    >>> import rrcore as rr
    >>> from rrcore.answers import nigeria
    >>> found = rr.fit("connected to an armed group ~ education", nigeria())
    >>> found.params.round(2).to_dict()
    {'Intercept': -1.19, 'education': 0.03}
    """
    if not isinstance(formula, str):
        raise wrong_kind("formula (first argument)", formula, "a string such as 'smokes ~ age + sex', and the answers after it")
    if not isinstance(data, Release) and not hasattr(data, "release"):
        raise wrong_kind("data (second argument)", data, "the result of rr.read_answers or rr.simulate")
    if reference is not None and not isinstance(reference, Mapping):
        raise InputError(f"reference is {str(reference)[:40]!r}. Pass columns with their categories, as in {{'region': 'west'}}.")
    if kind not in get_args(Kind):
        raise InputError(f"There is no regression '{kind}'. Choose one of {', '.join(get_args(Kind))}.")
    data = data if isinstance(data, Release) else data.release
    design = _design(formula, data, kind, reference or {}, covariates, naive)
    solved = _moments(design) if kind == "linear" else _maximize(design)
    out = int(data.n - design.times.sum())
    notes = [f"{counted(out, 'answer', 'answers')} left out: a value is missing, or the weight is 0."] * (out > 0)
    notes += ["A combination of the randomized predictors is estimated to be empty: errors take that as known."] * solved.empty
    answers = design.answers[1:] or (design.outcome,)
    labels = {"outcome": [answer for answer in answers for _ in design.labels]} if len(answers) > 1 else {}
    estimate, errors = solved.coefficients.ravel(), np.sqrt(np.maximum(np.diag(solved.covariance), 0.0))
    freedom = math.inf if design.sample is None else design.sample.freedom
    half = margin(errors, confidence, freedom)
    return Regression(
        labels=labels | {"term": [*design.labels] * len(answers)},
        columns={"p_value": two_sided_chance(estimate / errors, freedom).tolist()},
        estimate=estimate,
        std_error=errors,
        conf_low=estimate - half,
        conf_high=estimate + half,
        confidence=confidence,
        note=" ".join(notes),
        formula=formula,
        kind=kind,
        outcome=design.outcome,
        answers=answers,
        reference=design.answers[0] if design.answers else "",
        covariance=solved.covariance,
        nobs=int(design.times.sum()),
        llf=solved.value,
        freedom=freedom,
    )
