"""Steps of Opacus on Adult's batches and epochs on images, in its own environment, on one thread."""

from __future__ import annotations

import numpy as np
import torch
from opacus import GradSampleModule, PrivacyEngine
from opacus.optimizers import DPOptimizer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
BATCH = 256
HERE = {}  # what was read and made


def read(file: str) -> None:
    """People and batches, and a model for them."""
    with np.load(file) as data:
        X, y = (torch.tensor(data[name], dtype=torch.float32) for name in ("X", "y"))
        HERE.update(X=X, y=y[:, None], rows=torch.tensor(data["rows"]), ends=data["ends"])
    model = GradSampleModule(nn.Linear(X.shape[1], 1))
    settings = {"noise_multiplier": 1.0, "max_grad_norm": 0.5, "expected_batch_size": BATCH}
    HERE.update(
        model=model, optimizer=DPOptimizer(torch.optim.SGD(model.parameters(), lr=0.5), **settings)
    )


def step(first: int, last: int) -> None:
    """The steps on these batches."""
    X, y, rows, ends = (HERE[name] for name in ("X", "y", "rows", "ends"))
    loss = nn.BCEWithLogitsLoss()
    for start, end in zip(ends[first:last], ends[first + 1 : last + 1], strict=True):
        chosen = rows[start:end]
        HERE["optimizer"].zero_grad()
        loss(HERE["model"](X[chosen]), y[chosen]).backward()
        HERE["optimizer"].step()


def images() -> None:
    """Images, a network for each mode, and an epoch that is not timed."""
    from benchmarks.there_network import IMAGES
    from dpfair_cli.models.training.cnn import pixels

    HERE.update(images=pixels(torch.tensor(IMAGES.X)), digits=torch.tensor(IMAGES.y))
    for mode in ("hooks", "ew", "functorch", "ghost"):
        HERE[mode] = prepared(mode)
        epoch(mode)


def prepared(mode: str):
    """Network, optimizer and loss of a mode."""
    convolutions = (
        nn.Conv2d(1, 20, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(20, 50, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
    )
    network = nn.Sequential(
        *convolutions, nn.Flatten(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10)
    )
    made = PrivacyEngine().make_private(
        module=network,
        optimizer=torch.optim.SGD(network.parameters(), lr=0.01),
        criterion=nn.CrossEntropyLoss(),
        data_loader=DataLoader(TensorDataset(HERE["images"], HERE["digits"]), batch_size=BATCH),
        noise_multiplier=0.8,
        max_grad_norm=1.0,
        poisson_sampling=False,
        grad_sample_mode=mode,
    )
    return made[0], made[1], made[2] if mode == "ghost" else nn.CrossEntropyLoss()


def epoch(mode: str) -> None:
    """One epoch, without the loader, which takes its own time."""
    network, optimizer, loss = HERE[mode]
    for x, wanted in zip(HERE["images"].split(BATCH), HERE["digits"].split(BATCH), strict=True):
        optimizer.zero_grad()
        loss(network(x), wanted).backward()
        optimizer.step()
