"""Attacks that do not believe the claim: what tells two true records apart is learned from runs, and bet on in other runs.

A quarter of the runs counts features of the outputs under each of two records; the smoothed ratios of these counts score an output. The next
quarter chooses the features and the event {score >= t} that show most, the second half gives the bound: it holds whatever was learned.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Codes, Floats, Integers
from rrcore.audit.fit import lower_bound
from rrcore.audit.trials import Randomiser, Record, balanced, released
from rrcore.wording import count_text, counted
from rrcore.work import Report, quiet

PAIRS = 300
"""Pairs of records that are told apart."""

_CELLS = 1 << 16  # most values of one feature
_COLUMNS = 28  # most pairs of attributes that are counted
_EVENTS = 64  # events of each kind among which the best is sought
_CATEGORIES = 24  # categories of one attribute that are compared with each other
_Z = 3.0  # standard errors by which a promising event is judged before its bound is computed

Columns = list[tuple[NDArray[np.int64], int]]


@dataclass(frozen=True)
class Learned:
    """What was learned about one promise.

    Parameters
    ----------
    records : the two true records; for a level, records that differ in that attribute, where all others are random
    axis : position of the attribute whose released answer alone was looked at; None where the whole released record was
    claim : float, nats, what the file promises for these two
    shown : float, nats, at least so much is given away
    """

    records: tuple[Record, Record]
    axis: int | None
    claim: float
    shown: float

    @property
    def contradicted(self) -> bool:
        """Whether more is given away than claimed."""
        return self.shown > self.claim

    def sentence(self, names: Sequence[str], categories: Sequence[Sequence[str]]) -> str:
        """What was told apart, how well, and what is claimed."""
        if self.axis is not None:
            x, y = (categories[self.axis][record[self.axis]] for record in self.records)
            what = f"'{names[self.axis]}' = {x} or {y} from its released answer alone"
        else:
            what = " or ".join(
                f"({', '.join(labels[x] for labels, x in zip(categories, record, strict=True))})" for record in self.records
            )
        return f"Telling apart {what}: at least {math.floor(100 * self.shown) / 100:.2f} nats are given away; the file says {self.claim:.2f}."


def learn_pairs(
    randomise: Randomiser,
    sizes: Sequence[int],
    records: Sequence[Record],
    claim_of: dict[tuple[int, int], float],
    runs: int,
    *,
    confidence: float,
    rng: np.random.Generator,
    report: Report = quiet,
) -> tuple[Learned, ...]:
    """Tell records apart, two by two.

    Parameters
    ----------
    sizes : numbers of reports
    claim_of : (positions of two records) -> what is promised for them, in nats
    runs : int >= 8, releases of each record, sent in random order
    confidence : in (0, 1); all bounds hold together with this probability at least
    """
    label = rng.permutation(np.repeat(np.arange(len(records)), runs))
    given = np.array(records, dtype=np.int32)
    out = released(randomise, given[label], sizes)
    by_record = out[np.argsort(label, kind="stable")].reshape(len(records), runs, len(sizes))
    counted_hits = []
    for done, (a, b) in enumerate(claim_of):
        report(done / len(claim_of), f"Telling apart {done + 1} of {len(claim_of)} pairs of records")
        counted_hits.append(_bet((by_record[a], by_record[b]), (given[a], given[b]), sizes))
    report(1.0, "Telling apart pairs of records")
    hits, other = np.array(counted_hits).T
    bounds = lower_bound(hits, other, runs - 2 * (runs // 4), 1 - (1 - confidence) / len(claim_of))
    return tuple(
        Learned((records[a], records[b]), None, claim, float(bound))
        for ((a, b), claim), bound in zip(claim_of.items(), bounds, strict=True)
    )


def learn_levels(
    true: Codes,
    out: Codes,
    sizes: Sequence[int],
    levels: Sequence[float],
    *,
    confidence: float,
    report_sizes: Sequence[int] | None = None,
) -> tuple[Learned, ...]:
    """Tell the categories of each attribute apart by its released answer alone, from releases of random records.

    ``report_sizes`` are the numbers of reports, ``sizes`` by default.
    """
    each, half = 1 - (1 - confidence) / len(sizes), len(true) // 2
    found = []
    for i, (size, reports, level) in enumerate(zip(sizes, report_sizes or sizes, levels, strict=True)):
        tables = [
            np.bincount(true[rows, i].astype(np.int64) * reports + out[rows, i], minlength=size * reports).reshape(size, reports)
            for rows in (slice(0, half), slice(half, None))
        ]
        first, second, event = _best_pair(tables[0])
        hits, other = (int(tables[1][x][event].sum()) for x in (first, second))
        runs, others = (int(tables[1][x].sum()) for x in (first, second))
        bound = float(lower_bound(hits, other, runs, each, other_runs=others)) if runs and others else 0.0
        ends = [tuple(x if j == i else 0 for j in range(len(sizes))) for x in (first, second)]
        found.append(Learned((ends[0], ends[1]), i, level, bound))
    return tuple(found)


def _best_pair(table: Integers) -> tuple[int, int, NDArray[np.intp]]:
    """Two rows of counts and the columns that tell them apart best."""
    best = (-1.0, 0, 1, np.zeros(1, dtype=np.intp))
    runs = table.sum(axis=1)
    for x, y in permutations(range(min(len(table), _CATEGORIES)), 2):
        order = np.argsort(np.log(table[y] + 0.5) - np.log(table[x] + 0.5), kind="stable")
        worth = _worth(table[x][order].cumsum(), int(runs[x]), table[y][order].cumsum(), int(runs[y]))
        at = int(worth.argmax())
        if worth[at] > best[0]:
            best = (float(worth[at]), x, y, order[: at + 1])
    return best[1], best[2], best[3]


def _worth(hits: Integers, runs: int, other: Integers, others: int) -> Floats:
    """Roughly what an event shows: the score interval of the one probability over that of the other."""
    low, high = (_score(count, n, sign) for count, n, sign in ((hits, runs, -1.0), (other, others, 1.0)))
    return np.asarray(np.log(np.maximum(low, 1e-12)) - np.log(high))


def _score(hits: Integers, runs: int, sign: float) -> Floats:
    n, p, z2 = max(1, runs), hits / max(1, runs), _Z * _Z
    middle = p + z2 / (2 * n)
    return np.asarray((middle + sign * _Z * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n))


def _bet(outs: tuple[Codes, Codes], records: tuple[Codes, Codes], sizes: Sequence[int]) -> tuple[int, int]:
    """How often an event that was learned happens in the second half of the runs: under the record it points to, and the other."""
    quarter = len(outs[0]) // 4
    best, chosen = -math.inf, None
    for way in _WAYS:
        columns = [way(rows, records, sizes) for rows in outs]
        if not columns[0]:
            continue
        tables = [
            _table(np.bincount(one[:quarter], minlength=size), np.bincount(other[:quarter], minlength=size))
            for (one, size), (other, _) in zip(*columns, strict=True)
        ]
        scores = [_scored(own, tables, slice(quarter, 2 * quarter)) for own in columns]
        for sign in (1.0, -1.0):
            worth, threshold = _threshold(sign * scores[0], sign * scores[1]) if sign > 0 else _threshold(-scores[1], -scores[0])
            if worth > best:
                best, chosen = worth, (columns, tables, sign, threshold)
    assert chosen is not None  # single answers can always be counted
    columns, tables, sign, threshold = chosen
    rest = slice(2 * quarter, None)
    one, other = (int((sign * _scored(own, tables, rest) >= threshold).sum()) for own in columns)
    return (one, other) if sign > 0 else (other, one)


def _table(one: Integers, other: Integers) -> Floats:
    return np.asarray(np.log(one + 0.5) - np.log(other + 0.5))


def _scored(columns: Columns, tables: Sequence[Floats], rows: slice) -> Floats:
    found: Floats = np.sum([table[column[rows]] for (column, _), table in zip(columns, tables, strict=True)], axis=0)
    return found.round(9)


def _threshold(one: Floats, other: Floats) -> tuple[float, float]:
    """The event {score >= t} that seems to show most of the first record against the second."""
    values = np.unique(one)
    if values.size > _EVENTS:
        values = np.unique(values[np.unique(np.geomspace(1, values.size, _EVENTS).astype(np.intp)) * -1])
    one_up, other_up = (own.size - np.searchsorted(np.sort(own), values, side="left") for own in (one, other))
    worth = _worth(one_up, one.size, other_up, other.size)
    at = int(worth.argmax())
    return float(worth[at]), float(values[at])


def _whole(rows: Codes, records: tuple[Codes, Codes], sizes: Sequence[int]) -> Columns:
    cells = math.prod(sizes)
    if cells > _CELLS:
        return []
    code = np.zeros(len(rows), dtype=np.int64)
    for i, size in enumerate(sizes):
        code = code * size + rows[:, i]
    return [(code, cells)]


def _singles(rows: Codes, records: tuple[Codes, Codes], sizes: Sequence[int]) -> Columns:
    return [(rows[:, i].astype(np.int64), size) for i, size in enumerate(sizes)]


def _pairs(rows: Codes, records: tuple[Codes, Codes], sizes: Sequence[int]) -> Columns:
    if len(sizes) < 3:
        return []
    chosen = [(i, j) for i, j in combinations(range(len(sizes)), 2) if sizes[i] * sizes[j] <= _CELLS][:_COLUMNS]
    return [(rows[:, i].astype(np.int64) * sizes[j] + rows[:, j], sizes[i] * sizes[j]) for i, j in chosen]


def _relation(rows: Codes, records: tuple[Codes, Codes], sizes: Sequence[int]) -> Columns:
    """To which of the two records each answer belongs, or to none; only how many of each where that is too much."""
    first, second = (rows == record for record in records)
    k = len(sizes)
    if 3**k <= _CELLS:
        return [((first + 2 * (second & ~first)).astype(np.int64) @ 3 ** np.arange(k), 3**k)]
    return [(first.sum(axis=1) * (k + 1) + second.sum(axis=1), (k + 1) ** 2)]


_WAYS = (_whole, _singles, _pairs, _relation)


def choose_records(
    extremes: Sequence[Record],
    sizes: Sequence[int],
    leakage: Sequence[float],
    total: float,
    *,
    pairs: int = PAIRS,
    rng: np.random.Generator,
) -> tuple[tuple[Record, ...], dict[tuple[int, int], float]]:
    """Records to be told apart, at most ``pairs`` pairs of them, and what is promised for each pair."""
    wanted = min(math.ceil(math.sqrt(2 * pairs)) + 1, math.prod(sizes))
    known = dict.fromkeys(tuple(int(x) for x in record) for record in extremes)
    while len(known) < wanted:
        known |= dict.fromkeys(tuple(record) for record in balanced(sizes, wanted, rng).tolist())
    records = tuple(known)[:wanted]
    every = list(combinations(range(len(records)), 2))
    chosen = [every[p] for p in rng.choice(len(every), pairs, replace=False)] if len(every) > pairs else every
    return records, {pair: _promised(records[pair[0]], records[pair[1]], leakage, total) for pair in sorted(chosen)}


def _promised(one: Record, other: Record, leakage: Sequence[float], total: float) -> float:
    """What the file promises for two records: the total, and no more than the leakages of the answers in which they differ."""
    return min(total, sum(nats for x, y, nats in zip(one, other, leakage, strict=True) if x != y))


def learned_sentence(found: Sequence[Learned], names: Sequence[str], categories: Sequence[Sequence[str]]) -> str:
    """All of it in a sentence: the worst that was found, or that nothing was."""
    wrong = [one for one in found if one.contradicted]
    if wrong:
        worst = max(wrong, key=lambda one: one.shown - one.claim)
        return worst.sentence(names, categories)
    pairs = sum(one.axis is None for one in found)
    return (
        f"{count_text(pairs)} pairs of records and {counted(len(found) - pairs, 'attribute', 'attributes')}: nothing learned by watching "
        "tells more than is claimed."
    )
