"""Randomize true answers with the operating system's random number generator.

The sampler uses integer draws with rejection (theory.md section 8).

The order of random bytes is fixed. Other programs can therefore be compared with this one on the same bytes. A record is randomized
group by group, with these draws.

Weights by sets: One draw below the sum of weights selects the set of changes (in increasing order, then uniform records). Then,
attribute by attribute, a uniform record takes a draw below a, and a false answer takes a draw below a - 1.

Weights by counts of false answers: The weight of a count vector is multiplied by the number of records that have these counts. One
draw below the sum over all count vectors, in the order of the file, selects the counts. Each attribute then takes a draw below the
number of undecided attributes of its kind, including itself. The answer is false if the draw is below the number of false answers
that are left for the kind. A false answer takes a draw below a - 1.

Weights by matrix: The attribute takes one draw below the sum of a row.

A draw below L takes ceil(b / 8) bytes, the highest first, and keeps their lowest b bits, where b is the number of bits of L - 1. It
is repeated until it is below L.

Records are processed in batches of 65,536. Each draw is taken for all records that need it, in order. It is then repeated for the
records that need a repetition, before the next draw. A matrix takes its draws one true category after another.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rrcore.arrays import Booleans, Codes, code_type
from rrcore.promise.weights import CountWeights, LieWeights, MatrixWeights, Weights

Entropy = Callable[[int], bytes]


class Integers(Protocol):
    """Source of integer weights, such as a mechanism file."""

    @property
    def groups(self) -> tuple[tuple[tuple[int, ...], Weights], ...]:
        """Groups of attributes with their weights."""

    @property
    def report_sizes(self) -> tuple[int, ...]:
        """Numbers of different randomized answers, one per attribute."""


_CHUNK = 1 << 16  # records randomized at a time
_WORD = 64  # bits of a machine word


def randomize_codes(mechanism: Integers, codes: Codes, entropy: Entropy = os.urandom) -> Codes:
    """Return the codes of randomized answers for the codes of true answers.

    Both are ndarrays of shape (n, k). The result has the smallest integer type.
    """
    released = np.array(codes, dtype=code_type(max(mechanism.report_sizes)), order="F")
    for start in range(0, len(codes), _CHUNK):
        rows = slice(start, start + _CHUNK)
        for places, weights in mechanism.groups:
            _DRAW[type(weights)](released[rows], places, weights, entropy)
    return released


def _lie(records: Codes, places: Sequence[int], weights: LieWeights, entropy: Entropy) -> None:
    """Replace the answers at ``places`` in ``records``."""
    ends = list(accumulate([weight for _, weight in weights.lies] + [weights.uniform]))
    drawn = _choose(ends, len(records), entropy)
    uniform = drawn == len(weights.lies)
    lying = np.vstack([weights.lying, np.zeros((1, len(places)), dtype=np.bool_)]).T.copy()
    rows = np.flatnonzero(uniform)
    for place, size, lie in zip(places, weights.sizes, lying, strict=True):
        column = records[:, place]
        column[rows] = _below(size, rows.size, entropy)
        if lie.any():
            _falsify(column, lie[drawn], size, entropy)


def _lie_by_counts(records: Codes, places: Sequence[int], weights: CountWeights, entropy: Entropy) -> None:
    """Replace the answers at ``places`` in ``records``, by counts of lies."""
    drawn = _choose(list(accumulate(weights.drawn)), len(records), entropy)
    for left, (start, end) in zip(np.unravel_index(drawn, weights.shape), weights.runs, strict=True):
        to_place = left.astype(np.uint64)
        for i in range(start, end):
            false = _below(end - i, len(records), entropy) < to_place
            to_place -= false
            _falsify(records[:, places[i]], false, weights.sizes[i], entropy)


def _falsify(column: Codes, false: Booleans, size: int, entropy: Entropy) -> None:
    """Replace the answers marked ``false`` in ``column`` by another category, each equally likely."""
    rows = np.flatnonzero(false)
    others = column[rows].astype(np.int32) + _below(size - 1, rows.size, entropy).astype(np.int32) + 1
    others -= size * (others >= size)
    column[rows] = others


def _by_row(records: Codes, places: Sequence[int], weights: MatrixWeights, entropy: Entropy) -> None:
    column = records[:, places[0]]
    answers = column.copy()
    for true, row in enumerate(weights.rows):
        here = answers == true
        column[here] = _choose(list(accumulate(row)), int(here.sum()), entropy)


_DRAW: dict[type, Callable[[Codes, Sequence[int], Any, Entropy], None]] = {
    LieWeights: _lie,
    CountWeights: _lie_by_counts,
    MatrixWeights: _by_row,
}
"""Kind of weights -> function that replaces answers in records."""


def _choose(ends: list[int], n: int, entropy: Entropy) -> NDArray[np.intp]:
    """n positions, each with a probability proportional to its part of ``ends[-1]``: the first end above a uniform draw."""
    bits = (ends[-1] - 1).bit_length()
    if len(ends) == 2 and bits <= _WORD:
        return (_below(ends[-1], n, entropy) >= ends[0]).view(np.uint8)
    if bits <= _WORD:
        return np.searchsorted(_words(ends[:-1]), _below(ends[-1], n, entropy).astype(np.uint64), side="right")
    chosen, open_ = np.empty(n, dtype=np.intp), np.arange(n)
    while open_.size:
        chosen[open_] = _first_above(_fresh(bits, open_.size, entropy), ends)
        open_ = open_[chosen[open_] == len(ends)]
    return chosen


def _first_above(draws: NDArray[np.uint8], ends: list[int]) -> NDArray[np.intp]:
    """The place of the first of ``ends`` above each draw, a row of more than eight bytes; their number where there is none.

    The first eight bytes decide, but where they are those of an end as well.
    """
    rest = 8 * (draws.shape[1] - 8)
    high = draws[:, :8].copy().view(">u8").ravel().astype(np.uint64)
    heads = _words([end >> rest for end in ends])
    found = np.searchsorted(heads, high, side="right")
    for i in np.flatnonzero(heads[found - 1] == high) if heads.size else ():
        found[i] = bisect_right(ends, int.from_bytes(draws[i].tobytes(), "big"))
    return found


def _words(ends: list[int]) -> NDArray[np.uint64]:
    """Those that a machine word holds: others are above every draw."""
    return np.array([end for end in ends if not end >> _WORD], dtype=np.uint64)


def _below(limit: int, n: int, entropy: Entropy) -> NDArray[np.unsignedinteger[Any]]:
    """n uniform draws in 0..limit-1, at most 2^64."""
    bits = (limit - 1).bit_length()
    draws = _numbers(_fresh(bits, n, entropy))
    if limit & (limit - 1) == 0:
        return draws
    rejected = np.flatnonzero(draws >= limit)
    while rejected.size:
        draws[rejected] = _numbers(_fresh(bits, rejected.size, entropy))
        rejected = rejected[draws[rejected] >= limit]
    return draws


def _fresh(bits: int, n: int, entropy: Entropy) -> NDArray[np.uint8]:
    """n draws of ``bits`` bits each: their bytes, the highest first."""
    width = (bits + 7) // 8
    draws = np.frombuffer(entropy(width * n) if width * n else b"", dtype=np.uint8).reshape(n, width)
    if bits % 8 or width == 1:
        draws = draws.copy()
        draws[:, 0] &= (1 << (bits - 1) % 8 + 1) - 1
    return draws


def _numbers(draws: NDArray[np.uint8]) -> NDArray[np.unsignedinteger[Any]]:
    """Draws of at most eight bytes as numbers."""
    n, width = draws.shape
    if width == 1:
        return draws.ravel()
    if width == 8:
        return draws.view(">u8").ravel().astype(np.uint64)
    padded = np.zeros((n, 8), dtype=np.uint8)
    padded[:, 8 - width :] = draws
    return padded.view(">u8").ravel().astype(np.uint64)
