"""Tables of invented people whose attributes depend on each other as strongly as asked.

After the synthetic data of the Castell paper (appendix D): shares like Zipf's law, and a chosen Cramer's V between two
attributes. The paper does not say how it reaches its V; here a mixture of independence and full correspondence does, of which
Cramer's V is linear in the share of correspondence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np

from rrcore.arrays import Codes, Floats, Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_CATEGORIES, MAX_ROWS, MAX_SYNTHETIC_ATTRIBUTES, MAX_ZIPF
from rrcore.table.dataset import Dataset
from rrcore.table.schema import Attribute, Schema

TOLERANCE = 0.005
"""Largest distance of the Cramer's V of a made table from the one asked for."""

INVENTED = "Invented answers"
"""What such answers are called, so that whatever is made of them can say so."""

TOGETHER = 0.4
"""Share of answers that follow what people have in common; the others are drawn on their own."""

_HALVINGS = 25
_MOST_SWAPS = 500
_SWAPPED = 20

Counts = Integers


@dataclass(frozen=True)
class Invention:
    """What an invented table is made from, as ``make_table`` takes it; the same seed makes the same table."""

    people: int = 10_000
    attributes: int = 3
    categories: int = 5
    cramers_v: float = 0.5
    zipf: float = 1.0
    seed: int = 0

    def table(self) -> Dataset:
        """The table. Raises InputError where there is none."""
        given = asdict(self)
        return make_table(rng=np.random.default_rng(given.pop("seed")), **given)


def make_table(
    *,
    people: int,
    categories: int | Sequence[int],
    cramers_v: float,
    attributes: int = 2,
    zipf: float = 1.0,
    rng: np.random.Generator,
) -> Dataset:
    """Invent a table in which every attribute depends on the one before it, and only through it on the earlier ones.

    The people of one attribute fall into its categories in proportion to 1 / a^zipf for a = 2, ..., d + 1, rounded to whole
    people, at least one per category. Two neighbours are joined by a table of whole people with just these margins: part of the
    people have corresponding categories in both, the others are spread as if the two were independent. The size of that part
    is searched until Cramer's V of the table is within ``TOLERANCE`` of ``cramers_v``; where people are few, pairs of them also
    exchange their answers one by one. Who in a category gets which answer is drawn by ``rng``, and nothing else is random.

    Parameters
    ----------
    people : int, number of categories to MAX_ROWS
    categories : int, 2 to MAX_CATEGORIES, or one such number per attribute
    cramers_v : float, 0 to 1, strength of the dependence between neighbours: 0 none, 1 each determines the other
    attributes : int, 2 to MAX_SYNTHETIC_ATTRIBUTES, default 2; they are called A, B, C and so on, their categories a1, a2 and so on
    zipf : float, 0 to MAX_ZIPF, default 1, unevenness of the shares: 0 makes all categories equally frequent
    rng : numpy.random.Generator

    Returns
    -------
    Dataset
        All attributes ordinal, the most frequent category first.

    Raises
    ------
    InputError
        If a number is out of range, or no table of so few people or so unequal numbers of categories was found with that
        Cramer's V; the nearest one found is named.
    """
    sizes = _check(people, categories, cramers_v, attributes, zipf)
    margins = [_margin(people, size, zipf) for size in sizes]
    joints: dict[tuple[int, int], Counts] = {}
    for i, pair in enumerate(pairwise(sizes)):
        if pair not in joints:
            joints[pair] = _join(margins[i], margins[i + 1], cramers_v)
    codes = np.empty((people, len(sizes)), dtype=np.int32, order="F")
    codes[:, 0] = rng.permutation(np.repeat(np.arange(sizes[0]), margins[0]))
    for i, pair in enumerate(pairwise(sizes), 1):
        codes[:, i] = _hand_out(codes[:, i - 1], joints[pair], rng)
    return Dataset(_schema(sizes), codes, f"Invented table (V = {cramers_v:.2f})")


