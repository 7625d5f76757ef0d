"""Logistic regression with each of the eight interventions of the study, and without.

All are settings of the authors' framework for COMPAS: features scaled to [0, 1] by the training
records, an elastic net with equal parts, C = 0.8, and race as a feature.

Source: verona2026, BenchmarkDPFair 0.2.7 and example/DPF_Benchmark-Compas.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.contracts.errors import how_to_install, nearest

from . import after_training, before_training
from .after_training import HALF, Scored
from .coded import GROUP, Coded
from .joint_table import JointRecords

Intervention = Literal[
    "no intervention",
    "reweighing",
    "disparate-impact remover",
    "learned fair representation",
    "exponentiated gradient",
    "grid search",
    "reject option",
    "equalized odds",
    "calibrated equalized odds",
]
INTERVENTIONS: tuple[Intervention, ...] = get_args(Intervention)
MODULE = "fairlearn"  # for the interventions in training


@dataclass(frozen=True, eq=False)
class Intervened(dp.FittedFields):
    """Private records, and the intervention with which a rule is fitted to a sample of them."""

    source: JointRecords
    intervention: Intervention

    def state(self) -> dict[str, Any]:
        """The probabilities of the cells."""
        return self.source.state()

    def saved(self) -> dict[str, Any]:
        """As `NotSaved.saved`."""
        return self.source.saved()


def require_known(name: str) -> Intervention:
    """The intervention of this name.

    Raises:
        DpfairError: there is none.
    """
    for one in INTERVENTIONS:
        if one == name:
            return one
    raise dp.DpfairError(f"unknown intervention {name!r}: {nearest(name, INTERVENTIONS)}")


def decisions(
    intervention: Intervention, train: Coded, calibration: Coded, test: Coded, *, seed: int
) -> dp.Ints:
    """The decisions on the test records, (n,).

    Args:
        intervention: The intervention.
        train: The records to which the rule is fitted.
        calibration: The records that interventions after the training read.
        test: The records that are decided about.
        seed: The seed of the solver and of the intervention.

    Raises:
        DpfairError: fairlearn is not installed.
    """
    from sklearn.preprocessing import MinMaxScaler  # slow to import

    scaler = MinMaxScaler().fit(train.X)
    X, on_test = scaler.transform(train.X), scaler.transform(test.X)
    score = partial(_scores, seed=seed)
    if intervention == "reweighing":
        weights = before_training.reweighing(train.y, train.group)
        return _above(score(X, train.y, on_test, weights))
    if intervention == "disparate-impact remover":
        made, made_test = (
            before_training.repaired(part, records.group, GROUP)
            for part, records in ((X, train), (on_test, test))
        )
        return _above(score(made, train.y, made_test))
    if intervention == "learned fair representation":
        found = before_training.fair_representation(X, train.y, train.group, seed=seed)
        _, made, scores = found.mapped(X)
        return _above(score(made, (scores > HALF).astype(np.int64), found.mapped(on_test)[1]))
    if intervention in ("exponentiated gradient", "grid search"):
        return _reduced(intervention, X, train, on_test, seed=seed)
    if intervention == "no intervention":
        return _above(score(X, train.y, on_test))
    of_both = score(X, train.y, np.vstack([scaler.transform(calibration.X), on_test]))
    n = len(calibration.y)
    known = Scored(of_both[:n], calibration.y, calibration.group)
    new = Scored(of_both[n:], test.y, test.group)
    if intervention == "reject option":
        return after_training.reject_option(known, new)
    if intervention == "equalized odds":
        return after_training.equalized_odds(known, new, seed=seed)
    return after_training.calibrated_odds(known, new, seed=seed)


def _rule(seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression  # slow to import

    return LogisticRegression(
        C=0.8, l1_ratio=0.5, solver="saga", max_iter=10_000, random_state=seed
    )


def _scores(
    X: dp.Floats, y: dp.Ints, on: dp.Floats, weights: dp.Floats | None = None, *, seed: int
) -> dp.Floats:
    """The probabilities of label 1 of the records `on`, by a rule that is fitted to X and y."""
    if y.min() == y.max():  # the package fails; such a rule gives every record the same label
        return np.full(len(on), float(y[0]))
    return np.asarray(_rule(seed).fit(X, y, sample_weight=weights).predict_proba(on)[:, 1])


def _above(scores: dp.Floats) -> dp.Ints:
    return (scores >= HALF).astype(np.int64)


def _reduced(
    intervention: Intervention, X: dp.Floats, train: Coded, on: dp.Floats, *, seed: int
) -> dp.Ints:
    """The decisions of a rule that fairlearn fits under constraints of equalized odds."""
    try:
        from fairlearn import reductions
    except ImportError as error:
        needed = f"{intervention} needs {MODULE}: {how_to_install([MODULE])}"
        raise dp.DpfairError(needed) from error
    constraints = reductions.EqualizedOdds()
    if intervention == "grid search":
        search = reductions.GridSearch(_rule(seed), constraints)
        search.fit(X, train.y, sensitive_features=train.group)
        return np.asarray(search.predict(on)).astype(np.int64)
    descent = reductions.ExponentiatedGradient(_rule(seed), constraints)
    descent.fit(X, train.y, sensitive_features=train.group)
    return np.asarray(descent.predict(on, random_state=seed)).astype(np.int64)
