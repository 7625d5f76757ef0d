"""An additive classifier: the score of a record is a sum of one function of each feature.

The functions are piecewise linear between *knots*, which are public numbers in [0, 1]. With the
knots 0 and 1 alone every function is linear. The inputs of a record for training are, for each
number x, its weight at each knot but the first: 1 at the knot, 0 at the knots next to it, and
linear between. Features that are indicators of levels are inputs themselves, and the last input is
the constant 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.results import SavedFields
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.regression.linear import LinearClassifier

Inputs = Literal["additive", "linear"]
"""Numbers as weights of the knots, or as they are."""

# of a table with so many numbers that there would be more inputs, every function is linear: the
# eigenvectors of the second moment take time with the third power of the inputs
MOST_INPUTS = 1_000
# quarters, with more knots near 0, where most values of a skewed number such as an income are
KNOTS = (0.0, 1 / 256, 1 / 64, 1 / 16, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, eq=False)
class AdditiveClassifier(SavedFields):
    """The classifier with decision 1 if the sum of the functions plus the intercept is positive."""

    knots: Floats  # the knots of every function, increasing from 0 to 1, (k,)
    values: Floats  # the value of the function of each feature at each knot, (d, k)
    intercept: float  # the score of a record whose features are all 0
    form: ClassVar[str] = "additive"
    reads_group: ClassVar[bool] = False  # whether `predict` uses the protected group

    def scores(self, records: Records) -> Floats:
        """The score of each record, (n,)."""
        found = np.full(len(records), self.intercept)
        for feature, function in zip(records.X.T, self.values, strict=True):
            found += np.interp(feature, self.knots, function)
        return found

    def predict(self, records: Records) -> Floats:
        """The decision on each record as a probability, 0.0 or 1.0, (n,)."""
        return np.asarray(self.scores(records) > 0, dtype=float)


def restore(saved: Mapping[str, Any]) -> AdditiveClassifier:
    """The additive classifier that a model file holds."""
    model = AdditiveClassifier.from_saved(saved)
    if model.knots.ndim != 1 or model.values.shape[1:] != model.knots.shape:
        raise ValueError("the functions in the model file must have a value for each knot")
    if not (np.diff(model.knots) > 0).all() or not np.isfinite(model.intercept):
        raise ValueError("the knots in the model file must increase, and its intercept be finite")
    return model


@dataclass(frozen=True, eq=False)
class AdditiveDesign:
    """The map from the features of a record to its p inputs for training."""

    domain: Domain  # the public facts about the records
    kind: Inputs  # how numbers become inputs

    @property
    def knots(self) -> Floats:
        """The knots of numbers, (k,)."""
        most = len(self.numbers) * (len(KNOTS) - 1) + len(self.indicators) + 1
        additive = self.kind == "additive" and most <= MOST_INPUTS
        return np.array(KNOTS if additive else (0.0, 1.0))

    @property
    def attributes(self) -> int:
        """The number of attributes, the constant included: an upper bound of |z|^2."""
        return len(self.domain.attributes) + 1

    @cached_property
    def numbers(self) -> Ints:
        """The features that are numbers: each has the name of its attribute."""
        names = self.domain.columns
        found = [
            places[0]
            for attribute, places in self.domain.attributes.items()
            if len(places) == 1 and names[places[0]] == attribute
        ]
        return np.array(found, dtype=np.int64)

    @cached_property
    def indicators(self) -> Ints:
        """The features that are indicators of levels."""
        return np.setdiff1d(np.arange(len(self.domain.columns)), self.numbers)

    @property
    def size(self) -> int:
        """The number p of inputs."""
        return len(self.numbers) * (len(self.knots) - 1) + len(self.indicators) + 1

    def inputs(self, X: Floats) -> Floats:
        """The inputs of records with the features X (n, d), clipped to [0, 1] first, (n, p).

        In memory, the values of one input are next to each other.
        """
        X_T = np.ascontiguousarray(X.T).clip(0.0, 1.0)
        numbers, gaps = X_T[self.numbers], np.diff(self.knots)
        Z_T, end = np.ones((self.size, len(X))), len(numbers) * len(gaps)  # the constant is 1
        of_numbers = Z_T[:end].reshape(len(numbers), len(gaps), len(X))
        for k, gap in enumerate(gaps):
            # how far a number is from knot k to the next, and so the weight of the next knot
            passed = of_numbers[:, k]
            np.subtract(numbers, self.knots[k], out=passed)
            passed /= gap
            passed.clip(0.0, 1.0, out=passed)
            if k:
                of_numbers[:, k - 1] -= passed  # past a knot, its weight falls again
        Z_T[end:-1] = X_T[self.indicators]
        return Z_T.T

    def classifier(self, weights: Floats) -> AdditiveClassifier | LinearClassifier:
        """The classifier whose score is the sum of the inputs times `weights` (p,)."""
        knots, d = self.knots, len(self.domain.columns)
        shape = len(self.numbers), len(knots) - 1
        of_numbers, rest = np.split(weights, [shape[0] * shape[1]])
        values = np.zeros((d, len(knots)))
        values[self.numbers, 1:] = of_numbers.reshape(shape)
        values[self.indicators] = np.outer(rest[:-1], knots)
        if len(knots) == 2:
            return LinearClassifier(values[:, -1], float(rest[-1]))
        return AdditiveClassifier(knots, values, float(rest[-1]))
