"""The results of fits, and the scores that a task computes for a result, with their ranges."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar, Protocol, Self, get_origin, get_type_hints, runtime_checkable

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.errors import DpfairError

Curve = (
    list[float] | list[str]
)  # a value for each point of the task's axis; text: the names of the points


class Result(Protocol):
    """The result that the `fit` of an algorithm returns."""

    def saved(self) -> dict[str, Any]:
        """The result as JSON, for a model file.

        The value of "form" is the name of the module in `models/` whose `restore` reads the result.

        Raises:
            DpfairError: the result cannot be saved.
        """
        ...

    def described(self) -> list[str]:
        """The lines that describe the result to a user, such as the edges of a graph.

        Empty if the scores suffice as a description.
        """
        ...

    def state(self) -> dict[str, Any]:
        """The learned values of the fitted result, by name.

        Results with equal states make equal predictions.
        """
        ...


class Classifier(Result, Protocol):
    """The result that the `fit` of a classification algorithm returns."""

    @property
    def reads_group(self) -> bool:
        """Whether a decision depends on the protected attribute of the record."""
        ...

    def predict(self, data: Any) -> Floats:
        """The probability of outputting 1 for each record, (n,); for images the class, (n,).

        The scores of a randomised rule are computed exactly from these probabilities.
        """
        ...


@runtime_checkable
class LinearRule(Classifier, Protocol):
    """A classifier with weights and an intercept.

    If the rule does not use the group, the decision is 1 where the weighted sum of the features
    plus the intercept is positive.
    """

    @property
    def weights(self) -> Floats:
        """The weight of each feature, (d,)."""
        ...

    @property
    def intercept(self) -> float:
        """The value of the weighted sum of a record whose features are all 0."""
        ...


@runtime_checkable
class RecordGenerator(Result, Protocol):
    """The result that the `fit` of a generator of records returns."""

    def sample(self, n: int, *, rng: np.random.Generator) -> Any:
        """A sample of `n` new records in the domain of the training records."""
        ...


class FittedFields:
    """Base class of results that are dataclasses whose fields are the learned values."""

    def described(self) -> list[str]:
        """An empty list, since the scores suffice as a description."""
        return []

    def state(self) -> dict[str, Any]:
        """The learned values: the fields of the dataclass by name."""
        return dict(vars(self))


class SavedFields(FittedFields):
    """Base class of results that are dataclasses of numbers and arrays, saved field by field."""

    form: ClassVar[str]  # the name of the module in `models/` whose `restore` reads a saved result

    def saved(self) -> dict[str, Any]:
        """The fields of the fitted result as JSON, for a model file."""
        fields = {name: np.asarray(value).tolist() for name, value in vars(self).items()}
        return {"form": self.form, **fields}

    @classmethod
    def from_saved(cls, saved: Mapping[str, Any]) -> Self:
        """The fitted result whose fields a model file holds in `saved`.

        Raises:
            ValueError: the value of a field has the wrong type.
            KeyError: a field is missing.
        """
        types = get_type_hints(cls)
        annotated = inspect.get_annotations(cls)
        names = [name for name in annotated if get_origin(types[name]) is not ClassVar]
        return cls(**{name: _field(types[name], saved[name]) for name in names})


def _field(kind: Any, value: Any) -> Any:
    """A field of a dataclass read from JSON: an array of finite numbers, or a plain value."""
    if kind != Floats:
        return kind(value)
    found = np.array(value, dtype=float)
    if not np.isfinite(found).all():
        raise ValueError("every number in a model file must be finite, got NaN or infinity")
    return found


class NotSaved(FittedFields):
    """Base class of results that cannot be saved in a model file."""

    def saved(self) -> dict[str, Any]:
        """Raises an error, because this fitted result cannot be saved in a model file.

        Raises:
            DpfairError: always.
        """
        kind = type(self).__name__
        raise DpfairError(
            f"a result of the type {kind} cannot be saved in a model file, which can only contain "
            "rules, graphs and networks: leave out --save"
        )


@dataclass(frozen=True, eq=False)
class Outcome:
    """A fitted result with its measurements."""

    model: Any
    scores: Mapping[str, float]  # the scores, by name
    # the curves, by name; all curves have the same length
    curves: Mapping[str, Curve] = field(default_factory=dict)
    # other outputs as JSON, such as a graph, by name
    outputs: Mapping[str, Any] = field(default_factory=dict)


def fitted_once(score: Callable[[Any, Any], Mapping[str, float]]) -> Callable[..., Outcome]:
    """The function of a study that fits one model to `case.train`.

    The model is scored with `score(model, case)`.
    """

    def study(fit: Callable[..., Any], case: Any, *, rng: np.random.Generator) -> Outcome:
        model = fit(case.train, rng=rng)
        return Outcome(model, score(model, case))

    return study


@dataclass(frozen=True)
class ScoredTogether:
    """The function of a study that fits one model to `case.train`, and scores several at once."""

    # the scores of each of several models of one case, which reads the test records once
    score_all: Callable[[Sequence[Any], Any], Sequence[Mapping[str, float]]]

    def __call__(self, fit: Callable[..., Any], case: Any, *, rng: np.random.Generator) -> Outcome:
        """The outcome of one fit."""
        (outcome,) = self.outcomes([fit(case.train, rng=rng)], case)
        return outcome

    def outcomes(self, models: Sequence[Any], case: Any) -> list[Outcome]:
        """The outcome of each of several fitted models of one case."""
        scores = self.score_all(models, case)
        return [Outcome(model, found) for model, found in zip(models, scores, strict=True)]


Range = tuple[float, float]

# Rates and their differences are in [0, 1], changes and effects in [-1, 1]; counts, norms, losses,
# bounds and ratios are at least 0. The first rule whose pattern matches the whole name applies.
ANY: Range = (-inf, inf)
RULES: tuple[tuple[str, Range], ...] = (
    (r"accuracy_change_gap", (-2.0, 2.0)),  # the difference of two changes
    (r"accuracy_change_difference", (0.0, 2.0)),
    (r"accuracy_change(_\w+)?|(first|last|total)_change", (-1.0, 1.0)),
    (r"(direct|total|counterfactual)_effect(_\w+)?|indirect_discrimination", (-1.0, 1.0)),
    (r"\w+_(bound|ratio)|distance(_bound|_ratio|_scaled)?|sensitivity\w*|epsilon_\w+", (0.0, inf)),
    (r"(\w+_)?(norm|loss|clipping_bound)(_\w+)?|noise_to_signal|chi2(_\w+)?|dist_xys?", (0.0, inf)),
    (r"edges_(found|missing|extra)", (0.0, inf)),
    (r"(true_)?edges|reads|tests|structural_hamming_distance|sample_size|epoch", (0.0, inf)),
    (
        r"(\w+_)?accuracy(_\w+)?|(\w+_)?(rate|difference|error|violation|share|precision|recall|f1)",
        (0.0, 1.0),
    ),
    (
        r"(demographic_parity|equality_of_opportunity|equalized_odds)(_\w+)?|fairness_gap|\w+_effect",
        (0.0, 1.0),
    ),
    (r"[tf][pd]r|auc|(\w+_)?within(_\w+)?|vacuous|fallback|collapsed|share_\w+", (0.0, 1.0)),
)


def range_of(score: str) -> Range:
    """The lowest and the highest possible value of a score, by its name.

    The range is unbounded for a score whose name matches no rule.
    """
    return next((found for words, found in RULES if re.fullmatch(words, score)), ANY)
