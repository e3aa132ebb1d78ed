"""Names of array types, the same in every room."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Codes = NDArray[Any]  # of categories, 0..a_i-1: integers of the smallest type that holds them, see ``code_type``


def code_type(size: int, *, signed: bool = False) -> np.dtype[Any]:
    """The smallest integer type for codes 0..size-1; ``signed`` also holds -1 and -2.

    Codes of this type overflow when they are multiplied or added: convert them first, or look them up.

    Examples
    --------
    >>> code_type(256), code_type(257), code_type(128, signed=True), code_type(129, signed=True)
    (dtype('uint8'), dtype('uint16'), dtype('int8'), dtype('int16'))
    """
    bits = max(size - 1, 1).bit_length() + signed
    return np.dtype(f"{'' if signed else 'u'}int{8 if bits <= 8 else 16 if bits <= 16 else 32}")
