"""The cost of private training for each group: accuracy lost against SGD on the same split.

Private training and SGD (stochastic gradient descent without privacy) have the same initial weights
and the same batches. Each run is one fit. Most scores are curves over the groups, with "total"
first. These scores are computed on the held-out records or images:

    accuracy           accuracy of the group
    selection_rate     share of decision 1 in the group; NaN for images
    accuracy_change    accuracy minus the accuracy of SGD with the same values of all parameters
                       that both methods have
    majority_accuracy  accuracy of the most frequent label of the training records

These scores are computed on the training records at the end of training:

    average_loss           mean loss of the group
    average_gradient_norm  norm of the mean gradient of the group
    record_gradient_norm   mean of the norms of the gradients of the group's records
    clipping_bound         mean clipping bound of the group over the last epoch

With `norms_over` "batches", average_gradient_norm is the norm of the mean gradient of the group's
records in a batch, as the mean over the batches of one epoch. These batches are new, and the
weights are those at the end of training.

The other scores are single numbers. total_change is accuracy_change over all records. For the
groups in `compared` (or all groups), first_change and last_change are accuracy_change of the first
and of the last group, accuracy_change_difference is the largest minus the smallest change, and
accuracy_change_gap is the last minus the first change. The privacy loss is computed by three
accountants: epsilon_moments as in papers (as if every release had separate batches), epsilon_rdp
and epsilon_pld.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal

import numpy as np

from dpfair_cli.algorithms.regression import majority_class
from dpfair_cli.algorithms.training import sgd
from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.declarations import BoundFit, Study, Sweep
from dpfair_cli.contracts.errors import nearest
from dpfair_cli.contracts.parameters import checked, parameters
from dpfair_cli.contracts.results import Outcome
from dpfair_cli.contracts.training_context import FinishedTraining
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.training_noise import NOTHING, Spending
from dpfair_cli.metrics.groups import by_group, sizes
from dpfair_cli.models.training.descent import DescentEpoch, Gradients
from dpfair_cli.models.training.schedule import PlannedSteps
from dpfair_cli.tasks import classification

AXIS = "group"
EACH_EPOCH = ("average_loss", "average_gradient_norm", "clipping_bound")
AT_THE_END = ("average_loss", "average_gradient_norm", "record_gradient_norm", "clipping_bound")
EPSILONS = ("epsilon_moments", "epsilon_rdp", "epsilon_pld")
SCORES = (
    AXIS,
    "sample_size",
    "accuracy",
    "accuracy_change",
    "majority_accuracy",
    "selection_rate",
    *AT_THE_END,
    "total_change",
    "first_change",
    "last_change",
    "accuracy_change_difference",
    "accuracy_change_gap",
    *EPSILONS,
)
ALL = 1_000_000_000  # more records than any data set has
Data = Records | Images
NormsOver = Literal["records", "batches"]
"""The records of a mean gradient: all training records of a group, or those in a batch."""


@dataclass(frozen=True, eq=False)
class GroupSplit:
    """A split with the groups that are compared, and the results of SGD on the split."""

    train: Records | Images  # the data to which a method is fitted
    test: Records | Images  # the data on which the model is scored
    record_counts: Floats  # the number of records in total and in each group, (1 + groups,)
    compared: Ints  # the numbers of the groups between which gaps are scored
    # the accuracies and measurements of SGD by its parameters, added when first computed
    reference_methods: dict[Any, tuple[Floats, list[Any]]]
    # the records of the mean gradients whose norms are measured at the end
    norms_over: NormsOver = "records"

    @property
    def has_own_split(self) -> bool:
        """Whether the data set itself defines the held-out part."""
        return bool(self.test.held_out.any())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the groups of the data."""
        return tuple(self.train.domain.groups)


@checked
def split(
    data: Data,
    *,
    test_fraction: float = 0.2,
    train_size: int = ALL,
    compared: tuple[str, ...] = (),
    norms_over: NormsOver = "records",
    rng: np.random.Generator,
) -> GroupSplit:
    """The split of `split_by_groups`, with the records over which gradients are averaged."""
    case = split_by_groups(
        data, test_fraction=test_fraction, train_size=train_size, compared=compared, rng=rng
    )
    return replace(case, norms_over=norms_over)


