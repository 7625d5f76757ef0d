"""Fitted copies of a small network, with the repair of their features and their thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps

from .impact_remover import repaired
from .perceptrons import HIDDEN, Network, probabilities, shapes
from .reject_option import chosen_thresholds

DecisionRule = Literal["threshold", "reject_option"]
"""Decision 1 above one half, or the reject option with thresholds chosen on validation records."""


@dataclass(frozen=True)
class Scaling:
    """The repair and the scaling of features."""

    # the level of the disparate-impact remover, which is fitted to the given records
    repair_level: float = 0.0
    # the smallest value of each feature, (d,); empty if features are not scaled
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()  # the largest value of each feature, (d,)

    def features(self, records: dp.Records) -> dp.Floats:
        """The repaired and scaled features of the records, (n, d)."""
        X = repaired(records.X, records.protected, level=self.repair_level)
        if not self.low:
            return X
        low, span = np.array(self.low), np.array(self.high) - np.array(self.low)
        # a constant feature has no span
        return np.asarray((X - low) / np.where(span > 0, span, 1.0))

    @classmethod
    def fitted(cls, records: dp.Records, *, repair_level: float) -> Scaling:
        """The scaling of repaired features to [0, 1] on `records`."""
        X = repaired(records.X, records.protected, level=repair_level)
        low, high = X.min(axis=0).tolist(), X.max(axis=0).tolist()
        return cls(repair_level, tuple(low), tuple(high))


AS_GIVEN = Scaling()


@dataclass(frozen=True, eq=False)
class PerceptronCopies(dp.FittedFields):
    """Copies of a network, each with a threshold for group 0 and one for the other groups."""

    parameters: dp.Floats  # the weights and biases of each copy, (copies, p)
    network: Network  # the layers
    thresholds: dp.Floats  # threshold of group 0 and that of the others, for each copy, (copies, 2)
    scaling: Scaling = AS_GIVEN  # the repair and the scaling of features
    # the noisy steps of the training of a copy
    noisy_steps: NoisySteps = field(default=NoisySteps(0.0, 1.0, 0))

    @property
    def reads_group(self) -> bool:
        """Whether a decision depends on the group of the record."""
        different = (self.thresholds[:, 0] != self.thresholds[:, 1]).any()
        return bool(self.scaling.repair_level > 0 or different)

    def scores(self, records: dp.Records) -> dp.Floats:
        """The probability of label 1 that each copy gives to each record, (copies, n)."""
        return probabilities(self.parameters, self.scaling.features(records), self.network)

    def decisions(self, records: dp.Records) -> dp.Floats:
        """The decision 0 or 1 of each copy on each record, (copies, n)."""
        # all groups but the first share a threshold
        limits = self.thresholds[:, np.minimum(records.protected, 1)]  # (copies, n)
        return np.asarray(self.scores(records) > limits, dtype=float)

    def predict(self, records: dp.Records) -> dp.Floats:
        """The share of the copies with decision 1 for each record, (n,)."""
        return np.asarray(self.decisions(records).mean(axis=0))

    def saved(self) -> dict[str, Any]:
        """The copies as JSON, for a model file."""
        return {
            "form": "perceptron_copies",
            "parameters": self.parameters.tolist(),
            "network": self.network,
            "thresholds": self.thresholds.tolist(),
            "scaling": asdict(self.scaling),
        }

    def with_reject_option(
        self, validation: dp.Records, *, gaps: tuple[float, ...]
    ) -> PerceptronCopies:
        """The copies with the thresholds that the reject option chooses on `validation`."""
        thresholds = [
            chosen_thresholds(scores, validation.y, validation.protected, gaps=gaps)
            for scores in self.scores(validation)
        ]
        return replace(self, thresholds=np.array(thresholds))


def restore(saved: Mapping[str, Any]) -> PerceptronCopies:
    """The copies that a model file holds.

    Raises:
        ValueError: the parameters, the layers, the thresholds or the scaling do not fit together.
    """
    parameters, thresholds = _table(saved["parameters"]), _table(saved["thresholds"])
    network, given = saved["network"], saved["scaling"]
    low, high = tuple(map(float, given["low"])), tuple(map(float, given["high"]))
    scaling = Scaling(float(given["repair_level"]), low, high)
    features = _number_of_features(parameters.shape[1], network)
    if (
        thresholds.shape != (len(parameters), 2)
        or {len(low), len(high)} - {0, features}
        or len(low) != len(high)
        or not math.isfinite(sum(low) + sum(high))
        or not 0 <= scaling.repair_level <= 1
    ):
        raise ValueError(
            "in the model file, the parameters, thresholds and ranges of the features must fit "
            "together"
        )
    return PerceptronCopies(parameters, network, thresholds, scaling)


def _number_of_features(size: int, network: Network) -> int:
    """The number of features of a network with `size` parameters.

    Raises:
        ValueError: the network is unknown, or has no such number of parameters.
    """
    # the size grows with the number of features, so that at most one fits
    for features in range(size if network in HIDDEN else 0):
        if sum(outputs * inputs for outputs, inputs in shapes(features, network)) == size:
            return features
    raise ValueError("the model file must have the parameters of a known network")


def _table(values: Any) -> dp.Floats:
    """The finite numbers of a table with at least one row, (rows, columns).

    Raises:
        ValueError: the values are no such table.
    """
    table = np.array(values, dtype=float)
    if table.ndim != 2 or not len(table) or not np.isfinite(table).all():
        raise ValueError("the model file must have a table of finite numbers")
    return table


def at_one_half(copies: int) -> dp.Floats:
    """The thresholds one half for every copy and group, (copies, 2)."""
    return np.full((copies, 2), 0.5)


def divided(records: dp.Records, *, validation_share: float) -> tuple[dp.Records, dp.Records]:
    """The records for training and those for validation, which are the last ones.

    Both parts have at least one record if there are two.
    """
    size = min(max(int((1 - validation_share) * len(records)), 1), max(len(records) - 1, 1))
    return records.take(np.arange(size)), records.take(np.arange(size, len(records)))
