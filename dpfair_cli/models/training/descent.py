"""Stochastic gradient descent with a rule that turns the gradients of a batch into one sum.

A model gives the gradient of each record. The rule of an algorithm turns the gradients of a batch
into one sum, for a private algorithm a noisy sum. All algorithms share the step w <- w - r (sum / b
+ regularisation w), with momentum, learning rate r and expected batch size b. The regularisation
(weight decay) is added outside the clipped gradients, because it does not depend on the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any, Literal, Protocol

import numpy as np
from scipy.special import expit

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.errors import DpfairError, how_to_install
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.contracts.training_context import Device, TrainingContext, TrainingState
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.training_noise import Spending
from dpfair_cli.mechanisms.batches import Draw
from dpfair_cli.mechanisms.noise import as_array
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.training.epochs import run_epochs
from dpfair_cli.models.training.schedule import PlannedSteps

Intercept = Literal["with", "without"]


class Gradients(Protocol):
    """The gradients g_i of the b records of a batch."""

    @property
    def norms(self) -> Floats:
        """The norm |g_i| of the gradient of the loss of each record i, (b,)."""
        ...

    @property
    def losses(self) -> Floats:
        """The loss of the model on each record, (b,)."""
        ...

    def total(self, weights: Floats) -> Any:
        """The weighted sum of the gradients g_i of the losses of the records i, (p,).

        `weights` (b,) are the factors of the gradients; factors below 1 clip gradients. The sum is
        where the parameters are: an array, or a tensor of an accelerator.
        """
        ...


class Differentiable(Protocol):
    """The interface of a model with p parameters and its n training records."""

    groups: Ints  # the protected group of each record, (n,)
    group_count: int  # the number of groups

    def start(self, rng: np.random.Generator) -> Floats:
        """The initial parameters of the model, (p,)."""
        ...

    def placed(self, vector: Floats) -> Any:
        """The vector (p,) where steps are computed: itself, or a tensor of an accelerator."""
        ...

    def gradients(self, parameters: Any, rows: Ints) -> Gradients:
        """The gradients of the losses of the b records whose indices are `rows` (b,).

        `parameters` (p,) are an array or a result of `placed`.
        """
        ...

    def classifier(self, parameters: Floats) -> Classifier:
        """The classifier that the model is with these parameters (p,)."""
        ...


@dataclass(frozen=True, eq=False)
class DescentEpoch:
    """The state of a descent at the end of an epoch, for measurements."""

    model: Differentiable  # the model with its training records, whose parameters are in `state`
    steps: PlannedSteps  # the plan of all steps
    whole_spending: Spending  # the privacy cost of all steps
    # the parameters and the velocity (p,), the last clipping bounds and their means (groups,)
    state: TrainingState

    @property
    def epoch(self) -> int:
        """The number of finished epochs of the training."""
        return self.state.epoch

    @property
    def step(self) -> int:
        """The number of finished steps of the training."""
        return int(self.state.facts["step"])

    @property
    def is_last(self) -> bool:
        """Whether all steps of the training are finished."""
        return self.step == self.steps.count

    @property
    def parameters(self) -> Floats:
        """The parameters of the model after this epoch, (p,)."""
        return self.state.arrays["parameters"]

    @property
    def mean_bounds(self) -> Floats:
        """The clipping bound of each group, as the mean over the steps of the epoch, (groups,)."""
        return self.state.arrays["mean_bounds"]

    @property
    def spending(self) -> Spending:
        """The releases of the finished steps, from which their privacy loss is computed."""
        return self.whole_spending.after(self.step)


@dataclass(frozen=True, eq=False)
class BatchGradients:
    """The gradients of a batch, with the groups of the records and the sampling of the batch."""

    gradients: Gradients  # the gradients g_i
    groups: Ints  # the protected group of each record, (b,)
    draw: Draw  # how the batch was drawn

    @cached_property
    def norms(self) -> Floats:
        """The norm |g_i| of the gradient of the loss of each record i of the batch, (b,)."""
        return self.gradients.norms

    def total(self, weights: Floats) -> Any:
        """The sum of the gradients g_i, multiplied by `weights` (b,), (p,)."""
        return self.gradients.total(weights)


BatchRule = Callable[[BatchGradients, Floats, np.random.Generator], tuple[Floats, Floats]]
"""(batch, last clipping bounds (groups,), rng) -> (sum of gradients (p,), clipping bounds)."""


def train(
    model: Differentiable,
    rule: BatchRule,
    steps: PlannedSteps,
    *,
    clip_norm: float,
    spending: Spending,
    context: TrainingContext,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier after all steps.

    Start, batches and noise have separate generators, so that two algorithms with one seed have the
    same batches.

    Args:
        model: the model and its records.
        rule: the function that computes the exact or noisy sum of the gradients of a batch, and the
            clipping bounds.
        steps: the plan of the batches and learning rates.
        clip_norm: the initial clipping bound of every group.
        spending: the privacy cost of all steps.
        context: the progress display, checkpoints and measurements.
        rng: the source of randomness.
    """
    # apart, so that another amount of noise leaves start and batches as they are
    start_rng, batch_rng, noise_rng = rng.spawn(3)
    w, bounds = model.start(start_rng), np.full(model.group_count, clip_norm)  # (p,), (groups,)

    def epochs_after(state: TrainingState) -> Iterator[TrainingState]:
        return _epochs(model, rule, steps, state, batch_rng, noise_rng)

    last = run_epochs(
        _state(0, 0, w, np.zeros_like(w), bounds, bounds, noise_rng),
        epochs_after,
        epochs=len(steps.ends),
        view=partial(DescentEpoch, model, steps, spending),
        context=context,
        rng=rng,
    )
    return model.classifier(last.arrays["parameters"])