@checked
def split_by_groups(
    data: Data,
    *,
    test_fraction: float = 0.2,
    train_size: int = ALL,
    compared: tuple[str, ...] = (),
    rng: np.random.Generator,
) -> GroupSplit:
    """The split that the data set defines, or else a uniformly random split.

    Args:
        data: records or images.
        test_fraction: the share that is held out in a random split.
        train_size: the largest number of records or images of each part; the first ones are used.
        compared: names of groups; a name that is not a group of this data set is ignored.
        rng: the source of randomness.

    Raises:
        ValueError: no name in `compared` is a group, or a group has no record in one of the parts.
    """
    train, test = _parts(data, test_fraction, rng)
    # the first ones, not a sample, so that a smaller run is a part of a larger one
    train = train.take(np.arange(min(train_size, len(train))))
    test = test.take(np.arange(min(train_size, len(test))))
    record_counts = (train if data.held_out.any() else data).protected
    names = data.domain.groups
    for k, name in enumerate(names):
        if not (train.protected == k).any() or not (test.protected == k).any():
            found = np.count_nonzero(data.protected == k)
            raise ValueError(
                "every group must have at least 2 records, one to train on and one to test "
                f"on, but group {name!r} has {found}"
            )
    return GroupSplit(train, test, sizes(record_counts, len(names)), _places(compared, names), {})


