"""The identity of data: the SHA-256 of everything that a fit reads."""

from __future__ import annotations

import hashlib
from typing import Any

from numpy.typing import NDArray


def fingerprint(about: object, *arrays: NDArray[Any]) -> str:
    """The SHA-256 digest of the text of `about` and the bytes of the arrays."""
    # the text has shapes and names, so that the same bytes in another form differ
    found = hashlib.sha256(repr(about).encode())
    for array in arrays:
        found.update(array.tobytes())
    return found.hexdigest()
