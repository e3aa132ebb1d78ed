"""Unrandomized columns: what they reveal about the sample and about individuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rrcore.errors import InputError
from rrcore.estimate.sample import Lonely
from rrcore.table.text_table import TextColumn, in_order
from rrcore.wording import count_text, counted


@dataclass(frozen=True)
class KnownTotals:
    """Population totals for the combinations of values of some columns.

    Parameters
    ----------
    columns : names of columns of the answers; empty for one overall total
    rows : for every total, one value of each column
    totals : nonnegative numbers
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    totals: tuple[float, ...]


@dataclass(frozen=True)
class SampleColumns:
    """Names of the columns that describe the sample. Each is optional.

    Parameters
    ----------
    weights, strata, clusters : names of unrandomized columns
    populations : KnownTotals by stratum or overall: number of clusters in the population, or of people without clusters
    lonely : as in ``Sample``
    """

    weights: str = ""
    strata: str = ""
    clusters: str = ""
    populations: KnownTotals | None = None
    lonely: Lonely = "refuse"

    @property
    def simple(self) -> bool:
        """True if no columns are named, as for a simple random sample."""
        return not (self.weights or self.strata or self.clusters or self.populations)


SIMPLE = SampleColumns()
"""No columns: a simple random sample."""


def lacking_column(name: str, what: str, missing: int) -> InputError:
    """Return the error for ``missing`` records without a value in column ``name``."""
    them = "it" if missing == 1 else "them"
    return InputError(
        f"{counted(missing, 'record has', 'records have')} no value in the column '{name}' ({what}). Complete {them} "
        f"or remove {them} from the file."
    )


def check_extra(wanted: Sequence[str], known: Sequence[str]) -> None:
    """Raise InputError if a requested column is not among the unrandomized columns."""
    for name in wanted:
        if name not in known:
            have = ", ".join(known[:20]) or "none"
            raise InputError(f"There is no unrandomized column '{name}'. Choose one of {have}.", quoted=have)


def together(files: Sequence[Sequence[TextColumn]]) -> tuple[TextColumn, ...]:
    """Concatenate the columns that all files share, in the order of the first file.

    Values are sorted as numbers or strings.

    Examples
    --------
    >>> one = TextColumn("ward", np.array([0, 1]), ("east", "west"))
    >>> two = TextColumn("ward", np.array([0, -1]), ("north",))
    >>> (both,) = together([[one], [two]])
    >>> both.values, both.codes.tolist()
    (('east', 'north', 'west'), [0, 2, 1, -1])
    """
    named = [{column.name: column for column in columns} for columns in files]
    return tuple(_joined([each[name] for each in named]) for name in named[0] if all(name in each for each in named))


def _joined(columns: Sequence[TextColumn]) -> TextColumn:
    texts = list({value: None for column in columns for value in column.values if value})
    texts = [texts[i] for i in in_order(texts).tolist()] if texts else []
    place = {value: code for code, value in enumerate(texts)}
    codes = [np.array([*(place.get(value, -1) for value in column.values), -1], np.int32)[column.codes] for column in columns]
    return TextColumn(columns[0].name, np.concatenate(codes), tuple(texts))


def people_alone(columns: Sequence[TextColumn]) -> int:
    """Return how many people have a combination of values that is unique.

    A missing value counts as a value.

    Parameters
    ----------
    columns : columns with the same n rows, one per person

    Examples
    --------
    >>> region = TextColumn("region", np.array([0, 0, 1, 1]), ("north", "south"))
    >>> sex = TextColumn("sex", np.array([0, 0, 0, 1]), ("f", "m"))
    >>> people_alone([region]), people_alone([region, sex])
    (0, 2)
    """
    kinds = np.zeros(columns[0].n if columns else 0, np.int64)
    for column in columns:
        kinds = np.unique(kinds * (len(column.values) + 1) + column.codes + 1, return_inverse=True)[1]
    return int((np.bincount(kinds) == 1).sum()) if kinds.size else 0


def alone_sentence(columns: Sequence[TextColumn]) -> str:
    """State how many people these columns single out.

    The text is empty without columns or people.

    Examples
    --------
    >>> region = TextColumn("region", np.array([0, 0, 1]), ("north", "south"))
    >>> print(alone_sentence([region]))
    1 of these 3 people has a unique combination of answers that were not randomized (region). Anyone who knows it finds the row.
    """
    n = columns[0].n if columns else 0
    if not n:
        return ""
    names, alone = ", ".join(column.name for column in columns), people_alone(columns)
    of = f"of {'this' if n == 1 else 'these'} {counted(n, 'person', 'people')}"
    which = f"a unique combination of answers that were not randomized ({names})"
    if not alone:
        return f"None {of} has {which}."
    return f"{count_text(alone)} {of} {'has' if alone == 1 else 'have'} {which}. Anyone who knows it finds the row."
