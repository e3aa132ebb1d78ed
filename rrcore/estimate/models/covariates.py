"""Covariates: columns that were not randomised, as numbers or categories, one value for every answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rrcore.arrays import Booleans, Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.sample import codes_by_name
from rrcore.table.reading import TextColumn, is_number, to_numbers

Columns = Mapping[str, Any] | Iterable[TextColumn]
"""Columns by name (a dict of sequences, a data frame), or the columns of a file that were not randomised (``Answers.groupings``)."""


@dataclass(frozen=True, eq=False)
class Covariate:
    """One column: the distinct texts of it and, where all of them are numbers, those numbers.

    Parameters
    ----------
    name : str
    codes : ndarray of shape (n,), the place of each value among the distinct ones, or -1 where the value is missing
    numbers : ndarray of shape (distinct values,), increasing, or None where a text is no number
    texts : tuple of str, the distinct values as the file writes them, or None for a column that came as numbers
    """

    name: str
    codes: Integers
    numbers: Floats | None
    texts: tuple[str, ...] | None = None

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The distinct values as texts; codes are places in it."""
        if self.texts is not None:
            return self.texts
        return () if self.numbers is None else tuple(f"{value:.12g}" for value in self.numbers.tolist())

    @property
    def missing(self) -> Booleans:
        return np.asarray(self.codes < 0)

    def amounts(self) -> Floats:
        """The numbers of the column, NaN where missing. Raises InputError where it holds texts."""
        if self.numbers is None:
            shown = next((value for value in self.values if not is_number(value)), "")
            raise InputError(
                f"'{self.name}' holds texts such as '{shown[:40]}' where numbers are needed: use it as categories, or leave it out.",
                quoted=shown[:40],
            )
        return np.append(self.numbers, np.nan)[self.codes]


def read_covariates(columns: Columns, n: int) -> dict[str, Covariate]:
    """Covariates by name.

    Parameters
    ----------
    columns : Columns; None, NaN and empty texts are missing
    n : int, number of answers, which every column must have

    Raises
    ------
    InputError
        If a column has another length.

    Examples
    --------
    >>> found = read_covariates({"age": [31, 45, None], "region": ["north", "south", "north"]}, 3)
    >>> found["age"].amounts(), found["region"].values, found["age"].missing.tolist()
    (array([31., 45., nan]), ('north', 'south'), [False, False, True])
    """
    if hasattr(columns, "keys"):
        table: Any = columns  # a dict, or a data frame
        found = [_of_values(str(name), table[name]) for name in table.keys()]  # noqa: SIM118
    else:
        found = [Covariate(c.name, c.codes.astype(np.int64), to_numbers(c.values), c.values) for c in columns]
    for each in found:
        if len(each.codes) != n:
            raise InputError(
                f"The column '{each.name}' has {len(each.codes):,} values, and there are {n:,} answers: give one for each."
            )
    return {each.name: each for each in found}


def _of_values(name: str, values: Any) -> Covariate:
    if isinstance(values, Covariate):
        return values
    raw = np.asarray(values)
    if raw.ndim != 1:
        raise InputError(f"The column '{name}' has shape {raw.shape}: give one value for every answer.")
    if raw.dtype.kind in "biuf":
        numbers = raw.astype(np.float64)
        distinct, codes = np.unique(numbers, return_inverse=True)
        if np.isinf(distinct).any():
            raise InputError(f"The column '{name}' has an infinite number: leave out the row, or the column.")
        known = int(np.count_nonzero(~np.isnan(distinct)))
        codes = np.where(np.isnan(numbers), -1, codes)
        return Covariate(name, codes.astype(np.int64), distinct[:known])
    codes, values_ = codes_by_name(["" if value is None or value != value else str(value).strip() for value in raw.tolist()])
    if values_ and values_[0] == "":
        values_, codes = values_[1:], codes - 1
    numbers_ = to_numbers(values_)
    if numbers_ is not None:
        order = np.argsort(numbers_, kind="stable")
        codes = np.where(codes < 0, -1, np.argsort(order)[codes])
        values_, numbers_ = tuple(values_[i] for i in order), numbers_[order]
    return Covariate(name, codes.astype(np.int64), numbers_, values_)


def together(parts: Sequence[dict[str, Covariate]]) -> dict[str, Covariate]:
    """The covariates of all groups of answers, those that every group has."""
    if len(parts) == 1:
        return parts[0]
    shared = [name for name in parts[0] if all(name in part for part in parts)]
    columns = {name: _below([part[name] for part in parts]) for name in shared}
    return read_covariates(columns, len(next(iter(columns.values()))) if shared else 0)


def _below(columns: Sequence[Covariate]) -> Any:
    """One column below the other: numbers where all came as numbers, else texts."""
    if all(column.texts is None for column in columns):
        return np.concatenate([column.amounts() for column in columns])
    return np.concatenate([np.array([*column.values, ""])[column.codes] for column in columns])
