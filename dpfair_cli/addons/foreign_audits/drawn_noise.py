"""The noise that a function draws with `rng`, as one vector that an audit can choose.

The outcome of a function is a map of its noise vector. `NoiseVector` says how the numbers that the
function draws follow from the vector, and what the density of the vector is. Two forms are known:

- Laplace and normal noise. The vector has all drawn numbers, in units of their scale.
- A direction and a length, as of objective perturbation (Chaudhuri, Monteleoni and Sarwate 2011): a
  normal vector z, of which only the direction z / |z| counts, and a length r of `rng.gamma` or
  `rng.exponential`. The vector is v = r z / |z|, in R^k. Its density is that of r = |v|, divided by
  the area |v|^(k - 1) of a sphere, up to a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli.auditing.repeating import numbers_in
from dpfair_cli.contracts.arrays import Floats

Run = Callable[[Any, np.random.Generator], Any]
"""A function of an input and a random generator."""
EXACT = 1e-9  # relative difference of outcomes that count as equal


class NotOneToOneError(ValueError):
    """The error that the outcome of a function is not known to be a one-to-one map of noise."""


@dataclass(frozen=True)
class DrawnLaw:
    """The law of one drawn array in units of its scale."""

    name: str  # the name of the law, such as "laplace"
    size: int  # the number of drawn numbers
    shape: float = 1.0  # the shape parameter of a gamma distribution


class DrawnNoise(np.random.Generator):
    """A generator that returns chosen noise, or draws it, and keeps what it returned.

    Other random numbers than noise are refused.
    """

    def __init__(self, source: np.random.Generator, given: Sequence[Floats] = ()) -> None:
        super().__init__(source.bit_generator)
        self.given = given
        self.laws: list[DrawnLaw] = []
        self.values: list[Floats] = []

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Laplace noise."""
        shape = _shape(size, loc, scale)
        return loc + scale * self._unit("laplace", shape, super().laplace)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Normal noise."""
        return loc + scale * self._unit("normal", _shape(size, loc, scale), super().normal)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Normal noise of standard deviation 1."""
        return self._unit("normal", _shape(size), super().normal)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        """The length of a noise vector."""
        if np.ndim(shape):
            raise NotOneToOneError("gamma noise has several shapes")

        def drawn(size: tuple[int, ...]) -> Any:
            """Gamma numbers with the scale 1; the scale is applied to given noise, too."""
            return super(DrawnNoise, self).gamma(shape, size=size)

        return scale * self._unit("gamma", _shape(size, scale), drawn, float(shape))

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """The length of a noise vector."""
        return self.gamma(1.0, scale, size)

    def _unit(
        self, name: str, shape: tuple[int, ...], draw: Callable[..., Any], parameter: float = 1.0
    ) -> Any:
        """The next array of noise in units of its scale: a given one, or a drawn one.

        Raises:
            NotOneToOneError: the next given array has another size.
        """
        position, law = len(self.laws), DrawnLaw(name, int(np.prod(shape)), parameter)
        self.laws.append(law)
        if not self.given:
            self.values.append(np.array(draw(size=shape), dtype=float).ravel())
        elif position < len(self.given) and len(self.given[position]) == law.size:
            self.values.append(self.given[position])
        else:
            raise NotOneToOneError("the amount of noise depends on the data")
        drawn = self.values[-1].reshape(shape)
        return drawn if shape else float(drawn)


def _refused(name: str) -> Callable[..., Any]:
    """A method that refuses a function with other random numbers than noise."""

    def draw(rng: DrawnNoise, *arguments: Any, **options: Any) -> Any:
        raise NotOneToOneError(f"rng.{name} is called")

    return draw


for _name in dir(np.random.Generator):
    if not _name.startswith("_") and _name not in vars(DrawnNoise) and _name != "bit_generator":
        setattr(DrawnNoise, _name, _refused(_name))


def _shape(size: Any, *parameters: Any) -> tuple[int, ...]:
    """The shape of what a method draws, which follows from its parameters without a `size`."""
    if size is None:
        return np.broadcast_shapes(*map(np.shape, parameters))
    return (size,) if np.ndim(size) == 0 else tuple(size)


