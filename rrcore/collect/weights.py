"""Randomization in integers: what a deployable mechanism consists of (theory.md section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rrcore.arrays import Booleans
from rrcore.channel import LieSets, MatrixChannel
from rrcore.errors import InputError
from rrcore.limits import MAX_FILE_SETS, MAX_MATRIX_CATEGORIES, MAX_WEIGHT_BITS, MIN_FACTOR


@dataclass(frozen=True)
class LieWeights:
    """Attributes randomised together: a uniform record, or false answers to exactly the attributes of one lie set.

    With probability ``uniform / whole`` every answer is drawn afresh from all its categories; with probability ``weight / whole`` exactly the
    attributes of that lie set get another category than the true one, each equally likely.

    Parameters
    ----------
    sizes : tuple of m ints >= 2, numbers of categories
    uniform : int >= 0
    lies : tuple of (str, int)
        Lie sets with their weight >= 1, increasing; one character per attribute, "1" where it is reported falsely.

    Raises
    ------
    InputError
        For weights that are not such integers, or too large.
    """

    sizes: tuple[int, ...]
    uniform: int
    lies: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        _check_integers([self.uniform, *(weight for _, weight in self.lies)])
        if len(self.lies) > MAX_FILE_SETS:
            raise InputError(f"There are {len(self.lies):,} lie sets with a weight: at most {MAX_FILE_SETS:,} are allowed.")
        names = [name for name, _ in self.lies]
        if names != sorted(set(names)):
            raise InputError("The lie sets are not in increasing order, each once: write the file again.")
        for name in names:
            if len(name) != len(self.sizes) or set(name) - {"0", "1"}:
                raise InputError(f"The lie set {name[:60]!r} is not understood: expected {len(self.sizes)} characters 0 or 1.")
        if self.uniform < 0 or any(weight < 1 for _, weight in self.lies):
            raise InputError("A weight is not positive: every lie set needs a weight of at least 1.")
        _check_whole(self.whole)

    @cached_property
    def whole(self) -> int:
        """The sum of all weights: draws are uniform in 0..whole-1."""
        return self.uniform + sum(weight for _, weight in self.lies)

    @cached_property
    def lying(self) -> Booleans:
        """Row s: the attributes of lie set s, shape (number of lie sets, m)."""
        texts = "".join(name for name, _ in self.lies).encode("ascii")
        return (np.frombuffer(texts, dtype=np.uint8) == ord("1")).reshape(len(self.lies), len(self.sizes))

    def channel(self, axes: Sequence[int]) -> LieSets:
        """The channel on the marginal over ``axes`` (positions within the group, in the order wanted), in floating point."""
        shares = np.array([weight / self.whole for _, weight in self.lies])
        chosen = list(axes)
        return LieSets.listed([self.sizes[i] for i in chosen], self.uniform / self.whole, self.lying[:, chosen], shares)

    def to_dict(self) -> dict[str, Any]:
        """What a mechanism file says of the group."""
        return {"uniform": str(self.uniform), "lies": {name: str(weight) for name, weight in self.lies}}


@dataclass(frozen=True)
class MatrixWeights:
    """One attribute randomised by any stochastic matrix of rational numbers; methods as in ``LieWeights``.

    Parameters
    ----------
    rows : tuple of a tuples of a ints >= 0
        Row x, column y: the true answer x is reported as y with probability rows[x][y] / whole; every row sums to ``whole``.

    Raises
    ------
    InputError
        For rows that are not such integers, or a matrix that cannot be undone.
    """

    rows: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        _check_integers([entry for row in self.rows for entry in row])
        size = len(self.rows)
        if not 2 <= size <= MAX_MATRIX_CATEGORIES:
            raise InputError(f"A matrix is over {size} categories: 2 to {MAX_MATRIX_CATEGORIES} are allowed.")
        for number, row in enumerate(self.rows, 1):
            if len(row) != size:
                raise InputError(f"Row {number} of a matrix has {len(row)} entries: expected {size}, one for each category.")
            if any(entry < 0 for entry in row):
                raise InputError(f"Row {number} of a matrix has a negative entry: probabilities cannot be negative.")
            if sum(row) != self.whole:
                raise InputError(
                    f"Row {number} of a matrix sums to {sum(row)}, the first one to {self.whole}: all rows must have the same sum."
                )
        _check_whole(self.whole)
        shares = np.array([[entry / self.whole for entry in row] for row in self.rows])
        if np.linalg.svd(shares, compute_uv=False).min() < MIN_FACTOR:
            raise InputError(
                "A matrix cannot be undone: under it different true answers are reported in the same way, so nothing can be estimated. "
                "Make its rows differ more."
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of categories, as a tuple of one."""
        return (len(self.rows),)

    @cached_property
    def whole(self) -> int:
        """The sum of every row: draws are uniform in 0..whole-1."""
        return sum(self.rows[0])

    def channel(self, axes: Sequence[int]) -> MatrixChannel:
        return MatrixChannel(np.array([[entry / self.whole for entry in row] for row in self.rows]))

    def to_dict(self) -> dict[str, Any]:
        return {"matrix": [[str(entry) for entry in row] for row in self.rows]}


Weights = LieWeights | MatrixWeights
"""How one group of attributes is randomised."""


def _check_integers(weights: Sequence[int]) -> None:
    wrong = [weight for weight in weights if type(weight) is not int]
    if wrong:
        raise InputError(f"The weight {repr(wrong[0])[:40]} is not a whole number: give integers.")


def _check_whole(whole: int) -> None:
    if whole < 1:
        raise InputError("All weights are 0: at least one must be positive.")
    if whole.bit_length() > MAX_WEIGHT_BITS:
        raise InputError(f"The weights sum to a number of {whole.bit_length()} bits: at most {MAX_WEIGHT_BITS} are allowed.")
