"""Private training epoch by epoch: loss, gradient norm, clipping bound and accuracy of each group.

The measures are those of tasks/private_training.py, a group is the number behind the name: loss_0 is that of the first
group. The change is against SGD after as many epochs, with the settings that it shares with the method.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from dpfair_cli.algorithms import sgd
from dpfair_cli.catalog import parameters
from dpfair_cli.contracts import Classifier, Floats
from dpfair_cli.models.descent import Training, watched
from dpfair_cli.tasks import private_training
from dpfair_cli.tasks.private_training import Case, accuracies, at_groups

AXIS = "epoch"
MOST = 10  # groups that have scores
MEASURES = ("accuracy", "accuracy_change", *private_training.TRAINED)
SCORES = (
    *(AXIS, "epsilon_moments", "accuracy_total", "accuracy_change_total"),
    *(f"{measure}_{group}" for measure in MEASURES for group in range(MOST)),
)

split = private_training.split


def study(fit: Callable[..., Classifier], case: Case, *, rng: np.random.Generator) -> tuple[Classifier, dict[str, Any]]:
    """The model, and every score of SCORES that its groups have, as a curve over the epochs."""
    points: list[dict[str, Any]] = []

    def look(training: Training) -> None:
        now = {"accuracy": accuracies(training.model.classifier(training.state.parameters), case)}
        cost = {"epsilon_moments": training.spending.published}
        points.append({AXIS: float(training.state.epoch)} | now | at_groups(training) | cost)

    with watched(look):
        model = fit(case.train, rng=deepcopy(rng))
    for point, before in zip(points, _baseline(fit, case, rng), strict=True):
        point["accuracy_change"] = point["accuracy"] - before
    return model, _curves(points)


def _baseline(fit: Callable[..., Classifier], case: Case, rng: np.random.Generator) -> Floats:
    """The accuracies of SGD at the end of each epoch, computed once per split, (epochs, 1 + groups)."""
    given = getattr(fit, "keywords", {})
    settings = {name: given[name] for name in parameters("algorithms", "sgd") if name in given}
    key = tuple(settings.items())
    if key not in case.baselines:
        found: list[Floats] = []
        with watched(lambda run: found.append(accuracies(run.model.classifier(run.state.parameters), case))):
            sgd.fit(case.train, **settings, rng=deepcopy(rng))
        case.baselines[key] = np.array(found)
    return case.baselines[key]


def _curves(points: list[dict[str, Any]]) -> dict[str, list[float]]:
    """A list for each score; of the measures of groups, one list a group."""
    curves = {name: [point[name] for point in points] for name in (AXIS, "epsilon_moments")}
    curves |= {f"{name}_total": [point[name][0] for point in points] for name in ("accuracy", "accuracy_change")}
    groups = range(min(MOST, len(points[0]["accuracy"]) - 1))
    return curves | {f"{name}_{k}": [point[name][1 + k] for point in points] for name in MEASURES for k in groups}