def _parts(data: Any, test_fraction: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """The training part and the test part of the data."""
    # the split of the data set, such as that of MNIST, which papers use
    if data.held_out.any():
        return data.take(np.flatnonzero(~data.held_out)), data.take(np.flatnonzero(data.held_out))
    parts = classification.split(data, test_fraction=test_fraction, rng=rng)
    return parts.train, parts.test


def study(fit: BoundFit, case: GroupSplit, *, rng: np.random.Generator) -> Outcome:
    """The fitted model with all scores of its training."""
    model, finished = fit_and_measure(fit, case, rng)
    accuracy = accuracies(model, case)
    # before the baseline is asked for: SGD is its own baseline
    remember_baseline(fit, case, accuracy, finished)
    change = accuracy - (baseline(fit, case, rng)[0] if finished else np.nan)
    compared, unknown = change[1 + case.compared], np.full(1 + len(case.names), np.nan)
    curves: dict[str, Any] = {
        AXIS: ["total", *case.names],
        "sample_size": case.record_counts,
        "accuracy": accuracy,
        "accuracy_change": change,
        "majority_accuracy": accuracies(majority_class.fit(case.train, rng=rng), case),
        "selection_rate": selection_rates(model, case),
    }
    if finished:
        curves |= finished[-1].measurements[-1]["at_the_end"]
    else:
        curves |= dict.fromkeys(AT_THE_END, unknown)
    if finished and case.norms_over == "batches":
        *_, batch_rng = rng.spawn(4)  # the first three are those of start, batches and noise
        curves["average_gradient_norm"] = batch_gradient_norms(finished[-1].last, batch_rng)
    numbers = {
        "total_change": float(change[0]),
        "first_change": float(compared[0]),
        "last_change": float(compared[-1]),
        "accuracy_change_difference": float(np.ptp(compared)),
        "accuracy_change_gap": float(compared[-1] - compared[0]),
        **epsilons(finished[-1].last.spending if finished else NOTHING),
    }
    return Outcome(model, numbers, curves={name: list(value) for name, value in curves.items()})


def fit_and_measure(
    fit: BoundFit, case: GroupSplit, rng: np.random.Generator, *, epochs: bool = False
) -> tuple[Any, list[FinishedTraining]]:
    """The fitted model, and a list with its training run.

    The list is empty for a method that is not trained by gradient descent, such as networks that
    are trained against each other. The run has measurements at every epoch with `epochs`, and on
    data with their own split.
    """
    # a network on images trains so long that one run has to serve tables and curves
    measured = epochs or case.has_own_split
    what = f"groups {case.compared.tolist()}, all at the end" if measured else "the end"
    finished: list[FinishedTraining] = []

    def keep(run: FinishedTraining) -> None:
        # other methods train networks against each other, which have no gradients of records
        if isinstance(run.last, DescentEpoch):
            finished.append(run)

    context = replace(
        fit.context,
        measurement_name=f"private_training {TASK.version}, {what}",
        measure=partial(_measure, case=case, epochs=measured),
        on_finished=keep,
    )
    # a copy of the generator: SGD and the method have the same first weights and batches
    return replace(fit, context=context)(case.train, rng=deepcopy(rng)), finished


def baseline(
    fit: BoundFit, case: GroupSplit, rng: np.random.Generator, *, epochs: bool = False
) -> tuple[Floats, list[Any]]:
    """The accuracies and measurements of SGD with what it shares with `fit`, computed once."""
    shared = _shared(fit)
    # once for each split: all private methods of a table are compared with the same run
    if tuple(shared.items()) not in case.reference_methods:
        unprivate = BoundFit("sgd", sgd.ALGORITHM, shared, fit.context)
        model, finished = fit_and_measure(unprivate, case, rng, epochs=epochs)
        remember_baseline(unprivate, case, accuracies(model, case), finished)
    return case.reference_methods[tuple(shared.items())]


def remember_baseline(
    fit: BoundFit, case: GroupSplit, accuracy: Floats, finished: list[FinishedTraining]
) -> None:
    """Stores the results of `fit`, with which other methods are compared, if the method is SGD."""
    if fit.name == "sgd":
        case.reference_methods[tuple(_shared(fit).items())] = (accuracy, finished[-1].measurements)


def _shared(fit: BoundFit) -> dict[str, Any]:
    """The values of the parameters of a method that SGD has too."""
    return {name: fit.params[name] for name in parameters(sgd.ALGORITHM.fit) if name in fit.params}


def accuracies(model: Any, case: GroupSplit) -> Floats:
    """The accuracy of a model on the held-out data, in total and for each group, (1 + groups,)."""
    correct = case.test.correctness(model.predict(case.test))
    return by_group(correct, case.test.protected, len(case.names))


def selection_rates(model: Any, case: GroupSplit) -> Floats:
    """The selection rate of a model on the held-out data, in total and by group, (1 + groups,)."""
    selected = case.test.selection(model.predict(case.test))
    return by_group(selected, case.test.protected, len(case.names))


def _measure(descent: Any, *, case: GroupSplit, epochs: bool) -> dict[str, Any]:
    """The measurements of a training at the end of an epoch, as plain numbers by name.

    With `epochs` there are measurements at every epoch. Other measurements follow the last epoch.
    There are none unless `descent` is the DescentEpoch of a gradient descent.
    """
    if not isinstance(descent, DescentEpoch):
        return {}
    # tables need the last epoch only
    found = _each_epoch(descent, case) if epochs else {}
    if descent.is_last:
        found["at_the_end"] = _at_the_end(descent)
    return found


def _each_epoch(descent: DescentEpoch, case: GroupSplit) -> dict[str, Any]:
    """The measurements that are made at every epoch, by name."""
    parts = [_mean_loss_and_gradient(_gradients(descent, k)) for k in case.compared]
    bounds = descent.mean_bounds
    measured = _named(parts, bounds[case.compared]) | {
        "accuracy": accuracies(descent.model.classifier(descent.parameters), case),
        "bounds": _finite(bounds),
    }
    numbers = {"epoch": float(descent.epoch), "epsilon_moments": descent.spending.published}
    return numbers | {name: values.tolist() for name, values in measured.items()}


def _at_the_end(descent: DescentEpoch) -> dict[str, list[float]]:
    """The measurements that are made after the last epoch, with the total over all groups first."""
    # group by group, because the means of the groups give that of all records
    parts, norms = [], []
    for k in range(descent.model.group_count):
        gradients = _gradients(descent, k)
        parts.append(_mean_loss_and_gradient(gradients))
        norms.append(gradients.norms)
    loss = _mean_over_groups([part["loss"] for part in parts], parts)
    gradient = _mean_over_groups([part["gradient"] for part in parts], parts)
    whole = {"loss": loss, "gradient": gradient}
    bounds = descent.mean_bounds
    found = _named([whole, *parts], np.concatenate([[bounds.max()], bounds]))
    means = [np.concatenate(norms).mean()] + [part.mean() for part in norms]
    found["record_gradient_norm"] = np.array(means)
    return {name: found[name].tolist() for name in AT_THE_END}


def batch_gradient_norms(descent: DescentEpoch, rng: np.random.Generator) -> Floats:
    """The norms of the mean gradients in a batch, in total and for each group, (1 + groups,).

    The norms are means over the batches of one epoch. A batch without a record of a group does not
    count for the group.
    """
    model, steps = descent.model, descent.steps
    # new batches of one epoch, as the training itself would draw them next
    epoch = PlannedSteps(replace(steps.training, epochs=1), steps.n)
    norms = []
    for batch in epoch.draw(rng):
        groups = model.groups[batch.rows]
        gradients = model.gradients(descent.parameters, batch.rows)
        # the total is a group of all records, which comes first
        members = [np.ones(len(groups)), *(groups == k for k in range(model.group_count))]
        norms.append([_norm_of_mean(gradients, chosen) for chosen in members])
    return np.asarray(np.nanmean(norms, axis=0))


def _norm_of_mean(gradients: Gradients, chosen: Any) -> float:
    """The norm of the mean gradient of the `chosen` records of a batch; NaN if there are none."""
    count = np.count_nonzero(chosen)
    return float(np.linalg.norm(gradients.total(chosen / count))) if count else np.nan


def _gradients(descent: DescentEpoch, group: int) -> Gradients:
    """The gradients of the losses of the training records in the group with the number `group`."""
    rows = np.flatnonzero(descent.model.groups == group)
    return descent.model.gradients(descent.parameters, rows)


def _mean_loss_and_gradient(gradients: Gradients) -> dict[str, Any]:
    """The number of records in a batch, their mean loss and their mean gradient, by name."""
    # weights of 1 / n make the mean in the one pass that sums the gradients
    losses = gradients.losses
    mean = gradients.total(np.full(len(losses), 1 / len(losses)))
    return {"record_counts": len(losses), "loss": losses.mean(), "gradient": mean}


def _mean_over_groups(values: list[Any], parts: list[dict[str, Any]]) -> Any:
    """The mean of the values of the groups, weighted by the groups' numbers of records."""
    record_counts = np.array([part["record_counts"] for part in parts])
    # from the groups' means, so that no gradient is computed a second time
    return np.tensordot(record_counts / record_counts.sum(), np.array(values), axes=1)


def _named(parts: list[dict[str, Any]], bounds: Floats) -> dict[str, Floats]:
    """The loss, the gradient norm and the clipping bound of each group in `parts`, by name."""
    loss = np.array([float(part["loss"]) for part in parts])
    gradient = np.array([np.linalg.norm(part["gradient"]) for part in parts])
    return dict(zip(EACH_EPOCH, (loss, gradient, _finite(bounds)), strict=True))


def _finite(bounds: Floats) -> Floats:
    """The clipping bounds, with NaN in place of the infinite bounds of SGD."""
    return np.where(np.isinf(bounds), np.nan, bounds)


@cache
def epsilons(spending: Spending) -> dict[str, float]:
    """The privacy loss of a training run by three accountants, by name; NaN if not private."""
    found = (spending.published, spending.together("rdp"), spending.together("pld"))
    return dict(zip(EPSILONS, found, strict=True))


def _places(compared: tuple[str, ...], names: tuple[str, ...]) -> Ints:
    """The indices of the groups that `compared` names, or of all groups if `compared` is empty."""
    if compared and not set(compared) & set(names):
        raise ValueError(
            f"unknown group {compared[0]!r} in `compared`: {nearest(compared[0], names)}"
        )
    # one spec has data sets with other groups: names of those are passed over
    found = [names.index(name) for name in compared if name in names]
    return np.array(found or range(len(names)))


TASK = Study(
    split=split,
    study=study,
    scores=SCORES,
    unbounded=("sample_size", "average_gradient_norm"),
    axis=AXIS,
    optional_in_rows=("norms_over",),
    sweep=Sweep(
        title="Accuracy lost to privacy",
        methods=("dpsgd", "dpsgd_f"),
        values=("total_change", "accuracy_change_difference"),
        also=("epsilon_moments", "epsilon_rdp", "epsilon_pld"),
        panels=("total_change", "accuracy_change_difference"),
        labels={
            "total_change": "change against SGD",
            "accuracy_change_difference": "largest difference of groups",
        },
    ),
)
