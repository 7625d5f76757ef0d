"""SGD: stochastic gradient descent without privacy, the baseline of private training.

Source: xu2021, Section 9.5.1 (SGD in Tables 9.1 to 9.5).
Differs: The dissertation leaves choices open. Here logistic regression has an intercept and starts
    at 0, all weights decay by `regularisation`, and the sum over a batch is divided by the expected
    batch size. No momentum is printed: the specs of xu2021 have 0.5 for networks, as the program of
    the paper whose setting the dissertation repeats, and 0 for logistic regression.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.training_noise import NOTHING
from dpfair_cli.models.training.descent import BatchGradients, Intercept, differentiable, train
from dpfair_cli.models.training.schedule import DEFAULT_SCHEDULE, PlannedSteps, TrainingSchedule


@checked
def fit(
    data: Records | Images,
    *,
    intercept: Intercept = "with",
    training: TrainingSchedule = DEFAULT_SCHEDULE,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier after as many passes over the data as `training` says.

    Args:
        intercept: Whether a logistic regression has an intercept.

    Raises:
        ValueError: a batch is larger than the data.
    """
    steps = PlannedSteps(training, len(data))

    model = differentiable(data, intercept=intercept, device=context.device)
    return train(model, _step, steps, clip_norm=np.inf, spending=NOTHING, context=context, rng=rng)


def _step(g: BatchGradients, bounds: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The sum of the gradients of a batch without clipping, (p,), and the unchanged `bounds`."""
    return g.total(np.ones(len(g.groups))), bounds


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 9.5.1 (SGD in Tables 9.1 to 9.5)",
)
