"""Lies are known where the true records are: are they as frequent as the file says, for everybody alike, and what do they become?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.audit.check import Check, Comparisons
from rrcore.audit.expected import WHOLE_ATTRIBUTES, Expected
from rrcore.audit.fit import fits, often
from rrcore.audit.trials import Trials
from rrcore.wording import counted, percent

_MOST_TRIPLES = 300
_MOST_STRATA = 50_000  # pairs of categories, times attributes
_RARE = 0.02  # of what is expected: seen less often than this, it does not happen


def check_lies(trials: Trials, expected: Expected, *, alpha: float, rng: np.random.Generator) -> Check:
    """Joint lie frequencies of all releases: single answers, pairs, triples, whole lie sets, and how many answers are false."""
    lies, k, names = trials.marks.lies, expected.k, expected.names
    found = Comparisons("lies", alpha)
    triples = list(combinations(range(k), 3))
    if len(triples) > _MOST_TRIPLES:
        triples = [triples[t] for t in rng.choice(len(triples), _MOST_TRIPLES, replace=False)]
    for axes in (*combinations(range(k), 1), *combinations(range(k), 2), *triples):
        shares, counts = expected.lie_sets(axes).ravel(), _counts(lies, axes)
        found.add(fits(counts, shares), _frequency(counts, shares, [names[i] for i in axes], ""))
    _whole(found, lies, [_Norm.of_file(expected)], names, "")
    return found.done(
        f"In {trials.n:,} releases single answers, pairs and whole records are false as often as the file says.",
        lambda: _comonotone(lies, expected),
    )


def check_people(trials: Trials, expected: Expected, *, alpha: float) -> Check:
    """Joint lie frequencies of each extreme record, of each category of every attribute, and single lies for each pair of categories."""
    found, lies, names = Comparisons("people", alpha), trials.marks.lies, expected.names
    norms = [
        _Norm.of_file(expected),
        _Norm.of_everybody(lies[trials.origin < 0]),
    ]  # wrong lies for everybody are another check's matter
    for place, record in enumerate(trials.extremes):
        _whole(found, lies[trials.origin == place], norms, names, f" of the record ({expected.described(record)})")
    for i, size in enumerate(expected.sizes):
        for x in range(size):
            here = trials.true[:, i] == x
            _whole(found, lies[here], norms, names, f" of records with {names[i]} = {expected.categories[i][x]}")
    work = 0
    for i, other in combinations(range(expected.k), 2):
        work += expected.sizes[i] * expected.sizes[other] * expected.k
        if work > _MOST_STRATA:
            break
        _strata(found, trials, norms, expected, (i, other))
    return found.done(
        f"The lies of {len(trials.extremes):,} extreme records and of people with each of the {sum(expected.sizes):,} categories are "
        "those of everybody."
    )


def _strata(found: Comparisons, trials: Trials, norms: Sequence[_Norm], expected: Expected, pair: tuple[int, int]) -> None:
    """Lies of every attribute among people with each combination of two answers."""
    (i, other), rates, names, categories = pair, norms[0].rates, expected.names, expected.categories
    sizes = expected.sizes[i], expected.sizes[other]
    cell = trials.true[:, i].astype(np.int64) * sizes[1] + trials.true[:, other]
    people = np.bincount(cell, minlength=sizes[0] * sizes[1])
    false = np.column_stack([np.bincount(cell, weights=column, minlength=people.size) for column in trials.marks.lies.T])

    def tell(place: int) -> str:
        at, j = divmod(place, len(rates))
        x, y = divmod(at, sizes[1])
        where = f"{names[i]} = {categories[i][x]} and {names[other]} = {categories[other][y]}"
        return (
            f"'{names[j]}' is false in {percent(false[at, j] / people[at])} of releases of records with {where}; the file says "
            f"{percent(rates[j])}."
        )

    found.add(often(false, people[:, None], *(own.rates[None] for own in norms)), tell)


@dataclass(frozen=True, eq=False)
class _Norm:
    """Shares that lies are held against: of whole lie sets where they can be listed, of numbers of lies, and of each lie."""

    whole: Floats | None
    number: Floats
    rates: Floats

    @classmethod
    def of_file(cls, expected: Expected) -> _Norm:
        """What the file says."""
        axes = range(expected.k)
        whole = expected.lie_sets(axes).ravel() if expected.k <= WHOLE_ATTRIBUTES else None
        return cls(whole, expected.number, expected.rates)

    @classmethod
    def of_everybody(cls, lies: Booleans) -> _Norm:
        """What was seen of records at random."""
        n, k = lies.shape
        whole = _counts(lies, range(k)) / n if k <= WHOLE_ATTRIBUTES else None
        return cls(whole, np.bincount(lies.sum(axis=1), minlength=k + 1) / n, lies.mean(axis=0))


def _whole(found: Comparisons, lies: Booleans, norms: Sequence[_Norm], names: Sequence[str], of: str) -> None:
    """Whole lie sets, how many answers are false, whether that number is even, and each answer, against every norm; the first is told."""
    n, k = lies.shape
    norm = norms[0]
    if norm.whole is not None:
        shares, counts = norm.whole, _counts(lies, range(k))
        p_value = max(fits(counts, own.whole) for own in norms if own.whole is not None)
        found.add(p_value, _frequency(counts, shares, names, of))
    number = np.bincount(lies.sum(axis=1), minlength=k + 1)
    at = _worst(number, norm.number)
    found.add(
        max(fits(number, own.number) for own in norms),
        f"{at} of {k} answers are false in {percent(number[at] / max(1, n))} of releases{of}; the file says {percent(norm.number[at])}.",
    )
    odd = np.array([number[::2].sum(), number[1::2].sum()])
    even = [float(own.number[::2].sum()) for own in norms]
    found.add(
        max(fits(odd, [share, 1 - share]) for share in even),
        f"The number of false answers is even in {percent(odd[0] / max(1, n))} of releases{of}; the file says {percent(even[0])}.",
    )
    single = lies.sum(axis=0)
    found.add(
        often(single, n, *(own.rates for own in norms)),
        lambda i: (
            f"'{names[i]}' is false in {percent(single[i] / max(1, n))} of releases{of}; the file says {percent(norm.rates[i])}."
        ),
    )


def _counts(lies: Booleans, axes: Sequence[int]) -> Integers:
    code = np.zeros(len(lies), dtype=np.int64)
    for i in axes:
        code = 2 * code + lies[:, i]
    return np.bincount(code, minlength=1 << len(axes))


def _worst(counts: Integers, shares: Floats) -> int:
    """The cell that stands out most."""
    n = counts.sum()
    return int(np.argmax(np.abs(counts - n * shares) / np.sqrt(n * shares + 1)))


def _frequency(counts: Integers, shares: Floats, names: Sequence[str], of: str) -> str:
    at, w = _worst(counts, shares), len(names)
    false = [f"'{name}'" for i, name in enumerate(names) if at >> (w - 1 - i) & 1]
    true = [f"'{name}'" for i, name in enumerate(names) if not at >> (w - 1 - i) & 1]
    what = " and ".join(
        part for part in (f"{', '.join(false)} false" if false else "", f"{', '.join(true)} true" if true else "") if part
    )
    n = max(1, int(counts.sum()))
    return f"{what}: so in {percent(float(counts[at]) / n)} of releases{of}; the file says {percent(float(shares[at]))}."


def _comonotone(lies: Booleans, expected: Expected) -> str | None:
    """Lies that come together: the rarer one of any two never comes alone, although the file says it does."""
    k, n = expected.k, len(lies)
    if k < 2:
        return None
    order = np.argsort(lies.sum(axis=0), kind="stable")
    for rare, common in combinations(order.tolist(), 2):
        if lies[:, rare].sum() < 100:
            return None
        alone, share = int((lies[:, rare] & ~lies[:, common]).sum()), float(expected.lie_sets([rare, common])[1, 0])
        if n * share < 100 or alone > _RARE * n * share:
            return None
    rarest, commonest = expected.names[int(order[0])], expected.names[int(order[-1])]
    return (
        f"Comonotone lies: the answers of a record are false together. Whenever '{rarest}' is false, so is every answer that is false as "
        f"often or more often, up to '{commonest}'; by the file they are false in combinations of all kinds."
    )


_MOST_PAIRS = 780


def check_replacements(trials: Trials, expected: Expected, *, alpha: float) -> Check:
    """False answers of every attribute by the true one, and those of two attributes together."""
    found, kinds, k, names = Comparisons("replacements", alpha), trials.marks.kinds, expected.k, expected.names
    for i in range(k):
        wrong = int(trials.marks.impossible[:, i].sum())
        times = counted(wrong, "time", "times")
        found.add(float(not wrong), f"'{names[i]}' was given {times} an answer that the file never gives for the true one.")
        _by_truth(found, trials, expected, i)
    for i, j in list(combinations(range(k), 2))[:_MOST_PAIRS]:
        one, other = expected.kinds(i), expected.kinds(j)
        table = np.bincount(
            kinds[:, i].astype(np.int64) * (other.size + 1) + kinds[:, j], minlength=(one.size + 1) * (other.size + 1)
        )
        table = table.reshape(one.size + 1, other.size + 1)
        found.add(
            [fits(table[1:, 1:], np.multiply.outer(one, other)), fits(table[1:, 0], one), fits(table[0, 1:], other)],
            f"What '{names[i]}' and '{names[j]}' become goes together in another way than the file says.",
        )
    return found.done("Every false answer becomes each of the others as often as the file says, and two of them independently.")


def _by_truth(found: Comparisons, trials: Trials, expected: Expected, i: int) -> None:
    """Released answers of each true one: all of them for a matrix, the false ones among themselves otherwise."""
    rows, size, matrix = expected.sizes[i], expected.report_sizes[i], expected.matrix(i)
    name, categories, reports = expected.names[i], expected.categories[i], expected.file.reports.attributes[i].categories
    table = np.bincount(trials.true[:, i].astype(np.int64) * size + trials.released[:, i], minlength=rows * size)
    table = table.reshape(rows, size)
    moved = np.zeros(size, dtype=np.int64)  # by how much an answer was shifted, whatever it was
    for x, row in enumerate(table):
        shares = np.array(matrix[x]) if matrix is not None else np.where(np.arange(size) == x, 0.0, 1 / (size - 1))
        counts = row.copy()
        if matrix is None:
            moved += np.roll(row, -x)
            counts[x] = 0
        n = max(1, int(counts.sum()))
        at = int(np.argmax(np.abs(counts - n * shares) / np.sqrt(n * shares + 1)))
        found.add(
            fits(counts, shares),
            f"'{name}' = {categories[x]}, where it is released falsely, becomes {reports[at]} in {percent(counts[at] / n)}; the file says "
            f"{percent(float(shares[at]))}.",
        )
    if matrix is None:
        found.add(
            fits(moved[1:], np.full(size - 1, 1 / (size - 1))),
            f"A false answer to '{name}' is most often {counted(1 + int(moved[1:].argmax()), 'category', 'categories')} further on: "
            f"{percent(float(moved[1:].max() / max(1, moved[1:].sum())))} of them; the file says {percent(1 / (size - 1))}.",
        )
