"""Records that a mechanism is tried with, and what it made of them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Codes, Integers
from rrcore.audit.expected import Expected, Marks
from rrcore.errors import InputError

Randomiser = Callable[[Codes], Codes]
"""Anything that randomises: true codes of shape (n, k) in, codes of reports of the same shape out."""

Record = tuple[int, ...]

_CHUNK = 1 << 17  # records of one call
_EXTREME = 20  # this part of the random records is released of each extreme one


@dataclass(frozen=True, eq=False)
class Trials:
    """Releases of records whose truth is known, in the order in which they were sent.

    Parameters
    ----------
    true, released : ndarray of shape (n, k), int32
    marks : Marks
    origin : ndarray of shape (n,): -1 for a record drawn at random, else the position of an extreme one
    extremes : the extreme records
    """

    true: Codes
    released: Codes
    marks: Marks
    origin: Integers
    extremes: tuple[Record, ...]

    @property
    def n(self) -> int:
        """Number of releases."""
        return len(self.true)


def released(randomise: Randomiser, true: Codes, sizes: Sequence[int]) -> Codes:
    """What becomes of ``true``, in as few calls as memory allows; ``sizes`` are the numbers of reports.

    Raises InputError where it does not come back as so many records.
    """
    parts = []
    for start in range(0, len(true), _CHUNK):
        sent = true[start : start + _CHUNK]
        found = np.asarray(randomise(np.array(sent, order="F")))
        if found.shape != sent.shape or not np.issubdtype(found.dtype, np.integer):
            raise InputError(
                f"The sampler was given {len(sent):,} records of {sent.shape[1]} answers and returned an array of shape {found.shape}: "
                "expected one record for each, in codes."
            )
        for i, size in enumerate(sizes):
            if found[:, i].min() < 0 or found[:, i].max() >= size:
                raise InputError(
                    f"The sampler released a category of attribute {i + 1} that there is not: expected 0 to {size - 1}."
                )
        parts.append(found.astype(np.int32, copy=False))
    return np.concatenate(parts)


def balanced(sizes: Sequence[int], n: int, rng: np.random.Generator) -> Codes:
    """Records at random in which every category of every attribute occurs equally often, give or take one, shape (n, k)."""
    out = np.empty((n, len(sizes)), dtype=np.int32, order="F")
    for i, size in enumerate(sizes):
        column = np.arange(n, dtype=np.int32) % size
        rng.shuffle(column)
        out[:, i] = column
    return out


def try_records(
    randomise: Randomiser, expected: Expected, extremes: Sequence[Record], runs: int, *, rng: np.random.Generator
) -> Trials:
    """Release ``runs`` random records, at least as many as it takes to see every category, and extreme ones among them."""
    sizes = expected.sizes
    every = max(runs, *sizes)
    known = tuple(dict.fromkeys(extremes))
    many = max(1, runs // _EXTREME)
    true = np.concatenate([balanced(sizes, every, rng), *(np.tile(np.array(x, dtype=np.int32), (many, 1)) for x in known)])
    origin = np.concatenate([np.full(every, -1), np.repeat(np.arange(len(known)), many)])
    order = rng.permutation(len(true))
    true, origin = true[order], origin[order]
    out = released(randomise, true, expected.report_sizes)
    return Trials(true, out, expected.marks(true, out, rng=rng), origin, known)


@dataclass(frozen=True)
class Coverage:
    """How much of what can be answered was tried.

    Parameters
    ----------
    tried, possible : numbers of records
    each : releases of each of them
    given : how many of them come from a table that was given
    """

    tried: int
    possible: int
    each: int
    given: int = 0

    @property
    def complete(self) -> bool:
        """Whether every possible record was tried."""
        return self.tried == self.possible

    def sentence(self) -> str:
        """What was tried, and what may have been missed."""
        if self.complete:
            return f"Every one of the {self.possible:,} possible records was tried, {self.each:,} times each."
        whole = f"{self.possible:,}" if self.possible < 10**9 else f"about 10^{round(math.log10(self.possible))}"
        given = f", among them {self.given:,} of the table" if self.given else ""
        return (
            f"{self.tried:,} of {whole} possible records were tried{given}, {self.each:,} times each: "
            "a record that is treated specially may have been missed."
        )
