"""Names of array types, the same in every room."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Codes = NDArray[Any]  # of categories, 0..a_i-1: integers of the smallest type that holds them, see ``code_type``


def code_type(size: int) -> np.dtype[Any]:
    """The smallest integer type for codes 0..size-1, and for the -1 and -2 of answers that are missing or unusable.

    Differences of codes of this type fit it, sums and products may not: convert them first, or look them up.

    Examples
    --------
    >>> code_type(128), code_type(1000)
    (dtype('int8'), dtype('int16'))
    """
    return np.min_scalar_type(-max(size, 2))
