"""Name the types of arrays, and count codes."""

import itertools
import math
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rrcore.errors import InputError
from rrcore.limits import MAX_CELLS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Codes = NDArray[Any]  # of categories, 0..a_i-1: integers of the smallest type that holds them, see ``code_type``


def code_type(size: int) -> np.dtype[Any]:
    """Return the smallest integer type that holds the codes 0..size-1.

    The type also holds the codes -1 (missing) and -2 (unusable).

    Differences of codes fit this type, but sums and products may overflow. Convert codes before adding or multiplying them.

    Examples
    --------
    >>> code_type(128), code_type(1000)
    (dtype('int8'), dtype('int16'))
    """
    return np.min_scalar_type(-max(size, 2))


def outer(vectors: Iterable[Floats], operation: np.ufunc = np.multiply) -> Floats:
    """Return the outer product of ``vectors``, or another outer ``operation``.

    Each vector contributes one axis of the result.
    """
    return np.asarray(reduce(operation.outer, vectors, np.full((), operation.identity, dtype=np.float64)))


def check_cells(sizes: Sequence[int], *, most: int = MAX_CELLS) -> None:
    """Raise InputError if a table over these attributes has more than ``most`` cells."""
    if (cells := math.prod(map(int, sizes))) > most:
        raise InputError(
            f"This table has {cells:,} cells, but at most {most:,} can be counted. Choose fewer attributes or categories."
        )


def cell_numbers(codes: Codes | Sequence[Codes], sizes: Sequence[int], kind: DTypeLike = np.int64) -> Integers:
    """Return the number of the cell that contains each record.

    Cells are numbered as in a raveled table.

    Parameters
    ----------
    codes : ndarray of shape (n, w), or its columns
    sizes : the w numbers of categories a_i
    kind : type of the cell numbers, large enough for the last one
    """
    columns = codes.T if isinstance(codes, np.ndarray) else codes
    flat = columns[0].astype(kind) if len(columns) else np.zeros(len(codes), kind)
    for column, size in itertools.islice(zip(columns, sizes, strict=True), 1, None):
        flat *= flat.dtype.type(size)
        flat += column.astype(flat.dtype, copy=False)
    return flat


def count_cells(codes: Codes, sizes: Sequence[int], times: Integers | None = None) -> Integers:
    """Count every combination of categories.

    Parameters
    ----------
    codes : ndarray of shape (n, w), integer, codes 0..a_i-1
    sizes : the w numbers of categories a_i
    times : ndarray of shape (n,), integer, or None: number of records that each row represents, 1 by default

    Returns
    -------
    ndarray of shape ``sizes``, int64, whose sum is the number of records

    Raises
    ------
    InputError
        If there are more than ``MAX_CELLS`` cells.
    """
    check_cells(sizes)
    counts = np.bincount(cell_numbers(codes, sizes), times, math.prod(sizes))
    return counts.astype(np.int64, copy=False).reshape(tuple(sizes))
