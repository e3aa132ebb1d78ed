"""A single joint table of all attributes.

It is the maximum-entropy table that matches the shrinkage estimates of all pairs and of notable triples.

The table is a list of weighted records (theory.md section 25). If there are few combinations of answers, the list contains all of
them. Otherwise, records are spread evenly and deterministically: each attribute is assigned given the attributes that are most
informative about it. The weights are raked (Deming and Stephan 1940) by blocks of attributes, so that one pass over the records
handles all pairs within a block.

Synthetic records come from a single systematic draw (Madow 1949). The number of people per record is its expected number, rounded.
If most expected numbers are below one, every marginal varies by chance. A few exchanges of records remove most of this variation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import scipy

from rrcore.arrays import Codes, Floats, Integers, cell_numbers, check_cells, code_type
from rrcore.errors import InputError
from rrcore.estimate.estimators import LEAST_DIVISOR, Axes, independent_shares, rake
from rrcore.estimate.shrinkage import Shrinkage, listed_sets
from rrcore.limits import MAX_CELLS, MAX_TABLE_ATTRIBUTES
from rrcore.progress import Report, quiet
from rrcore.table import Dataset, Schema
from rrcore.wording import counted, percent
from rrcore.wording.short import Short

_ROUNDS = 100
_LOOKED = 16  # one of this number of people is looked at in a round
_TAKEN = 50  # of those one of this number is exchanged at most
_CELLS = 1 << 18  # most cells of pairs looked at in a round


def systematic_rows(weights: Floats, n: int, *, rng: np.random.Generator) -> Integers:
    """Return ``n`` positions in random order by systematic sampling.

    The frequency of each position is its expected number under ``weights``, rounded up or down at random.

    Examples
    --------
    >>> import numpy as np
    >>> np.bincount(systematic_rows(np.array([0.5, 0.3, 0.2]), 10, rng=np.random.default_rng(0))).tolist()
    [5, 3, 2]
    """
    return _rows(np.cumsum(weights), (rng.random() + rng.permutation(n)) / n)


def even_rows(records: Codes, weights: Floats, sizes: Sequence[int], n: int, *, rng: np.random.Generator) -> Integers:
    """Return ``n`` positions whose pairs of attributes match the weighted records.

    The pairs are close to those of all ``records`` with their ``weights``.

    The method is a systematic draw. If there are more records than people, some drawn records are exchanged for independently drawn
    ones. The exchanges that most reduce the sum over pairs of squared differences are made, each difference being divided by the
    root of its expected number.

    Parameters
    ----------
    records : ndarray of shape (m, k), codes 0..sizes[i]-1
    weights : ndarray of shape (m,), non-negative
    sizes : numbers of categories of the k attributes
    n : number of positions
    """
    rows, pairs = systematic_rows(weights, n, rng=rng), list(combinations(range(len(sizes)), 2))
    if len(weights) <= n or not pairs:
        return rows
    left, right = np.array(pairs).T
    width = np.array(sizes, dtype=np.int64)
    starts = np.cumsum(np.r_[0, width[left] * width[right]])

    def cells(chosen: Integers) -> Integers:
        """Return positions of pairs of records among all cells of all pairs.

        The result has shape (chosen, pairs).
        """
        codes = records[chosen].astype(np.int64)
        return np.asarray(codes[:, left] * width[right] + codes[:, right] + starts[:-1])

    wanted, found = (
        np.concatenate([_pair(codes, i, j, width, shares) for i, j in pairs])
        for codes, shares in ((records, weights * (n / weights.sum())), (records[rows], None))
    )
    scale, looked = np.maximum(wanted, 1.0) ** -0.5, min(max(n // _LOOKED, 1), max(_CELLS // len(pairs), 1))
    ends = np.cumsum(weights)
    for _ in range(_ROUNDS):
        places, others = rng.choice(n, looked, replace=False), _rows(ends, rng.random(looked))
        old, new = cells(rows[places]), cells(others)
        excess = (found - wanted) * scale
        gain = np.where(old == new, 0.0, excess[new] - excess[old] + (scale[new] + scale[old]) / 2).sum(axis=1)
        best = np.argsort(gain, kind="stable")[: max(1, looked // _TAKEN)]
        best = best[gain[best] < 0]
        rows[places[best]] = others[best]
        found += np.bincount(new[best].ravel(), minlength=found.size) - np.bincount(old[best].ravel(), minlength=found.size)
    return rows


def _pair(codes: Codes, i: int, j: int, width: Integers, weights: Floats | None) -> Floats:
    """Counts of two attributes, or sums of ``weights``, row by row."""
    numbers = codes[:, i].astype(np.int64) * width[j] + codes[:, j]
    return np.bincount(numbers, weights, int(width[i] * width[j])).astype(np.float64)


def _rows(ends: Floats, places: Floats) -> Integers:
    """The records at ``places``, 0 to 1, of the way along all of their weights, whose sums up to each are ``ends``."""
    return np.minimum(np.searchsorted(ends, places * ends[-1], side="right"), len(ends) - 1)


_LAID = 18  # log2 of the number of records where they are not all combinations
_KNOWN = 1 << 16  # combinations of an attribute and of those that it is laid out by
_BLOCK = 1 << 14  # combinations of a block of attributes
_SWEEPS, _CLOSE = 60, 1e-4  # raking: sweeps at most, and the difference at which it stops
_SHORTER, _SHORTEST = 0.8, 0.1  # steps become shorter where a sweep takes off less than a tenth of the difference, and end there
_ALARM, _APART = 1e-3, 0.01  # triples stand out: how likely any does by noise alone, and half L1 from the centre


@dataclass(frozen=True, eq=False)
class TableModel(Short):
    """A joint distribution of all k attributes, as m weighted records.

    Parameters
    ----------
    schema : Schema of the attributes
    records : ndarray of shape (m, k), codes 0..a_i-1
    weights : ndarray of shape (m,), the share of people with each record, non-negative, summing to 1
    whole : whether the records are all combinations. Otherwise, m records are spread over the combinations, and marginals with many
        cells are correspondingly coarse
    triples : positions of the three attributes of every triple that is matched in addition to all pairs
    difference : largest half L1 distance, 0..1, between a matched marginal and its shrinkage estimate. It exceeds .0001 if these
        estimates are incompatible

    Examples
    --------
    >>> import numpy as np
    >>> import rrcore as rr
    >>> table = rr.load_demo("titanic")
    >>> release = rr.simulate(table, rr.Plan(table, 2.0).build(), rng=np.random.default_rng(0))
    >>> model = release.model()
    >>> read = release.estimate(["Sex", "Survived"]).closest().shares
    >>> bool(abs(model.marginal(["Sex", "Survived"]) - read).sum() / 2 <= model.difference)
    True
    >>> model.sample(1000, rng=np.random.default_rng(1)).shares(["Survived"]).round(2).tolist()
    [0.67, 0.33]
    """

    schema: Schema
    records: Codes
    weights: Floats
    whole: bool
    triples: tuple[Axes, ...]
    difference: float

    def _summary(self) -> str:
        return f"{self.schema._summary()}; {counted(len(self.weights), 'record', 'records')} with weights"

    def marginal(self, names: Sequence[str]) -> Floats:
        """Return shares of the named attributes, with one axis for each, in order.

        Raises InputError above ``MAX_CELLS`` cells.
        """
        axes = self.schema.axes(names)
        sizes = [self.schema.sizes[i] for i in axes]
        check_cells(sizes)
        return _shares(cell_numbers(self.records[:, axes], sizes), self.weights, sizes)

    def sample(self, n: int, *, rng: np.random.Generator) -> Dataset:
        """Draw ``n`` synthetic records, 1 to ``MAX_ROWS``.

        The frequency of each record of the model is its expected number, rounded up or down at random. If the pairs then vary by
        chance, some records are exchanged to reduce the difference from the model (``rrcore/estimate/table_model.py``).
        """
        weights, sizes = self.weights, self.schema.sizes
        rows = even_rows(self.records, weights, sizes, n, rng=rng)
        return Dataset(self.schema, self.records[rows], "Synthetic table")

    def to_arrow(self) -> Any:
        """Return the records with a positive share as a pyarrow Table.

        The columns are the attributes and "share", which programs that support weights can use.

        If the records are not all combinations, several of them can be equal.
        """
        live = self.weights > 0
        name = "share (of people)" if "share" in self.schema.names else "share"
        return Dataset(self.schema, self.records[live]).to_arrow().append_column(name, [self.weights[live]])

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    @property
    def sentence(self) -> str:
        """A sentence on the distance from the estimates of pairs and notable triples."""
        few = "any two attributes, or of three that stand out," if self.triples else "any two attributes"
        off = percent(max(self.difference, _CLOSE))
        return (
            f"What the model of all pairs says of {few} differs from what was read of them alone by at most {off} of the people."
        )


def table_model(reader: Shrinkage, *, most: int = MAX_CELLS, report: Report = quiet) -> TableModel:
    """Return the maximum-entropy table with all pairs as estimated by ``reader``.

    Equal releases yield equal tables.

    Parameters
    ----------
    reader : Shrinkage of a release of 1 to ``MAX_TABLE_ATTRIBUTES`` attributes
    most : largest number of combinations for which all are used as records. A single attribute always uses all of its categories
    report : called with the fraction done

    Raises
    ------
    InputError
        If there are too many attributes, or a pair has more than ``MAX_CELLS`` cells.
    """
    schema = reader.release.schema
    sizes, k = schema.sizes, len(schema.sizes)
    if k > MAX_TABLE_ATTRIBUTES:
        raise InputError(
            f"There are {k} attributes, but a joint table can have at most {MAX_TABLE_ATTRIBUTES}. Choose fewer attributes."
        )
    report(0, "estimating all pairs")
    singles = [reader.shares((i,)) for i in range(k)]
    margins = {axes: reader.shares(axes) for axes in combinations(range(k), min(2, k))}
    listed = listed_sets(reader.release.reports.sizes, 3)
    triples = tuple(axes for axes in listed if reader.stands_out(axes, _ALARM / len(listed), _APART))
    whole = k < 2 or schema.cells <= most
    if whole:
        records = np.stack(np.unravel_index(np.arange(schema.cells), sizes), axis=1).astype(code_type(max(sizes)))
        weights = independent_shares(singles, [(i,) for i in range(k)]).ravel()
    else:
        report(0, "laying out records")
        records = _laid_out(singles, margins)
        weights = np.full(len(records), 1 / len(records))
    margins |= {axes: reader.shares(axes) for axes in triples}
    weights, difference = _raked(records, weights, sizes, margins, report)
    return TableModel(schema, records, weights, whole, triples, difference)


def _shares(numbers: Integers, weights: Floats, sizes: Sequence[int]) -> Floats:
    return np.asarray(np.bincount(numbers, weights, math.prod(sizes)).reshape(tuple(sizes)))


def _laid_out(singles: Sequence[Floats], margins: Mapping[Axes, Floats]) -> Codes:
    """Records by the points of Sobol (1967): an attribute has the share of its point's coordinate to its left, given those before it."""
    from scipy.stats import qmc  # heavy

    k = len(singles)
    both: dict[Axes, Floats] = dict(margins) | {axes[::-1]: table.T for axes, table in margins.items()}
    information = np.zeros((k, k))  # mutual information
    for axes, table in both.items():
        information[axes] = scipy.special.rel_entr(table, np.multiply.outer(table.sum(axis=1), table.sum(axis=0))).sum()
    order = [int(information.sum(axis=0).argmax())]
    while len(order) < k:
        order.append(max(set(range(k)) - set(order), key=lambda i: (information[i, order].sum(), -i)))
    points = qmc.Sobol(k, scramble=False).random_base2(_LAID) + 0.5 ** (_LAID + 1)
    records = np.zeros((len(points), k), dtype=code_type(max(single.size for single in singles)))
    for place, i in enumerate(order):
        given: Axes = (i,)
        for j in sorted(order[:place], key=lambda j: -information[i, j]):
            given = (j, *given) if math.prod(singles[a].size for a in (j, *given)) <= _KNOWN else given
        pairs: dict[Axes, Floats] = {(a, b): both[given[a], given[b]] for a, b in combinations(range(len(given)), 2)}
        table = rake(independent_shares([singles[a] for a in given], [(a,) for a in range(len(given))]), pairs)
        table = table.reshape(-1, singles[i].size)
        rows = np.where(table.sum(axis=1, keepdims=True) > LEAST_DIVISOR, table, singles[i])
        ends = (rows / rows.sum(axis=1, keepdims=True)).cumsum(axis=1)
        row = cell_numbers(records[:, given[:-1]], [singles[a].size for a in given[:-1]])
        found = np.searchsorted((ends + np.arange(len(ends))[:, None]).ravel(), row + points[:, place], side="right")
        records[:, i] = np.clip(found - row * singles[i].size, 0, singles[i].size - 1)
    return np.asarray(records[np.lexsort(records.T[order[::-1]])])  # alike ones side by side, for an even sample