def invented_answers(schema: Schema, people: int, *, rng: np.random.Generator) -> Dataset:
    """Invented people who answer every question of ``schema``, so that a plan can be tried: nothing is to be learned from them.

    The answers of an attribute are as common as 1 / 2, 1 / 3, 1 / 4 and so on, in an order that is drawn. Every person has one hidden
    number; ``TOGETHER`` of the answers are read off it, in the order of the categories, so that all attributes go together.

    Parameters
    ----------
    schema : what is asked
    people : int, 1 to MAX_ROWS
    rng : numpy.random.Generator

    Examples
    --------
    >>> import numpy as np, rrcore as rr
    >>> table = invented_answers(rr.load_demo("titanic").schema, 500, rng=np.random.default_rng(0))
    >>> table.n, table.schema.names, table.title
    (500, ('Class', 'Sex', 'Age', 'Survived'), 'Invented answers')
    """
    if not 1 <= people <= MAX_ROWS:
        raise InputError(f"{people:,} people are asked for: give a number from 1 to {MAX_ROWS:,}.")
    hidden = rng.random(people)
    codes = np.empty((people, len(schema.attributes)), dtype=np.int32, order="F")
    for i, attribute in enumerate(schema.attributes):
        shares = rng.permutation(1 / np.arange(2, attribute.size + 2))
        steps = np.cumsum(shares / shares.sum())[:-1]
        own = np.where(rng.random(people) < TOGETHER, hidden, rng.random(people))
        codes[:, i] = np.searchsorted(steps, own, side="right")
    return Dataset(schema, codes, INVENTED)


def _check(people: int, categories: int | Sequence[int], cramers_v: float, attributes: int, zipf: float) -> tuple[int, ...]:
    """The numbers of categories, once everything asked for is in range."""
    if not 2 <= attributes <= MAX_SYNTHETIC_ATTRIBUTES:
        raise InputError(f"{attributes} attributes are asked for: give a number from 2 to {MAX_SYNTHETIC_ATTRIBUTES}.")
    sizes = (categories,) * attributes if isinstance(categories, int | np.integer) else tuple(categories)
    if len(sizes) != attributes:
        raise InputError(
            f"There are {len(sizes)} numbers of categories for {attributes} attributes: give one for each, or one for all."
        )
    for size in sizes:
        if not 2 <= size <= MAX_CATEGORIES:
            raise InputError(f"An attribute of {size:,} categories is asked for: give a number from 2 to {MAX_CATEGORIES:,}.")
    if people < max(sizes):
        raise InputError(
            f"{people:,} people cannot fill {max(sizes):,} categories: ask for at least {max(sizes):,} people or fewer categories."
        )
    if people > MAX_ROWS:
        raise InputError(f"{people:,} people are asked for: the limit is {MAX_ROWS:,}.")
    if not 0 <= cramers_v <= 1:
        raise InputError(f"A Cramér's V of {cramers_v:g} is asked for: give a number from 0 to 1.")
    if not 0 <= zipf <= MAX_ZIPF:
        raise InputError(f"A Zipf exponent of {zipf:g} is asked for: give a number from 0 to {MAX_ZIPF:g}.")
    return tuple(int(size) for size in sizes)


def _schema(sizes: Sequence[int]) -> Schema:
    names = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(sizes)]
    return Schema(
        tuple(
            Attribute(name, tuple(f"{name.lower()}{code}" for code in range(1, size + 1)), "ordinal")
            for name, size in zip(names, sizes, strict=True)
        )
    )


def _margin(people: int, size: int, zipf: float) -> Counts:
    """Zipf-like shares as whole people by largest remainders; an empty category then takes one from the largest."""
    shares = (2.0 / np.arange(2, size + 2)) ** zipf
    quotas = people * shares / shares.sum()
    counts = np.floor(quotas).astype(np.int64)
    counts[np.argsort(counts - quotas, kind="stable")[: people - int(counts.sum())]] += 1
    while not counts.all():
        counts[counts.argmax()] -= 1
        counts[counts.argmin()] += 1
    return counts


