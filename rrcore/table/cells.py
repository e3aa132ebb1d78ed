"""The cells of a marginal: how many there are, and how many records fall into each."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from rrcore.arrays import Codes, Integers
from rrcore.errors import InputError
from rrcore.limits import MAX_CELLS


def check_cells(sizes: Sequence[int], *, most: int = MAX_CELLS) -> None:
    """Raise InputError if a table over attributes of these ``sizes`` has more than ``most`` cells."""
    cells = math.prod(int(size) for size in sizes)
    if cells > most:
        raise InputError(
            f"A table over these {len(sizes)} attributes has {cells:,} cells: at most {most:,} are counted here, "
            "so choose fewer attributes or merge categories."
        )


def cell_numbers(codes: Codes | Sequence[Codes], sizes: Sequence[int], kind: DTypeLike = np.int64) -> Integers:
    """The number of the cell that every record falls into, in the order of a raveled table.

    Parameters
    ----------
    codes : ndarray of shape (n, w), or its columns
    sizes : the w numbers of categories a_i
    kind : the type of the numbers, which has to hold the last one
    """
    columns = codes.T if isinstance(codes, np.ndarray) else codes
    flat = columns[0].astype(kind) if len(columns) else np.zeros(len(codes), kind)
    for column, size in itertools.islice(zip(columns, sizes, strict=True), 1, None):
        flat *= flat.dtype.type(size)
        flat += column.astype(flat.dtype, copy=False)
    return flat


def count_cells(codes: Codes, sizes: Sequence[int], times: Integers | None = None) -> Integers:
    """Counts of every combination of categories, by one ``bincount``.

    Parameters
    ----------
    codes : ndarray of shape (n, w), integer, codes 0..a_i-1
    sizes : the w numbers of categories a_i
    times : ndarray of shape (n,), integer, or None: how many records each row stands for, one by default

    Returns
    -------
    ndarray of shape ``sizes``, int64, summing to the number of records

    Raises
    ------
    InputError
        Above ``MAX_CELLS`` cells.
    """
    check_cells(sizes)
    counts = np.bincount(cell_numbers(codes, sizes), times, math.prod(sizes))
    return counts.astype(np.int64, copy=False).reshape(tuple(sizes))
