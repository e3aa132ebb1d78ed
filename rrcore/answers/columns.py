"""Columns beside the answers, of one file or of several that were saved one after the other, and what they say of the sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.arrays import Floats, Integers
from rrcore.errors import InputError
from rrcore.estimate.sample import Lonely
from rrcore.table.text_table import TextColumn, to_numbers
from rrcore.wording import counted


@dataclass(frozen=True)
class KnownTotals:
    """What is known of the population: a total for every combination of the values of some columns.

    Parameters
    ----------
    columns : names of the columns, as the answers have them; none for one total of all
    rows : a value of each column, for every total
    totals : numbers of 0 or more
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    totals: tuple[float, ...]


@dataclass(frozen=True)
class SampleColumns:
    """Which columns of the answers say how people were drawn; each may be left out.

    Parameters
    ----------
    weights, strata, clusters : names of columns that were not randomised
    populations : KnownTotals of the column of strata, or of none: how many clusters, or people where there are none, the population has
    lonely : as in ``Sample``
    """

    weights: str = ""
    strata: str = ""
    clusters: str = ""
    populations: KnownTotals | None = None
    lonely: Lonely = "refuse"

    @property
    def simple(self) -> bool:
        """Whether nothing is named: a simple random sample."""
        return not (self.weights or self.strata or self.clusters or self.populations)

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns by which people have to be told apart; not by weights alone, which add up."""
        return tuple(dict.fromkeys(name for name in (self.strata, self.clusters) if name))


SIMPLE = SampleColumns()
"""No column says anything: a simple random sample."""


@dataclass(frozen=True, eq=False)
class Crowd:
    """What rows of answers stand for, where each is a kind of people and not one of them.

    Parameters
    ----------
    times : ndarray of shape (n,), integer >= 1, how many people each row stands for
    weights : name of the column of weights, which is none of the columns of the rows; empty where there are none
    sums, squares : ndarrays of shape (n,), sums of the weights of these people, and of their squares; None without weights
    """

    times: Integers
    weights: str = ""
    sums: Floats | None = None
    squares: Floats | None = None

    def take(self, rows: Integers) -> Crowd:
        """Those of ``rows``."""
        sums, squares = (None if each is None else each[rows] for each in (self.sums, self.squares))
        return Crowd(self.times[rows], self.weights, sums, squares)


def lacking_column(name: str, what: str, missing: int) -> InputError:
    """What is raised where ``missing`` records have no value in the column ``name``."""
    them = "it" if missing == 1 else "them"
    return InputError(
        f"{counted(missing, 'record has', 'records have')} no value in '{name}', the column of the {what}: complete {them}, or take "
        f"{them} out of the file."
    )


def together(files: Sequence[Sequence[TextColumn]]) -> tuple[TextColumn, ...]:
    """The columns that all files have, one below the other, in the order of the first.

    Examples
    --------
    >>> one = TextColumn("ward", np.array([0, 1]), ("east", "west"))
    >>> two = TextColumn("ward", np.array([0, -1]), ("north",))
    >>> (both,) = together([[one], [two]])
    >>> both.values, both.codes.tolist()
    (('east', 'north', 'west'), [0, 2, 1, -1])
    """
    if len(files) == 1:
        return tuple(files[0])
    named = [{column.name: column for column in columns} for columns in files]
    return tuple(_joined([each[name] for each in named]) for name in named[0] if all(name in each for each in named))


def _joined(columns: Sequence[TextColumn]) -> TextColumn:
    """One column below the other; values in number order if all are numbers, else in text order."""
    texts = sorted({value for column in columns for value in column.values})
    numbers = to_numbers(texts)
    if numbers is not None:
        texts = [texts[i] for i in np.argsort(numbers, kind="stable")]
    place = {value: code for code, value in enumerate(texts)}
    codes = [np.array([*map(place.__getitem__, column.values), -1], dtype=np.int32)[column.codes] for column in columns]
    return TextColumn(columns[0].name, np.concatenate(codes), tuple(texts))