def _join(rows: Counts, columns: Counts, target: float) -> Counts:
    """A table with these margins and the Cramer's V ``target``."""
    along, spread = _corresponding(rows, columns), _spread(rows, columns)
    nearest = min(along, spread, key=lambda table: _miss(table, target))
    low, high = 0.0, 1.0
    share = min(1.0, target / _cramers_v(along))
    for _ in range(_HALVINGS):
        kept = np.floor(share * along).astype(np.int64)
        table = kept + _spread(rows - kept.sum(axis=1), columns - kept.sum(axis=0))
        if _miss(table, target) <= TOLERANCE:
            return table
        nearest = min(nearest, table, key=lambda table: _miss(table, target))
        low, high = (share, high) if _cramers_v(table) < target else (low, share)
        share = (low + high) / 2
    found = math.inf
    for start in (nearest, along, spread):
        table = _swap(start, target)
        if _miss(table, target) <= TOLERANCE:
            return table
        found = min(found, _cramers_v(table), key=lambda reached: abs(reached - target))
    other = "more people or fewer categories" if len(rows) == len(columns) else "equally many categories or more people"
    raise InputError(
        f"With {int(rows.sum()):,} people in {len(rows):,} × {len(columns):,} categories no Cramér's V of {target:.3g} was "
        f"reached, the nearest found is {found:.3f}: ask for that, or for {other}."
    )


def _corresponding(rows: Counts, columns: Counts) -> Counts:
    """The table of people lined up by both attributes at once: the diagonal where the margins are equal."""
    right, lower = np.cumsum(rows)[:, None], np.cumsum(columns)[None, :]
    left, upper = right - rows[:, None], lower - columns[None, :]
    overlap = np.minimum(right, lower) - np.maximum(left, upper)
    return np.maximum(overlap, 0)


def _spread(rows: Counts, columns: Counts) -> Counts:
    """The product of the margins as whole people: row by row, in proportion to what the columns still lack."""
    table = np.empty((len(rows), len(columns)), dtype=np.int64)
    lacking = columns.copy()
    for i, row in enumerate(rows):
        table[i], rest = np.divmod(row * lacking, max(1, int(lacking.sum())))
        table[i, np.argsort(-rest, kind="stable")[: row - int(table[i].sum())]] += 1
        lacking -= table[i]
    return table


def _cramers_v(table: Counts) -> float:
    """Cramer's V of a table whose margins are positive."""
    return math.sqrt(_mean_square(table) / (min(table.shape) - 1))


def _miss(table: Counts, target: float) -> float:
    """Distance of Cramer's V from ``target``, without the noise of doubles."""
    return round(abs(_cramers_v(table) - target), 9)


def _mean_square(table: Counts) -> float:
    """Chi-square divided by the number of people, 0 to min(table.shape) - 1."""
    return max(0.0, float((table**2 * _weights(table)).sum()) - 1.0)


def _weights(table: Counts) -> Floats:
    return 1.0 / np.outer(table.sum(axis=1), table.sum(axis=0))


def _swap(table: Counts, target: float) -> Counts:
    """Let two people exchange their second answers, time and again, whichever two bring Cramer's V nearest to ``target``.

    In large tables only people in ``_SWAPPED`` rows and columns take part, evenly spread over all.
    """
    table, weights = table.copy(), _weights(table)
    rows, columns = (np.unique(np.linspace(0, d - 1, min(d, _SWAPPED)).astype(np.int64)) for d in table.shape)
    part = np.ix_(rows, columns)
    first, second = np.triu_indices(len(rows), 1)
    same = np.eye(len(columns), dtype=bool)
    for _ in range(_MOST_SWAPS):
        less = np.where(table[part] > 0, weights[part] * (1 - 2 * table[part]), np.inf)
        more = weights[part] * (1 + 2 * table[part])
        change = (less[first] + more[second])[:, :, None] + (less[second] + more[first])[:, None, :]
        change[:, same] = np.inf
        misses = np.abs(np.sqrt(np.maximum(0, _mean_square(table) + change) / (min(table.shape) - 1)) - target)
        pair, j, k = np.unravel_index(misses.argmin(), misses.shape)
        if _miss(table, target) <= max(TOLERANCE, float(misses[pair, j, k]) + 1e-9):
            return table
        table[rows[[first[pair], second[pair]]], columns[[j, k]]] -= 1
        table[rows[[first[pair], second[pair]]], columns[[k, j]]] += 1
    return table


def _hand_out(given: Codes, joint: Counts, rng: np.random.Generator) -> Integers:
    """The next attribute's codes: the people of each given category take the answers of their row of ``joint`` in random order."""
    shuffled = rng.permutation(len(given))
    grouped = shuffled[np.argsort(given[shuffled].astype(np.int16), kind="stable")]
    answers = np.tile(np.arange(joint.shape[1]), joint.shape[0])
    codes = np.empty(len(given), dtype=np.int64)
    codes[grouped] = np.repeat(answers, joint.ravel())
    return codes
