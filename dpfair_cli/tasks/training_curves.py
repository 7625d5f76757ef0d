"""Private training epoch by epoch: loss, gradient norm, clipping bound and accuracy of each group
compared.

The measures are those of tasks/private_training.py, a group is the number behind the name:
average_loss_0 is that of the first group. Clipping bounds are those of every group. A change is
against SGD after as many epochs, with the settings that it shares with the method.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import BoundFit, Study
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.tasks import private_training
from dpfair_cli.tasks.private_training import (
    GroupSplit,
    accuracies,
    baseline,
    fit_and_measure,
    remember_baseline,
)

AXIS = "epoch"
MOST = 10  # groups that have scores
MEASURES = ("accuracy", "accuracy_change", *private_training.EACH_EPOCH)
SCORES = (
    *(
        AXIS,
        "epsilon_moments",
        "accuracy_total",
        "accuracy_change_total",
        "accuracy_change_difference",
    ),
    *(f"{measure}_{group}" for measure in MEASURES for group in range(MOST)),
)

split = private_training.split


def study(fit: BoundFit, case: GroupSplit, *, rng: np.random.Generator) -> Outcome:
    """The model, and every score of SCORES that its groups have, as a curve over the epochs."""
    model, finished = fit_and_measure(fit, case, rng, epochs=True)
    if not finished:
        raise ValueError("a method that does not descend has no epochs")
    points = finished[-1].measurements
    remember_baseline(fit, case, accuracies(model, case), finished)
    before = np.array(
        [point["accuracy"] for point in baseline(fit, case, rng, epochs=True)[1]]
    )  # (epochs, 1 + groups)
    accuracy = np.array([point["accuracy"] for point in points])
    curves = {name: [point[name] for point in points] for name in (AXIS, "epsilon_moments")}
    for name, values in (("accuracy", accuracy), ("accuracy_change", accuracy - before)):
        curves |= {f"{name}_total": values[:, 0].tolist()}
        curves |= {f"{name}_{k}": values[:, 1 + k].tolist() for k in case.compared[:MOST]}
    curves["accuracy_change_difference"] = np.ptp(
        (accuracy - before)[:, 1 + case.compared], axis=1
    ).tolist()
    for place, k in enumerate(case.compared[:MOST]):
        curves |= {
            f"{name}_{k}": [point[name][place] for point in points]
            for name in private_training.EACH_EPOCH
        }
    bounds = np.array([point["bounds"] for point in points])[:, :MOST]  # (epochs, groups)
    return Outcome(
        model,
        {},
        curves=curves
        | {f"clipping_bound_{k}": values.tolist() for k, values in enumerate(bounds.T)},
    )


TASK = Study(split=split, study=study, scores=SCORES, axis=AXIS)
