"""Columns beside the answers, of one file or of several that were saved one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rrcore.table.reading import TextColumn, to_numbers


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
    codes = [np.array([*(place[value] for value in column.values), -1], dtype=np.int32)[column.codes] for column in columns]
    return TextColumn(columns[0].name, np.concatenate(codes), tuple(texts))