def _epochs(
    model: Differentiable,
    rule: BatchRule,
    steps: PlannedSteps,
    state: TrainingState,
    batch_rng: np.random.Generator,
    noise_rng: np.random.Generator,
) -> Iterator[TrainingState]:
    """Yields the state of the training at the end of each epoch that follows `state`."""
    # from a checkpoint, the noise goes on where it was: no release repeats another's noise
    noise_rng.bit_generator.state = state.facts["noise"]
    w, velocity = (model.placed(state.arrays[name]) for name in ("parameters", "velocity"))
    bounds = state.arrays["bounds"]
    training, epoch, first = steps.training, state.epoch, state.facts["step"]
    totals = np.zeros_like(bounds)
    # the batches of finished epochs are drawn again and skipped, so that later ones are the same
    for batch in islice(steps.draw(batch_rng), first, None):
        found = BatchGradients(model.gradients(w, batch.rows), model.groups[batch.rows], batch.draw)
        total, bounds = rule(found, bounds, noise_rng)  # (p,), (groups,)
        velocity = training.momentum * velocity + total / training.batch_size
        # outside the clipped sum, because weight decay reads no record
        velocity = velocity + training.regularisation * w
        w = w - steps.rate(batch.draw.step) * velocity
        totals, step = totals + bounds, batch.draw.step
        if step == steps.ends[epoch]:
            epoch, means = epoch + 1, totals / (step - first)
            yield _state(epoch, step, w, velocity, bounds, means, noise_rng)
            # means of clipping bounds are those of one epoch
            totals, first = np.zeros_like(bounds), step


def _state(
    epoch: int,
    step: int,
    w: Any,
    velocity: Any,
    bounds: Floats,
    means: Floats,
    noise_rng: np.random.Generator,
) -> TrainingState:
    """The state of a training run, from which the training can resume."""
    arrays = {"parameters": as_array(w), "velocity": as_array(velocity)}
    arrays |= {"bounds": bounds, "mean_bounds": means}
    return TrainingState(epoch, arrays, {"step": step, "noise": noise_rng.bit_generator.state})


def clipping_weights(norms: Floats, bound: float | Floats) -> Floats:
    """The factor min(1, bound / |g_i|) by which clipping multiplies each gradient g_i, (b,).

    `norms` (b,) are the norms |g_i|. A gradient times its factor has at most the norm `bound`,
    which is one number for all records or a number for each record (b,).
    """
    return np.asarray(bound / np.maximum(norms, bound))


def long_and_other(groups: Ints, long: Mask, group_count: int) -> Floats:
    """The numbers of long and of other gradients in each group, (groups, 2).

    `groups` (b,) is the group of each gradient, and `long` (b,) says whether its norm is above the
    clipping bound.

    Source: xu2021, Algorithm 7.
    """
    cells = 2 * groups + ~long
    return np.bincount(cells, minlength=2 * group_count).reshape(-1, 2).astype(float)