@dataclass(frozen=True)
class NoiseVector:
    """How a function's drawn noise follows from a vector, and the density of the vector."""

    run: Run  # the function
    laws: tuple[DrawnLaw, ...]  # the laws of the drawn arrays
    # the position of the array of which only the direction counts, if there is one
    direction: int | None = None

    @property
    def is_round(self) -> bool:
        """Whether the density depends on the length of the vector alone."""
        return all(law.name != "laplace" for law in self.laws)

    @property
    def is_normal(self) -> bool:
        """Whether all numbers of the vector are independent and normal."""
        return all(law.name == "normal" for law in self.laws)

    def drawn(self, one: Any, rng: np.random.Generator) -> Floats:
        """The noise vector of a run of the input `one`, (k,).

        Raises:
            NotOneToOneError: the noise is not of the same form.
        """
        _, laws, values = _ran(self.run, one, rng, ())
        if laws != self.laws:
            raise NotOneToOneError("the noise differs between two runs")
        if self.direction is None:
            return np.concatenate(values)
        z, length = values[self.direction], values[1 - self.direction]
        return np.asarray(length * z / np.linalg.norm(z))

    def outcome(self, one: Any, vector: Floats) -> Floats:
        """The numbers of the outcome of the input `one` with a noise vector (k,).

        Raises:
            NotOneToOneError: the function draws other noise than in other runs, or fails.
        """
        if self.direction is None:
            given = np.split(vector, np.cumsum([law.size for law in self.laws])[:-1])
        else:
            length = np.linalg.norm(vector)
            given = [np.array([length]), np.array([length])]
            given[self.direction] = vector / max(float(length), 1e-300)
        numbers, laws, _ = _ran(self.run, one, np.random.default_rng(0), given)
        if laws != self.laws:
            raise NotOneToOneError("the noise depends on the data")
        return numbers

    def log_density(self, vector: Floats) -> float:
        """The logarithm of the density of a noise vector (k,), up to a constant."""
        if self.direction is not None:
            shape, length = self.laws[1 - self.direction].shape, float(np.linalg.norm(vector))
            return float((shape - len(vector)) * np.log(length) - length)
        parts = np.split(vector, np.cumsum([law.size for law in self.laws])[:-1])
        return sum(
            -float(np.abs(part).sum() if law.name == "laplace" else (part**2).sum() / 2)
            for law, part in zip(self.laws, parts, strict=True)
        )


def noise_vector(run: Run, one: Any, rng: np.random.Generator) -> NoiseVector:
    """The noise vector of a function, of as many numbers as the outcome has.

    Raises:
        NotOneToOneError: the function draws other random numbers, or more or fewer of them.
    """
    outcome, laws, values = _ran(run, one, rng, ())
    names, dimension = {law.name for law in laws}, len(outcome)
    if names <= {"laplace", "normal"} and sum(law.size for law in laws) == dimension > 0:
        return NoiseVector(run, laws)
    if sorted(law.name for law in laws) == ["gamma", "normal"]:
        place = [law.name for law in laws].index("normal")
        # only the direction of the normal vector counts if twice the vector gives the same outcome
        scaled = [2 * one if k == place else one for k, one in enumerate(values)]
        again, _, _ = _ran(run, one, np.random.default_rng(0), scaled)
        one_length = laws[1 - place].size == 1 and laws[place].size == dimension > 1
        near = again.shape == outcome.shape and np.allclose(again, outcome, rtol=EXACT, atol=0)
        if one_length and near:
            return NoiseVector(run, laws, place)
    raise NotOneToOneError("the outcome does not have as many numbers as the noise")


def _ran(
    run: Run, one: Any, source: np.random.Generator, given: Sequence[Floats]
) -> tuple[Floats, tuple[DrawnLaw, ...], list[Floats]]:
    """The numbers of the outcome of a run, and the laws and the values of the drawn noise.

    Raises:
        NotOneToOneError: the function fails.
    """
    used = DrawnNoise(source, given)
    try:
        numbers = numbers_in(run(one, used))
    except Exception as error:  # any exception of the function
        raise NotOneToOneError(f"the function fails: {error}") from error
    return numbers, tuple(used.laws), used.values
