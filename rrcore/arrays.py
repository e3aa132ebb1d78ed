"""Names of array types, the same in every room."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Codes = NDArray[np.int32]  # of categories, 0..a_i-1
