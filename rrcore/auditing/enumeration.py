"""Enumerate the probability of every randomized record for every true record.

This slow check computes every epsilon without sharing code with the certificate. It visits true and randomized records one by
one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrcore.errors import InputError
from rrcore.limits import MAX_ENUMERATED
from rrcore.progress import Report, quiet
from rrcore.promise.certificate import Certificate, Ratio, certified_nats
from rrcore.promise.mechanism_file import MechanismFile
from rrcore.promise.weights import CountWeights, MatrixWeights, Weights
from rrcore.wording import count_text

Record = tuple[int, ...]


@dataclass(frozen=True)
class Difference:
    """A claim that differs from the enumeration.

    Parameters
    ----------
    what : the quantity, such as "the epsilon of 'Age'"
    claimed, found : in nats, as text
    worse : True if the mechanism reveals more than claimed
    """

    what: str
    claimed: str
    found: str
    worse: bool

    @property
    def sentence(self) -> str:
        """Return the difference in words."""
        return f"{self.what[0].upper()}{self.what[1:]} is {self.found}, {'more' if self.worse else 'less'} than the claimed {self.claimed}."


@dataclass(frozen=True)
class Enumeration:
    """Result of enumerating the whole matrix.

    Parameters
    ----------
    records, reports : M and N, the numbers of true and randomized records; the matrix has M x N entries
    found : Certificate computed from the matrix
    rows_sum_to_one : bool
    differences : claims that differ from the matrix
    """

    records: int
    reports: int
    found: Certificate
    rows_sum_to_one: bool
    differences: tuple[Difference, ...]

    @property
    def agrees(self) -> bool:
        """True if all claims agree with the matrix."""
        return self.rows_sum_to_one and not self.differences

    def sentences(self) -> tuple[str, ...]:
        """Return the result in words."""
        size = f"{count_text(self.records)} × {count_text(self.reports)}"
        if self.agrees:
            return (f"All {size} probabilities were calculated. Every row sums to 1, and every epsilon is as claimed.",)
        sums = (
            () if self.rows_sum_to_one else ("The probabilities of the randomized records do not sum to 1 for some true record.",)
        )
        return (*sums, *(difference.sentence for difference in self.differences))


def check_enumerable(sizes: Sequence[int], report_sizes: Sequence[int]) -> None:
    """Raise InputError if there are too many records to enumerate."""
    cells, reports = math.prod(sizes), math.prod(report_sizes)
    if cells * reports > MAX_ENUMERATED:
        raise InputError(f"More than {count_text(math.isqrt(MAX_ENUMERATED))} records are possible. Check fewer attributes.")


def enumerate_file(file: MechanismFile, claim: Certificate | None = None, *, report: Report = quiet) -> Enumeration:
    """Check a mechanism file in exact arithmetic.

    Parameters
    ----------
    claim : Certificate to compare with the matrix; by default, that of the file

    Raises
    ------
    InputError
        If there are more than ``MAX_ENUMERATED`` entries.
    """
    sizes, report_sizes = file.sizes, file.reports.sizes
    check_enumerable(sizes, report_sizes)
    scale = math.prod(_denominator(weights) for _, weights in file.groups)
    groups = [(places, cache(_entries(weights))) for places, weights in file.groups]

    def entry(true: Record, released: Record) -> int:
        value = 1
        for places, inner in groups:
            value *= inner(tuple(true[i] for i in places), tuple(released[i] for i in places))
        return value

    records, reports = _records(sizes), _records(report_sizes)
    matrix = np.empty((len(records), len(reports)), dtype=object)
    for row, true in enumerate(records):
        report(0.5 * row / len(records), "Writing out every probability")
        matrix[row] = [entry(true, released) for released in reports]
    rows = all(total == scale for total in matrix.sum(axis=1))
    found = _read_off(matrix, sizes, report_sizes, report)
    return Enumeration(
        len(records), len(reports), found, rows, tuple(_compare(claim or file.certificate, found, file.schema.names))
    )


def _records(sizes: Sequence[int]) -> list[Record]:
    return list(product(*(range(size) for size in sizes)))


def _denominator(weights: Weights) -> int:
    """What the entries of a group are multiplied by, so that all are integers."""
    if isinstance(weights, MatrixWeights | CountWeights):
        return weights.whole
    return weights.whole * math.prod(weights.sizes) * math.prod(size - 1 for size in weights.sizes)


def _entries(weights: Weights) -> Callable[[Record, Record], int]:
    """The probability of each released record for each true one, times ``_denominator``."""
    if isinstance(weights, MatrixWeights):
        return lambda true, released: weights.rows[true[0]][released[0]]
    if isinstance(weights, CountWeights):
        return _entries_by_counts(weights)
    lies, sizes = dict(weights.lies), weights.sizes
    cells, others = math.prod(sizes), math.prod(size - 1 for size in sizes)

    def entry(true: Record, released: Record) -> int:
        name = "".join("01"[x != y] for x, y in zip(true, released, strict=True))
        alike = math.prod(size - 1 for size, lie in zip(sizes, name, strict=True) if lie == "1")
        return weights.uniform * others + lies.get(name, 0) * cells * others // alike

    return entry


def _entries_by_counts(weights: CountWeights) -> Callable[[Record, Record], int]:
    """The weight in the file for the number of false answers of each kind; the last kind runs fastest."""
    kinds = [t for t, number in enumerate(weights.kinds) for _ in range(number)]
    vectors = product(*(range(number + 1) for number in weights.kinds))
    of_counts = dict(zip(vectors, weights.records, strict=True))

    def entry(true: Record, released: Record) -> int:
        counts = [0] * len(weights.kinds)
        for t, x, y in zip(kinds, true, released, strict=True):
            counts[t] += x != y
        return of_counts[tuple(counts)]

    return entry


def _read_off(matrix: NDArray[Any], sizes: Sequence[int], report_sizes: Sequence[int], report: Report) -> Certificate:
    """Levels, leakage and total of the matrix: for every output the largest probability over the smallest."""
    k, cells = len(sizes), len(matrix)
    cube = matrix.reshape(*sizes, -1)
    epsilon, epsilon_informed = [], []
    for i in range(k):
        report(0.5 + 0.5 * i / (k + 1), "Comparing them")
        answers = matrix.reshape(cells, *report_sizes).sum(axis=tuple(1 + j for j in range(k) if j != i))
        epsilon.append(_largest(answers.max(axis=0), answers.min(axis=0)))
        epsilon_informed.append(_largest(cube.max(axis=i).ravel(), cube.min(axis=i).ravel()))
    total = _largest(matrix.max(axis=0), matrix.min(axis=0))
    return Certificate(tuple(epsilon), tuple(epsilon_informed), total)


def _largest(high: NDArray[Any], low: NDArray[Any]) -> Ratio:
    """Return the largest ratio, or None if a ratio is unbounded.

    Outputs that never occur are ignored.
    """
    pairs = {(top, bottom) for top, bottom in zip(high, low, strict=True) if top > 0}
    if any(bottom == 0 for _, bottom in pairs):
        return None
    return max(Fraction(top) / Fraction(bottom) for top, bottom in pairs)


def _compare(claim: Certificate, found: Certificate, names: Sequence[str]) -> Iterator[Difference]:
    for i, name in enumerate(names):
        yield from _differ(f"the epsilon of '{name}'", claim.epsilon[i], found.epsilon[i])
        yield from _differ(
            f"the epsilon of '{name}' with the other answers known", claim.epsilon_informed[i], found.epsilon_informed[i]
        )
    yield from _differ("the epsilon of the whole record", claim.epsilon_total, found.epsilon_total)


def _differ(what: str, claimed: Ratio, found: Ratio) -> Iterator[Difference]:
    if claimed != found:
        worse = found is None or (claimed is not None and found > claimed)
        yield Difference(what, *_in_nats(claimed, found), worse)


def _in_nats(claimed: Ratio, found: Ratio) -> tuple[str, str]:
    """Return both numbers in nats, or as ratios if nine decimals are equal."""
    texts = certified_nats(claimed), certified_nats(found)
    if texts[0] == texts[1]:
        return f"{claimed} (as odds)", f"{found} (as odds)"
    return texts
