"""NumPy noise that is recorded when it is added to a value, for audits of other authors' code.

`laplace` and `normal` of a TrackedGenerator return `Noise` objects, which know their law and scale
and are not arrays. Adding a Noise to a value is a release, which the ledger records. Before that, a
Noise may be scaled, reshaped and indexed. Any other use is refused, because the audit cannot follow
the noise. Other distributions are drawn as usual, and `unfollowed()` collects their names.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.ledger import release

UNDECLARED = 0.0  # recorded sensitivity of a release without a declared one

_ADDING = (np.add, np.subtract)
_SCALING = (np.multiply, np.true_divide, np.negative)


class Noise(NDArrayOperatorsMixin):
    """Noise of a known distribution that has not been added to a value."""

    def __init__(self, values: Floats, law: str, scale: float) -> None:
        self.values, self.law, self.scale = values, law, scale

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = (), **options: Any
    ) -> Any:
        if method != "__call__" or options or ufunc not in (*_ADDING, *_SCALING):
            _lost(f"goes through {ufunc.__name__}")
        if len(inputs) == 2 and all(isinstance(part, Noise) for part in inputs):
            _lost("is combined with other noise")
        place = 0 if inputs[0] is self else 1
        if ufunc in _SCALING:
            return self._scaled(ufunc, inputs, place)
        released = self._released(ufunc, inputs, place)
        if not out or isinstance(out[0], Noise):  # noise += value rebinds the name to the release
            return released
        out[0][...] = released
        return out[0]

    def _scaled(self, ufunc: np.ufunc, inputs: tuple[Any, ...], place: int) -> Noise:
        factor = np.asarray(inputs[1 - place] if len(inputs) > 1 else -1.0, dtype=float)
        if factor.size != 1 or (ufunc is np.true_divide and place == 1):
            _lost("is scaled by several numbers: draw the noise with one scale")
        times = 1 / float(factor.item()) if ufunc is np.true_divide else float(factor.item())
        return Noise(self.values * times, self.law, self.scale * abs(times))

    def _released(self, ufunc: np.ufunc, inputs: tuple[Any, ...], place: int) -> Any:
        """The sum or difference of a value and this noise, recorded as a release of the value.

        The sum or difference is the call of `ufunc` with `inputs`, in which the noise is at
        `place`.
        """
        value = np.asarray(inputs[1 - place], dtype=float)
        shape = np.broadcast_shapes(value.shape, self.values.shape)
        if shape != self.values.shape:
            _lost("is added to a larger array than its own: draw one number for each entry")
        value = np.broadcast_to(value, shape)
        subtracts = ufunc is np.subtract
        sign = -1.0 if subtracts and place == 0 else 1.0  # noise - value = -(value - noise)
        noisy = value - self.values if subtracts else value + self.values
        return sign * release(self.law, value, noisy, sensitivity=UNDECLARED, scale=self.scale)

    def __getitem__(self, key: Any) -> Noise:
        return Noise(self.values[key], self.law, self.scale)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the noise, like that of an array."""
        return self.values.shape

    @property
    def size(self) -> int:
        """The number of noise variables, like the size of an array."""
        return self.values.size

    def reshape(self, *shape: Any) -> Noise:
        """The same noise in another shape."""
        return Noise(self.values.reshape(*shape), self.law, self.scale)

    def item(self) -> Noise:
        """The noise itself, if it is a single number."""
        return Noise(np.asarray(self.values.item()), self.law, self.scale)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        _lost("is converted to an array")

    def __array_function__(self, function: Callable[..., Any], *_: Any) -> NoReturn:
        _lost(f"goes through {function.__name__}")

    def __float__(self) -> NoReturn:
        _lost("is converted to a number")

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):  # Python and NumPy look these up on every object
            raise AttributeError(name)
        _lost(f"is used through its attribute {name!r}")


def _lost(what: str) -> NoReturn:
    raise ValueError(
        f"the audit cannot follow noise that {what}: the noise must be added to a value"
    )


class TrackedGenerator(np.random.Generator):
    """A random generator that tracks its Laplace and normal noise.

    Other random numbers are drawn as usual. Mechanisms of dpfair get plain noise, since they record
    their releases in the ledger themselves.
    """

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Laplace noise; with `loc`, the sum of `loc` and the noise."""
        if _asked_by_a_mechanism():
            return super().laplace(loc, scale, size)
        return _drawn("laplace", super().laplace(0.0, 1.0, _shape(loc, scale, size)), loc, scale)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Normal noise; with `loc`, the sum of `loc` and the noise."""
        if _asked_by_a_mechanism():
            return super().normal(loc, scale, size)
        return _drawn("gaussian", super().normal(0.0, 1.0, _shape(loc, scale, size)), loc, scale)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Normal noise of standard deviation 1."""
        return _drawn("gaussian", super().normal(size=size), 0.0, 1.0)


# laws that may be noise but are not tracked; all other methods select or permute records
OTHER_LAWS = (
    "random", "uniform", "triangular", "beta", "exponential", "standard_exponential", "gamma",
    "standard_gamma", "gumbel", "logistic", "lognormal", "standard_cauchy", "standard_t",
    "geometric", "poisson", "binomial", "negative_binomial",
)  # fmt: skip
_unfollowed: ContextVar[set[str] | None] = ContextVar("unfollowed", default=None)


@contextmanager
def unfollowed() -> Iterator[set[str]]:
    """A context that collects the names of other distributions which a TrackedGenerator draws."""
    found: set[str] = set()
    token = _unfollowed.set(found)
    try:
        yield found
    finally:
        _unfollowed.reset(token)


def _noticed(name: str) -> Callable[..., Any]:
    plain = getattr(np.random.Generator, name)

    def draw(rng: TrackedGenerator, *arguments: Any, **options: Any) -> Any:
        found = _unfollowed.get()
        if found is not None and not _asked_by_a_mechanism():
            found.add(name)
        return plain(rng, *arguments, **options)

    return draw


for _name in OTHER_LAWS:
    setattr(TrackedGenerator, _name, _noticed(_name))


def _asked_by_a_mechanism() -> bool:
    return str(sys._getframe(2).f_globals.get("__name__")).startswith("dpfair_cli.mechanisms")


def _drawn(law: str, unit: Any, loc: Any, scale: Any) -> Any:
    scales = np.unique(scale)
    if len(scales) != 1:
        _lost("has several scales: draw separate noise for each scale")
    drawn = Noise(np.asarray(unit * scales[0]), law, float(scales[0]))
    return drawn if np.isscalar(loc) and loc == 0 else loc + drawn


def _shape(loc: Any, scale: Any, size: Any) -> Any:
    return size if size is not None else np.broadcast_shapes(np.shape(loc), np.shape(scale))
