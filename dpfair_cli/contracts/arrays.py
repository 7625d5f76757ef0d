"""Names for the types of arrays, by the numbers that an array holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Complexes = NDArray[np.complex128]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Words = NDArray[np.uint64]
Pixels = NDArray[np.uint8]
LARGEST = 1e100  # sums of squares and products of such numbers are finite