def group_bounds(counts: Floats, clip_norm: float, batch_size: int) -> Floats:
    """The clipping bounds of the groups, C_0 (1 + (m_k / b_k) / (m / b)), (groups,).

    m_k is the noisy number of long gradients of group k, b_k the noisy number of all its gradients,
    m the sum of the m_k, and b the expected batch size.

    Source: xu2021, Algorithm 7.

    Args:
        counts: the noisy counts m~^k and o~^k of each group, (groups, 2).
        clip_norm: C_0.
        batch_size: b, the expected batch size.
    """
    counts = np.maximum(counts, 0.0)
    share = counts[:, 0] / np.maximum(counts.sum(axis=1), 1.0)  # m~^k / b~^k
    whole = counts[:, 0].sum() / batch_size  # m~ / b
    return clip_norm * (1 + (share / whole if whole > 0 else np.ones(len(counts))))


@dataclass(frozen=True, eq=False)
class LinearGradients:
    """The gradients residual_i x_i of b records, where residual_i is sigmoid(x_i'w) - y_i."""

    x: Floats  # the records, (b, p)
    y: Floats  # the labels, (b,)
    lengths: Floats  # the norms |x_i|, (b,)
    scores: Floats  # the scores x_i'w, (b,)

    @cached_property
    def residuals(self) -> Floats:
        """The residuals sigmoid(x_i'w) - y_i, (b,)."""
        return np.asarray(expit(self.scores) - self.y)

    @property
    def losses(self) -> Floats:
        """The logistic losses log(1 + exp(-(2y_i - 1) x_i'w)), (b,)."""
        return np.logaddexp(0.0, (1 - 2 * self.y) * self.scores)

    @property
    def norms(self) -> Floats:
        """The norms |residual_i| |x_i| of the gradients, (b,)."""
        return np.abs(self.residuals) * self.lengths

    def total(self, weights: Floats) -> Floats:
        """The sum of the gradients residual_i x_i, multiplied by `weights` (b,), (p,)."""
        return (weights * self.residuals) @ self.x


class LogisticDescent:
    """Logistic regression with the training records, whose gradients are never formed.

    The loss of a record is log(1 + exp(-(2y - 1) x'w)), with the gradient (sigmoid(x'w) - y) x of
    the norm |sigmoid(x'w) - y| |x|. With an intercept, x has a last entry 1.
    """

    def __init__(self, records: Records, *, intercept: Intercept) -> None:
        ones = np.ones((len(records), int(intercept == "with")))
        self.x = np.hstack([records.X, ones])  # (n, p)
        self.y = records.y.astype(float)
        # once: the norm of a gradient is |residual| |x|
        self.lengths = np.linalg.norm(self.x, axis=1)  # (n,)
        self.groups, self.group_count = records.protected, len(records.domain.groups)
        self.features = records.X.shape[1]

    def start(self, rng: np.random.Generator) -> Floats:
        """The initial weights of the logistic regression, which are zeros, (p,)."""
        return np.zeros(self.x.shape[1])

    def placed(self, vector: Floats) -> Floats:
        """The vector itself: logistic regression is computed by the processor."""
        return vector

    def gradients(self, parameters: Floats, rows: Ints) -> LinearGradients:
        """The gradients of the losses of the records whose indices are `rows`."""
        x = self.x.take(rows, axis=0)  # faster than indexing
        return LinearGradients(x, self.y[rows], self.lengths[rows], x @ parameters)

    def classifier(self, parameters: Floats) -> LinearClassifier:
        """The linear classifier with the weights (and the intercept) `parameters`."""
        intercept = float(parameters[self.features :].sum())
        return LinearClassifier(parameters[: self.features], intercept)


def differentiable(
    data: Records | Images, *, intercept: Intercept, device: Device
) -> Differentiable:
    """Logistic regression on records, or a convolutional network on images.

    Args:
        data: the training data.
        intercept: whether logistic regression has an intercept.
        device: the device of the network.

    Raises:
        DpfairError: `data` are images and torch is not installed.
    """
    if isinstance(data, Records):
        return LogisticDescent(data, intercept=intercept)
    return _cnn().CnnDescent(data, device)  # type: ignore[no-any-return]


def _cnn() -> Any:
    """The module of dpfair with the convolutional network, which needs torch."""
    try:
        import dpfair_cli.models.training.cnn as cnn
    except ImportError as error:
        raise DpfairError(f"networks for images need torch: {how_to_install(['torch'])}") from error
    return cnn
