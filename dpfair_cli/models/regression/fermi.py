"""The minimax problem of FERMI for logistic regression: a loss and a penalty on dependence.

A record with inputs z and label y has the probability p = sigmoid(z'theta) of decision 1. With the
share r of one group in the data, the objective of a batch is

    mean(cross-entropy) + trade_off (-w^2 mean(p) + 2 w r^(-1/2) mean(p [record in the group]) - 1).

theta minimises it and the number w, the dual variable, maximises it. The bracket is what the
released code of lowy2023 has for one output: the first entry of a matrix. It sees the one group
only. Maximised over w it is mean(p | group)^2 r / mean(p) - 1, so that the penalty lowers the
selection rate of the group relative to that of all records.

Noise. A batch has b of n records, T is the number of steps, and rho is the share of the smallest
group less one record. lowy2023 and ghoukasian2024 state, for every step and with bounds L and C,
a sensitivity of each gradient. The standard deviation of the noise is

    2 (b / n) sqrt(T log(1 / delta)) / epsilon

times this sensitivity, as if batches were sampled independently (Abadi et al. 2016, Theorem 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import expit

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.parameters import Count, NotNegativeFinite, PositiveFinite, check_fields
from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.batches import Batch, Draw, shuffled_batches
from dpfair_cli.models.regression.full_design import full_design, random_start
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.training.epochs import Iterate, take_steps

PenalisedGroup = Literal["first_record", "group_0", "group_1"]
DeltaRule = Literal["inverse_square", "given"]


@dataclass(frozen=True)
class FermiTraining:
    """The settings of FERMI training."""

    trade_off: NotNegativeFinite = 1.0
    """The weight of the penalty (lambda in the papers)."""
    epochs: Count = 200
    """The number of passes over the data; the steps of the last, smaller batch are skipped."""
    batch_size: Count = 1024
    """The largest number of records of a batch; fewer records than that are one batch."""
    learning_rate: PositiveFinite = 0.005
    """The learning rate of the weights."""
    dual_learning_rate: PositiveFinite = 0.01
    """The learning rate of the dual variable w."""
    lipschitz: PositiveFinite = 5.0
    """The bound L on the gradient of the probability p of a record, on which the noise relies."""
    dual_bound: PositiveFinite = 5.0
    """The bound C on the dual variable: |w| <= C."""
    penalised: PenalisedGroup = "first_record"
    """The group that the penalty sees; "first_record": the group of the first record."""
    delta_rule: DeltaRule = "inverse_square"
    """How delta is set: 1 / n^2 for n records, or the "given" value of `delta`."""

    def __post_init__(self) -> None:
        check_fields(self)

    def within(self, n: int) -> FermiTraining:
        """The settings with batches of at most n records."""
        return replace(self, batch_size=min(self.batch_size, n))

    def delta(self, given: float, n: int) -> float:
        """The failure probability for n records."""
        return given if self.delta_rule == "given" else n**-2

    def noise_multiplier(self, epsilon: float, delta: float, n: int) -> float:
        """The standard deviation of the noise divided by the sensitivity."""
        steps = self.epochs * math.ceil(n / self.batch_size)
        return 2 * self.batch_size / n * math.sqrt(steps * math.log(1 / delta)) / epsilon


DEFAULT_FERMI = FermiTraining()


class FermiGradients(NamedTuple):
    """The gradients of the objective on a batch."""

    weights: Floats  # by the weights theta, (p,)
    dual: Floats  # by the dual variable w, (1,)


class FermiProblem:
    """The records and the penalty of one training run.

    A group counts as at least one record, and the smallest group as at least two.
    """

    def __init__(self, records: Records, settings: FermiTraining) -> None:
        self.design = full_design(records, numbers="standardised")
        self.inputs = self.design.inputs(records.X)  # (n, p)
        self.labels = records.y.astype(float)
        # counted without noise, as in the released code
        sizes = np.bincount(records.protected, minlength=len(records.domain.groups))
        choice = settings.penalised
        group = int(records.protected[0] if choice == "first_record" else choice[-1])
        self.members = (records.protected == group).astype(float)
        self.smallest = max(sizes.min() - 1, 1) / len(records)  # rho
        self.factor = 1 / math.sqrt(max(sizes[group], 1) / len(records))  # r^(-1/2)
        self.trade_off = settings.trade_off

    def start(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The initial weights theta (p,) and the initial dual variable w (1,)."""
        return random_start(self.inputs.shape[1], rng), rng.normal(size=1)

    def gradients(self, theta: Floats, w: Floats, rows: Ints) -> FermiGradients:
        """The gradients of the objective on the records whose indices are `rows`, (b,)."""
        z, members = self.inputs[rows], self.members[rows]
        # the penalty depends on theta by p only, so that its gradient is a factor of z
        p = expit(z @ theta)  # (b,)
        pull = self.trade_off * (2 * w * self.factor * members - w**2)  # by p, (b,)
        by_score = p - self.labels[rows] + pull * p * (1 - p)
        dual = 2 * self.trade_off * (self.factor * (p @ members) - w * p.sum()) / len(rows)
        return FermiGradients(by_score @ z / len(rows), dual)


Release = Callable[[FermiGradients, Draw], tuple[Floats, Floats]]
"""(gradients of a batch, how the batch was drawn) -> both gradients with noise."""


def descend_and_ascend(
    problem: FermiProblem,
    release: Release,
    settings: FermiTraining,
    *,
    context: TrainingContext,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The classifier after all steps, of which each goes down by theta and up by w.

    `release` adds noise to the gradients of a batch. `rng` draws the batches and the noise in turn,
    and therefore has to be that of `release`.
    """
    n, size, bound = len(problem.labels), settings.batch_size, settings.dual_bound

    def step(iterate: Iterate, batch: Batch) -> Iterate:
        theta, w = iterate
        # the published noise is for batches of this size, and a smaller one is skipped
        if len(batch.rows) < size:
            return iterate
        by_theta, by_w = release(problem.gradients(theta, w, batch.rows), batch.draw)
        theta = theta - settings.learning_rate * by_theta
        return theta, np.clip(w + settings.dual_learning_rate * by_w, -bound, bound)

    start, per_epoch = problem.start(rng), math.ceil(n / size)
    batches = shuffled_batches(n, batch_size=size, steps=settings.epochs * per_epoch, rng=rng)
    theta, _ = take_steps(
        start,
        step,
        batches,
        epochs=settings.epochs,
        steps_per_epoch=per_epoch,
        context=context,
        rng=rng,
    )
    return problem.design.classifier(theta)


def stated_delta(params: Mapping[str, Any], n: int) -> float:
    """The failure probability of a fit with these parameters to n records."""
    return float(params["delta"]) if params["delta_rule"] == "given" else n**-2