def _blocks(sizes: Sequence[int], kept: Iterable[Axes]) -> dict[Axes, list[Axes]]:
    """Blocks of attributes, each with those of the marginals ``kept`` that it has and no block before it."""
    groups: list[Axes] = []
    for i in range(len(sizes)):
        wider = (*groups[-1], i) if groups else (i,)
        if groups and math.prod(sizes[a] for a in wider) ** 2 <= _BLOCK:
            groups[-1] = wider
        else:
            groups.append((i,))
    blocks = [(*one, *other) for one, other in combinations(groups, 2)] or groups
    found: dict[Axes, list[Axes]] = {}
    for axes in kept:
        found.setdefault(next((block for block in blocks if set(axes) <= set(block)), axes), []).append(axes)
    return found


def _raked(
    records: Codes, weights: Floats, sizes: Sequence[int], margins: Mapping[Axes, Floats], report: Report
) -> tuple[Floats, float]:
    """The ``weights`` multiplied until the records have the ``margins``, and the largest half L1 between these and what they have.

    Where the margins cannot all be had, ever shorter steps end between them.
    """
    blocks = []
    for axes, kept in _blocks(sizes, margins).items():
        own = [sizes[i] for i in axes]
        numbers = cell_numbers(records[:, axes], own).astype(np.min_scalar_type(math.prod(own)))
        others = {each: tuple(place for place, i in enumerate(axes) if i not in each) for each in kept}
        blocks.append((numbers, own, [(away, np.expand_dims(margins[each], away)) for each, away in others.items()]))
    step, before = 1.0, math.inf
    for sweep in range(_SWEEPS):
        report(sweep / _SWEEPS, "raking to all pairs")
        off = 0.0
        for numbers, own, held in blocks:
            table = _shares(numbers, weights, own)
            off = max(off, _difference(table, held))
            factors = np.ones_like(table)
            for away, aim in held:
                now = (table * factors).sum(axis=away, keepdims=True)
                factors *= np.divide(aim, now, out=np.zeros_like(aim), where=now > LEAST_DIVISOR) ** step
            weights = weights * factors.ravel()[numbers]
            weights /= weights.sum()
        step *= 1 if off < 0.9 * before else _SHORTER
        before = off
        if off < _CLOSE or step < _SHORTEST:
            break
    return weights, max(_difference(_shares(numbers, weights, own), held) for numbers, own, held in blocks)


def _difference(table: Floats, held: Iterable[tuple[Axes, Floats]]) -> float:
    """The largest half L1 between marginals of ``table``, summed over some axes, and those it should have."""
    return max(float(np.abs(table.sum(axis=away, keepdims=True) - aim).sum() / 2) for away, aim in held)
