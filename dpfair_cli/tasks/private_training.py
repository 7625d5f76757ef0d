"""What private training costs each group: accuracy lost against SGD on the same split, with the same start and batches.

One run is one fit; its scores are curves over the groups, "total" first. On the people held out:

    accuracy, selection_rate    of the group
    accuracy_change             less the accuracy of SGD with the settings that it shares with the method (if any)
    majority_accuracy           of giving everybody the most frequent label of the training records

and as one number each: total_change, and of the groups `compared` (none: all) first_change, last_change,
accuracy_change_difference (largest minus smallest change) and accuracy_change_gap (last less first).
On the training records, at the end: average_loss, average_gradient_norm (the norm of the group's mean gradient),
record_gradient_norm (the mean of its records' norms) and clipping_bound (over the last epoch). Three accountants say
what the run costs: epsilon_moments as papers count (each release on batches of its own), epsilon_rdp and epsilon_pld.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dpfair_cli.algorithms import majority_class, sgd
from dpfair_cli.catalog import parameters
from dpfair_cli.contracts import Classifier, Floats, Ints, Records, nearest
from dpfair_cli.mechanisms.training_noise import NOTHING, Spending
from dpfair_cli.metrics.groups import by_group, sizes
from dpfair_cli.models.descent import Training, watched
from dpfair_cli.tasks import classification

AXIS = "group"
TRAINED = ("average_loss", "average_gradient_norm", "record_gradient_norm", "clipping_bound")
EPSILONS = ("epsilon_moments", "epsilon_rdp", "epsilon_pld")
SCORES = (
    *(AXIS, "sample_size", "accuracy", "accuracy_change", "majority_accuracy", "selection_rate"),
    *TRAINED,
    *("total_change", "first_change", "last_change", "accuracy_change_difference", "accuracy_change_gap"),
    *EPSILONS,
)
Scores = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Case(classification.Case):
    """A split, the number of people of each group in both parts, which groups to compare, and SGD's accuracies."""

    people: Floats  # (1 + groups,)
    compared: Ints
    baselines: dict[Any, Floats]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the groups."""
        return self.train.domain.groups


def split(records: Records, *, test_fraction: float = 0.2, compared: str = "", rng: np.random.Generator) -> Case:
    """A uniformly random split; `compared` names groups, separated by spaces.

    Raises:
        ValueError: no such group, or a group without somebody to train on and somebody to test on.
    """
    parts = classification.split(records, test_fraction=test_fraction, rng=rng)
    names = records.domain.groups
    for k, name in enumerate(names):
        if min(np.count_nonzero(part.protected == k) for part in (parts.train, parts.test)) == 0:
            found = np.count_nonzero(records.protected == k)
            raise ValueError(f"group {name!r} has {found} records, none to train or none to test: it needs 2 at least")
    people = sizes(records.protected, len(names))
    return Case(parts.train, parts.test, people, _places(compared, names), {})


def study(fit: Callable[..., Classifier], case: Case, *, rng: np.random.Generator) -> tuple[Classifier, Scores]:
    """The model and all scores."""
    trainings: list[Training] = []
    with watched(lambda training: trainings.append(training) if is_last(training) else None):
        model = fit(case.train, rng=deepcopy(rng))
    accuracy = accuracies(model, case)
    change = accuracy - (baseline(fit, case, rng) if trainings else np.nan)
    compared = change[1 + case.compared]
    test, count = case.test, len(case.names)
    curves: dict[str, Any] = {
        AXIS: ["total", *case.names],
        "sample_size": case.people,
        "accuracy": accuracy,
        "accuracy_change": change,
        "majority_accuracy": accuracies(majority_class.fit(case.train, rng=rng), case),
        "selection_rate": by_group(model.predict(test), test.protected, count),
        **trained(trainings, count),
    }
    numbers = {
        "total_change": float(change[0]),
        "first_change": float(compared[0]),
        "last_change": float(compared[-1]),
        "accuracy_change_difference": float(np.ptp(compared)),
        "accuracy_change_gap": float(compared[-1] - compared[0]),
        **epsilons(trainings[-1].spending if trainings else NOTHING),
    }
    return model, {name: list(value) for name, value in curves.items()} | numbers


def accuracies(model: Classifier, case: classification.Case) -> Floats:
    """The accuracy on the people held out, total first, (1 + groups,)."""
    test = case.test
    decision = model.predict(test)
    right = np.where(test.y == 1, decision, 1 - decision)
    return by_group(right, test.protected, len(test.domain.groups))


def baseline(fit: Callable[..., Classifier], case: Case, rng: np.random.Generator) -> Floats:
    """The accuracies of SGD with the settings it shares with `fit`, computed once per split, (1 + groups,)."""
    given: Mapping[str, Any] = getattr(fit, "keywords", {})
    settings = {name: given[name] for name in parameters("algorithms", "sgd") if name in given}
    key = tuple(settings.items())
    if key not in case.baselines:
        case.baselines[key] = accuracies(sgd.fit(case.train, **settings, rng=deepcopy(rng)), case)
    return case.baselines[key]


def is_last(training: Training) -> bool:
    """Whether a training run has ended."""
    return training.state.step == training.course.steps


def trained(trainings: list[Training], count: int) -> dict[str, Floats]:
    """TRAINED at the end of a training run; NaN for a method that does not descend."""
    if not trainings:
        return {name: np.full(1 + count, np.nan) for name in TRAINED}
    return at_groups(trainings[-1])


def at_groups(training: Training) -> dict[str, Floats]:
    """TRAINED at the state of a training run, total first; the largest bound stands for the total's."""
    model, state = training.model, training.state
    norms, lengths = [], []
    for k in range(-1, model.group_count):
        rows = np.flatnonzero((model.groups == k) | (k < 0))
        gradients = model.gradients(state.parameters, rows)
        norms.append(float(np.linalg.norm(gradients.total(np.ones(len(rows))))) / len(rows))
        lengths.append(float(gradients.norms.mean()))
    loss = by_group(model.losses(state.parameters), model.groups, model.group_count)
    bounds = np.concatenate([[state.mean_bounds.max()], state.mean_bounds])
    bounds[np.isinf(bounds)] = np.nan  # SGD has none
    return dict(zip(TRAINED, (loss, np.array(norms), np.array(lengths), bounds), strict=True))


@cache
def epsilons(spending: Spending) -> dict[str, float]:
    """EPSILONS of what a training run releases; NaN if it is not private."""
    found = (spending.published, spending.together("rdp"), spending.together("pld"))
    return dict(zip(EPSILONS, found, strict=True))


def _places(compared: str, names: tuple[str, ...]) -> Ints:
    for word in compared.split():
        if word not in names:
            raise ValueError(f"compared names no group {word!r}: {nearest(word, names)}")
    return np.array([names.index(word) for word in compared.split()] or range(len(names)))
