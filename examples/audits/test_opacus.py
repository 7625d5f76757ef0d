"""A test of one step on all records with noise from Opacus; the expected batch size is public."""

import torch
from opacus import GradSampleModule
from opacus.accountants.utils import get_noise_multiplier
from opacus.optimizers import DPOptimizer

from pytest_dpfair import assert_private


def one_step(X, y, epsilon, delta, rng):
    multiplier = get_noise_multiplier(
        target_epsilon=epsilon, target_delta=delta, sample_rate=1.0, steps=1
    )
    torch.manual_seed(int(rng.integers(2**31)))
    model = GradSampleModule(torch.nn.Linear(X.shape[1], 1))
    sgd = torch.optim.SGD(model.parameters(), lr=0.5)
    optimizer = DPOptimizer(
        sgd, noise_multiplier=multiplier, max_grad_norm=0.5, expected_batch_size=100
    )
    inputs, labels = (
        torch.tensor(X, dtype=torch.float32),
        torch.tensor(y[:, None], dtype=torch.float32),
    )
    torch.nn.BCEWithLogitsLoss()(model(inputs), labels).backward()
    optimizer.step()
    return [parameter.detach().numpy() for parameter in model.parameters()]


def test_one_step():
    assert_private(one_step, epsilon=1.0, delta=1e-5, neighbours="add-or-remove-one")
