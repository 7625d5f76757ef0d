"""NumPy's noise, seen where it is added to a value: how other people's code is audited.

A generator whose `laplace` and `normal` give noise that knows its law and scale. When it is added to something, that is
a release, and goes through the ledger; any other use than adding, and scaling before, cannot be followed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpfair_cli.mechanisms.ledger import release

UNDECLARED = 0.0  # the sensitivity of a release that nobody declared: nothing is accounted for it


class Noise(np.ndarray[Any, np.dtype[np.float64]]):
    """Noise of a known law that was added to nothing yet, as an array."""

    law: str
    scale: float

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(part) for part in inputs]
        mine = [isinstance(part, Noise) for part in inputs]
        if method != "__call__" or options or all(mine) or ufunc not in (*_ADDING, *_SCALING):
            raise ValueError(f"noise goes through {ufunc.__name__}: the audit follows noise that is added to a value")
        if ufunc in _ADDING:
            return _released(ufunc, plain, self.law, self.scale, mine.index(True))
        factor = plain[mine.index(False)] if len(mine) > 1 else np.array(-1.0)
        if factor.size != 1 or (ufunc is np.true_divide and mine.index(True)):
            raise ValueError("the audit follows noise of one scale: draw it with that scale, or multiply by a number")
        scale = self.scale / abs(factor.item()) if ufunc is np.true_divide else self.scale * abs(factor.item())
        return noise(ufunc(*plain), self.law, scale)


_ADDING = (np.add, np.subtract)
_SCALING = (np.multiply, np.true_divide, np.negative)


def noise(values: Any, law: str, scale: float) -> Noise:
    """Values (any shape) as noise of that law and scale."""
    tracked = np.asarray(values, dtype=float).view(Noise)
    tracked.law, tracked.scale = law, scale
    return tracked


def _released(ufunc: np.ufunc, parts: list[Any], law: str, scale: float, place: int) -> Any:
    """Value plus noise, value minus noise, or noise minus value, as a release of the value."""
    value = np.broadcast_to(parts[1 - place], np.broadcast_shapes(*map(np.shape, parts)))
    sign = -1.0 if ufunc is np.subtract and place == 0 else 1.0
    output = sign * np.asarray(ufunc(*parts))  # the value comes with its own sign
    return sign * release(law, np.asarray(value, dtype=float), output, sensitivity=UNDECLARED, scale=scale)


class TrackedGenerator(np.random.Generator):
    """A generator whose Laplace and normal noise is tracked; everything else is drawn as ever."""

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Laplace noise, or `loc` plus it."""
        return self._drawn("laplace", super().laplace(0.0, 1.0, _shape(loc, scale, size)), loc, scale)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Normal noise, or `loc` plus it."""
        return self._drawn("gaussian", super().normal(0.0, 1.0, _shape(loc, scale, size)), loc, scale)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Normal noise of deviation 1."""
        return self.normal(size=size)

    def _drawn(self, law: str, unit: Any, loc: Any, scale: Any) -> Any:
        scales = np.unique(scale)
        if len(scales) != 1:
            raise ValueError("the audit follows noise of one scale a draw: draw each scale by itself")
        drawn = noise(unit * scales[0], law, float(scales[0]))
        return drawn if np.isscalar(loc) and loc == 0 else loc + drawn


def _shape(loc: Any, scale: Any, size: Any) -> Any:
    return size if size is not None else np.broadcast_shapes(np.shape(loc), np.shape(scale))
