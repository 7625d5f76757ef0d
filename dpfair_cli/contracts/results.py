"""What a fit returns, and what a task says of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self, get_origin, get_type_hints, runtime_checkable

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.errors import DpfairError

Curve = (
    list[float] | list[str]
)  # over the points of the task's axis; text: the names of these points


class Result(Protocol):
    """What `fit` returns, of whatever kind it is."""

    def saved(self) -> dict[str, Any]:
        """The result as JSON, with the stem of the file in `models/` whose `restore` reads it as
        "form".

        Raises:
            DpfairError: it has no such form.
        """
        ...

    def described(self) -> list[str]:
        """Lines for a reader, such as the edges of a graph; none for a result that its scores
        describe.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Everything that the fit learned, by name: results of one state answer every question
        alike.
        """
        ...


class Classifier(Result, Protocol):
    """What `fit` of a classification algorithm returns."""

    @property
    def reads_group(self) -> bool:
        """Whether a decision depends on the group of the person."""
        ...

    def predict(self, data: Any) -> Floats:
        """Probability of outputting 1, (n,): a randomised rule is then scored exactly. Of images:
        the class.
        """
        ...


@runtime_checkable
class LinearRule(Classifier, Protocol):
    """A classifier with weights and an intercept: where it reads no group, it decides 1 where their
    sum is positive.
    """

    @property
    def weights(self) -> Floats:
        """One for each feature, (d,)."""
        ...

    @property
    def intercept(self) -> float:
        """What the sum has without features."""
        ...


@runtime_checkable
class RecordGenerator(Result, Protocol):
    """What `fit` of a generator of records returns."""

    def sample(self, n: int, *, rng: np.random.Generator) -> Any:
        """So many new records (n), as Records in the domain of those that it learned from."""
        ...


class FittedFields:
    """A result that is a dataclass: the fit learned its fields, and its scores describe it."""

    def described(self) -> list[str]:
        """Nothing."""
        return []

    def state(self) -> dict[str, Any]:
        """The fields."""
        return dict(vars(self))


class SavedFields(FittedFields):
    """A result that is a dataclass of numbers and arrays, and leaves as they are; `form` is the
    stem of its module.
    """

    form: ClassVar[str]

    def saved(self) -> dict[str, Any]:
        """The fields, for a model file."""
        return {"form": self.form} | {
            name: np.asarray(value).tolist() for name, value in vars(self).items()
        }

    @classmethod
    def from_saved(cls, saved: Mapping[str, Any]) -> Self:
        """The result whose fields a model file has.

        Raises:
            ValueError: a field is not of its type.
            KeyError: a field is not there.
        """
        types = get_type_hints(cls)
        names = inspect.get_annotations(cls)
        return cls(
            **{
                name: _field(types[name], saved[name])
                for name in names
                if get_origin(types[name]) is not ClassVar
            }
        )


def _field(kind: Any, value: Any) -> Any:
    """A field of a dataclass from JSON: an array of finite numbers, or a value of a plain type."""
    if kind != Floats:
        return kind(value)
    found = np.array(value, dtype=float)
    if not np.isfinite(found).all():
        raise ValueError("an array holds what is no finite number")
    return found


class NotSaved(FittedFields):
    """A result that a model file has no form for."""

    def saved(self) -> dict[str, Any]:
        """Refuse.

        Raises:
            DpfairError: always.
        """
        kind = type(self).__name__
        raise DpfairError(
            f"a model file holds rules, graphs and networks, not a {kind}: nothing was saved"
        )


@dataclass(frozen=True, eq=False)
class Outcome:
    """A fitted result with what was measured of it: numbers, curves of one length, and outputs as
    JSON.
    """

    model: Any
    scores: Mapping[str, float]
    curves: Mapping[str, Curve] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)


def fitted_once(score: Callable[[Any, Any], Mapping[str, float]]) -> Callable[..., Outcome]:
    """The study of a task that looks at one fit: fit on `case.train`, then `score(model, case)`."""

    def study(fit: Callable[..., Any], case: Any, *, rng: np.random.Generator) -> Outcome:
        model = fit(case.train, rng=rng)
        return Outcome(model, score(model, case))

    return study
