"""Private training epoch by epoch: loss, gradient norm, clipping bound and accuracy of each group.

The scores are those of tasks/private_training.py, for the compared groups; clipping bounds are for
all groups. The number in the name of a score is the number of the group: average_loss_0 is the loss
of the first group. An accuracy change is the difference from the accuracy of SGD after as many
epochs, with the same values of all parameters that both methods have.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from dpfair_cli.contracts.declarations import BoundFit, Study
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.tasks import private_training

AXIS = "epoch"
MOST = 10  # only the first ten groups have scores
MEASURES = ("accuracy", "accuracy_change", *private_training.EACH_EPOCH)
GROUP_SCORES = tuple(f"{measure}_{group}" for measure, group in product(MEASURES, range(MOST)))
SCORES = (
    AXIS,
    "epsilon_moments",
    "accuracy_total",
    "accuracy_change_total",
    "accuracy_change_difference",
    *GROUP_SCORES,
)

split = private_training.split_by_groups


def study(fit: BoundFit, case: private_training.GroupSplit, *, rng: np.random.Generator) -> Outcome:
    """The fitted model, with the scores of the groups as curves over the epochs."""
    model, finished = private_training.fit_and_measure(fit, case, rng, epochs=True)
    if not finished:
        raise ValueError(
            "the task training_curves measures scores at every epoch and needs a method that is "
            "trained by gradient descent: use for example dpsgd"
        )
    points = finished[-1].measurements
    # SGD itself is its own baseline, and is not trained a second time
    private_training.remember_baseline(
        fit, case, private_training.accuracies(model, case), finished
    )
    _, sgd_points = private_training.baseline(fit, case, rng, epochs=True)
    sgd_accuracy = np.array([point["accuracy"] for point in sgd_points])  # (epochs, 1 + groups)
    accuracy = np.array([point["accuracy"] for point in points])
    change = accuracy - sgd_accuracy
    curves = {AXIS: [point[AXIS] for point in points]}
    curves["epsilon_moments"] = [point["epsilon_moments"] for point in points]
    for name, values in (("accuracy", accuracy), ("accuracy_change", change)):
        curves[f"{name}_total"] = values[:, 0].tolist()
        curves |= {f"{name}_{k}": values[:, 1 + k].tolist() for k in case.compared[:MOST]}
    differences = np.ptp(change[:, 1 + case.compared], axis=1)  # (epochs,)
    curves["accuracy_change_difference"] = differences.tolist()
    for place, k in enumerate(case.compared[:MOST]):
        for name in private_training.EACH_EPOCH:
            curves[f"{name}_{k}"] = [point[name][place] for point in points]
    # recorded for all groups, not only for the compared ones
    bounds = np.array([point["bounds"] for point in points])[:, :MOST]  # (epochs, groups)
    curves |= {f"clipping_bound_{k}": values.tolist() for k, values in enumerate(bounds.T)}
    return Outcome(model, {}, curves=curves)


TASK = Study(split=split, study=study, scores=SCORES, axis=AXIS)
