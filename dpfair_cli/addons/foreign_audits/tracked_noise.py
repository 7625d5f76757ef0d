"""NumPy noise that is recorded when it is added to a value, for audits of other authors' code.

`laplace` and `normal` of a TrackedGenerator return `Noise` objects, which know their law and scale
and are not arrays. Adding a Noise to a value is a release, which the ledger records. Before that, a
Noise may be scaled, reshaped and indexed. Any other use is refused, because the audit cannot follow
the noise. Noise plus a value that all neighbours share, such as 0, is still noise. Other
distributions are drawn as usual, and `unfollowed()` collects their names.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from dpfair_cli.addons.foreign_audits.noisy_scores import UNDECLARED, noise_for_scores
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.ledger import release

_ADDING = (np.add, np.subtract)
_SCALING = (np.multiply, np.true_divide, np.negative)


class FollowedNoise(NDArrayOperatorsMixin):
    """Noise of a known distribution that has not been added to a value."""

    def __init__(self, values: Floats, law: str, scale: float, shift: Floats | None = None) -> None:
        self.values, self.law, self.scale = values, law, scale
        self.shift = shift  # a value that all neighbours share, which was added to the noise
        self.output: Any = None  # after the release of noise with a shift

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = (), **options: Any
    ) -> Any:
        two = len(inputs) == 2 and all(isinstance(part, FollowedNoise) for part in inputs)
        lost = method != "__call__" or bool(options) or ufunc not in (*_ADDING, *_SCALING)
        if (two or lost or self.output is not None) and self.shift is not None:
            plain = [self._asked() if part is self else part for part in inputs]
            return getattr(ufunc, method)(*plain, **options)
        if lost:
            _lost(f"goes through {ufunc.__name__}")
        if two:
            other = inputs[1] if inputs[0] is self else inputs[0]
            if other.shift is None:
                _lost("is combined with other noise")
            plain = [other._asked() if part is other else part for part in inputs]
            return ufunc(*plain)
        place = 0 if inputs[0] is self else 1
        if ufunc in _SCALING:
            return self._scaled(ufunc, inputs, place)
        released = self._released(ufunc, inputs, place)
        if (
            not out or isinstance(out[0], FollowedNoise) or isinstance(released, FollowedNoise)
        ):  # noise += value rebinds the name to the release
            return released
        out[0][...] = released
        return out[0]

    def _scaled(self, ufunc: np.ufunc, inputs: tuple[Any, ...], place: int) -> FollowedNoise:
        """The noise times, or divided by, one number; the law stays and the scale changes.

        Raises:
            ValueError: the numbers are several, after which the noise has no single scale.
        """
        factor = np.asarray(inputs[1 - place] if len(inputs) > 1 else -1.0, dtype=float)
        if factor.size != 1 or (ufunc is np.true_divide and place == 1):
            _lost("is scaled by several numbers: draw the noise with one scale")
        times = 1 / float(factor.item()) if ufunc is np.true_divide else float(factor.item())
        shift = None if self.shift is None else self.shift * times
        return FollowedNoise(self.values * times, self.law, self.scale * abs(times), shift)

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
        if self.shift is not None:  # value - (shift + noise) = (value - shift) - noise
            value = value + np.where(subtracts, -1.0, 1.0) * self.shift
        if _is_shared(value):
            signs = (sign, sign * (-1.0 if subtracts else 1.0))
            return FollowedNoise(self.values * signs[1], self.law, self.scale, value * signs[0])
        noisy = value - self.values if subtracts else value + self.values
        return sign * release(self.law, value, noisy, sensitivity=UNDECLARED, scale=self.scale)

    def _asked(self) -> Any:
        """The sum of the noise and the value that all neighbours share, recorded as a release.

        Raises:
            ValueError: no value was added to the noise.
        """
        if self.output is None:
            assert self.shift is not None
            noisy = self.shift + self.values
            self.output = release(
                self.law, self.shift, noisy, sensitivity=UNDECLARED, scale=self.scale
            )
        return self.output

    def _changed(self, change: Callable[[Any], Any]) -> Any:
        """The noise, or its released sum, after a change of its shape."""
        if self.output is not None:
            return change(self.output)
        shift = None if self.shift is None else change(self.shift)
        return FollowedNoise(change(self.values), self.law, self.scale, shift)

    def __getitem__(self, key: Any) -> Any:
        return self._changed(lambda array: array[key])

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

    def reshape(self, *shape: Any) -> Any:
        """The same noise in another shape."""
        return self._changed(lambda array: array.reshape(*shape))

    def item(self) -> Any:
        """The noise itself, if it is a single number."""
        return self._changed(lambda array: np.asarray(array.item()))

    def __array__(self, *given: Any, **options: Any) -> Any:
        if self.shift is None:
            _lost("is converted to an array")
        return np.array(self._asked(), *given, **options)

    def __array_function__(
        self, function: Callable[..., Any], _: Any, inputs: Any, options: Any
    ) -> Any:
        if self.shift is None:
            _lost(f"goes through {function.__name__}")
        return function(*released_values(inputs), **released_values(options))

    def __float__(self) -> float:
        if self.shift is None:
            _lost("is converted to a number")
        return float(self._asked())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # Python and NumPy look these up on every object
            raise AttributeError(name)
        if self.shift is None:
            _lost(f"is used through its attribute {name!r}")
        return getattr(self._asked(), name)


def released_values(content: Any) -> Any:
    """The content with noise to which a shared value was added replaced by its release."""
    if isinstance(content, FollowedNoise) and content.shift is not None:
        return content._asked()
    if type(content) in (list, tuple):
        return type(content)(map(released_values, content))
    if type(content) is dict:
        return {key: released_values(part) for key, part in content.items()}
    return content


@dataclass
class Additions:
    """The additions of values to noise in one fit, in their order."""

    # the places of additions whose value all neighbours share; the sum is still noise
    shared: frozenset[int] = frozenset()
    values: list[Floats] = field(default_factory=list)  # the values that were added


_additions: ContextVar[Additions | None] = ContextVar("additions", default=None)


@contextmanager
def additions(shared: frozenset[int]) -> Iterator[Additions]:
    """A context that collects the values that one fit adds to noise."""
    found = Additions(shared)
    token = _additions.set(found)
    try:
        yield found
    finally:
        _additions.reset(token)


def _is_shared(value: Floats) -> bool:
    """Whether the value of this addition, which is counted, is one that all neighbours share."""
    found = _additions.get()
    if found is None:
        return False
    found.values.append(np.array(value))
    return len(found.values) - 1 in found.shared


def _lost(what: str) -> NoReturn:
    """Refuses a use of noise after which the audit could no longer say what was released."""
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
    "random", "integers", "choice", "bytes", "uniform", "weibull", "chisquare", "rayleigh",
    "noncentral_chisquare", "f", "noncentral_f", "pareto", "power", "vonmises", "wald", "zipf",
    "logseries", "hypergeometric", "multinomial", "dirichlet",
    "multivariate_hypergeometric", "triangular", "beta", "exponential",
    "standard_exponential", "gamma",
    "standard_gamma", "gumbel", "logistic", "lognormal", "standard_cauchy", "standard_t",
    "geometric", "poisson", "binomial", "negative_binomial",
)  # fmt: skip
MANY = 2**16  # values; a single integer from so many is a seed for another library, and no noise
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
    """The method `name` of a generator, which notes that its law is not followed."""
    plain = getattr(np.random.Generator, name)

    def draw(rng: TrackedGenerator, *arguments: Any, **options: Any) -> Any:
        found, value = _unfollowed.get(), plain(rng, *arguments, **options)
        is_seed = (
            name == "integers" and np.ndim(value) == 0 and _range(*arguments, **options) > MANY
        )
        if found is not None and not is_seed and not _asked_by_a_mechanism():
            found.add(name)
        return value

    return draw


def _for_scores(name: str, law: str) -> Callable[..., Any]:
    """The method `name` of a generator; its noise of this law is followed to a noisy maximum."""
    plain, noticed = getattr(np.random.Generator, name), _noticed(name)

    def draw(rng: TrackedGenerator, *arguments: Any, **options: Any) -> Any:
        if _asked_by_a_mechanism():
            return plain(rng, *arguments, **options)
        value = noticed(rng, *arguments, **options)
        if not np.ndim(value):
            return value
        return noise_for_scores(value, law, _scale_of(name, *arguments, **options))

    return draw


def _scale_of(name: str, *arguments: Any, **options: Any) -> float:
    """The scale of noise about 0 that a method draws; 0 if there is not one for all numbers."""
    taken = {"gumbel": ("loc", "scale"), "exponential": ("scale",)}.get(name, ())
    given = dict(zip(taken, arguments, strict=False)) | options
    scale, loc = given.get("scale", 1.0), given.get("loc", 0.0)
    return float(scale) if np.ndim(scale) == np.ndim(loc) == 0 and loc == 0 else 0.0


for _name in OTHER_LAWS:
    setattr(TrackedGenerator, _name, _noticed(_name))
for _name in ("exponential", "standard_exponential", "gumbel"):
    setattr(TrackedGenerator, _name, _for_scores(_name, _name.removeprefix("standard_")))


def _range(low: int, high: int | None = None, **options: Any) -> int:
    """The number of values from which `rng.integers` draws."""
    return low if high is None else high - low


def _asked_by_a_mechanism() -> bool:
    """Whether the caller of a method of the generator is a mechanism of dpfair."""
    return str(sys._getframe(2).f_globals.get("__name__")).startswith("dpfair_cli.mechanisms")


def _drawn(law: str, unit: Any, loc: Any, scale: Any) -> Any:
    """Followed noise, or its sum with a location."""
    scales = np.unique(scale)
    if len(scales) != 1:
        _lost("has several scales: draw separate noise for each scale")
    drawn = FollowedNoise(np.asarray(unit * scales[0]), law, float(scales[0]))
    return drawn if np.isscalar(loc) and loc == 0 else loc + drawn


def _shape(loc: Any, scale: Any, size: Any) -> Any:
    """The shape of what a method draws, which follows from its parameters without a `size`."""
    return size if size is not None else np.broadcast_shapes(np.shape(loc), np.shape(scale))
