"""Ghost clipping of Opacus on sequences, audited by its outcomes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch
from opacus.accountants.utils import get_noise_multiplier
from opacus.grad_sample import GradSampleModuleFastGradientClipping
from opacus.optimizers.optimizer_fast_gradient_clipping import DPOptimizerFastGradientClipping
from opacus.utils.fast_gradient_clipping_utils import DPTensorFastGradientClipping

from benchmarks.audited import DELTA, Audited
from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy

EPSILON = 0.25  # few runs, as on a slow machine, refute no larger epsilon
LENGTH, NORM = 200, 0.001  # inputs of a record, clipping bound
PAIRS = [([0.0, 0.0], [0.0])]  # labels of the records
WHY = (
    "One step of a linear layer with a bias on sequences of 200 inputs, all of them 0, so that "
    "only the bias has a gradient. Before the fix, its norm was taken as the Frobenius norm of the "
    "products of the gradients at two places, here at most 1 / 200, so that gradients of up to 1 "
    "were hardly clipped to the bound of 0.001."
)


@cache
def noise_multiplier(epsilon: float, delta: float) -> float:
    """The noise multiplier by Opacus' accountant for one step on all records."""
    target = {"target_epsilon": epsilon, "target_delta": delta}
    return float(get_noise_multiplier(**target, sample_rate=1.0, steps=1))


def bias(y: list[float], epsilon: float, delta: float, rng: np.random.Generator) -> Any:
    """The bias after one step from 0 on records with the labels y."""
    torch.manual_seed(int(rng.integers(2**31)))
    layer = torch.nn.Linear(1, 1)
    torch.nn.init.zeros_(layer.bias)
    model = GradSampleModuleFastGradientClipping(layer, max_grad_norm=NORM)
    optimizer = DPOptimizerFastGradientClipping(
        torch.optim.SGD(layer.parameters(), lr=1.0),
        noise_multiplier=noise_multiplier(epsilon, delta),
        max_grad_norm=NORM,
        expected_batch_size=1,
    )
    scores = model(torch.zeros(len(y), LENGTH, 1))[..., 0]
    labels = torch.tensor(y, dtype=torch.float32)[:, None].expand(-1, LENGTH)
    losses = torch.nn.functional.binary_cross_entropy_with_logits(scores, labels, reduction="none")
    DPTensorFastGradientClipping(model, optimizer, losses.mean(dim=1)).backward()
    optimizer.step()
    return np.round(layer.bias.detach().numpy(), 1)  # few runs need few different outcomes


def mechanisms() -> dict[str, Audited]:
    """The mechanisms by name."""
    relation, claim = "one record is added or removed", ClaimedPrivacy(EPSILON, DELTA)
    return {"ghost_clipping": Audited(bias, claim, PAIRS, relation, WHY)}
