"""Whether two things are the same in every part that an attacker could read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def same(one: Any, other: Any, *, rounding: float = 0.0) -> bool:
    """Whether two values are of one type and equal in every part, whatever they are made of.

    Arrays, sequences and mappings are compared by their parts, other objects by their attributes; NaN equals NaN.
    """
    return _Comparison(rounding).same(one, other)


class _Comparison:
    """Knows (and keeps) the pairs of objects it has met, so that one that refers to itself comes to an end."""

    def __init__(self, rounding: float) -> None:
        self.rounding = rounding
        self.met: dict[tuple[int, int], tuple[Any, Any]] = {}

    def same(self, one: Any, other: Any) -> bool:
        if one is other or (id(one), id(other)) in self.met:
            return True
        self.met[id(one), id(other)] = one, other
        if isinstance(one, (np.ndarray, np.generic)) or isinstance(other, (np.ndarray, np.generic)):
            return self._same_arrays(np.asarray(one), np.asarray(other))
        if type(one) is not type(other):
            return False
        if isinstance(one, (bool, int, float, complex)):
            return self._same_arrays(np.asarray(one), np.asarray(other))
        if isinstance(one, Mapping):
            return one.keys() == other.keys() and all(self.same(one[name], other[name]) for name in one)
        if isinstance(one, Sequence) and not isinstance(one, (str, bytes)):
            return len(one) == len(other) and all(map(self.same, one, other))
        return self._same_objects(one, other)

    def _same_arrays(self, one: Any, other: Any) -> bool:
        if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
            return False
        if one.dtype.kind in "fc":
            return bool(np.allclose(one, other, rtol=self.rounding, atol=0, equal_nan=True))
        if one.dtype.kind == "O":
            return all(map(self.same, one.ravel().tolist(), other.ravel().tolist()))
        return bool(np.array_equal(one, other))

    def _same_objects(self, one: Any, other: Any) -> bool:
        parts = [getattr(each, "__dict__", None) for each in (one, other)]
        if parts[0] is None or callable(one):
            return bool(one == other)
        return self.same(*parts)
