"""Steps of Opacus on Adult and epochs on images, to be run in its environment, on one thread."""

from __future__ import annotations

import numpy as np
import torch
from opacus import GradSampleModule, PrivacyEngine
from opacus.optimizers import DPOptimizer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
BATCH = 256
STATE = {}  # data, models and optimizers by name


def read(file: str) -> None:
    """Reads records and batches, and makes a model."""
    with np.load(file) as data:
        X, y = (torch.tensor(data[name], dtype=torch.float32) for name in ("X", "y"))
        STATE.update(X=X, y=y[:, None], rows=torch.tensor(data["rows"]), ends=data["ends"])
    model = GradSampleModule(nn.Linear(X.shape[1], 1))
    settings = {"noise_multiplier": 1.0, "max_grad_norm": 0.5, "expected_batch_size": BATCH}
    STATE.update(
        model=model, optimizer=DPOptimizer(torch.optim.SGD(model.parameters(), lr=0.5), **settings)
    )


def step(first: int, last: int) -> None:
    """Does the steps on these batches."""
    X, y, rows, ends = (STATE[name] for name in ("X", "y", "rows", "ends"))
    loss = nn.BCEWithLogitsLoss()
    for start, end in zip(ends[first:last], ends[first + 1 : last + 1], strict=True):
        chosen = rows[start:end]
        STATE["optimizer"].zero_grad()
        loss(STATE["model"](X[chosen]), y[chosen]).backward()
        STATE["optimizer"].step()


def images() -> None:
    """Loads images, makes a network for each mode, and does an epoch of each."""
    from benchmarks.there_network import IMAGES
    from dpfair_cli.models.training.cnn import pixels

    STATE.update(images=pixels(torch.tensor(IMAGES.X)), digits=torch.tensor(IMAGES.y))
    for mode in ("hooks", "ew", "functorch", "ghost"):
        STATE[mode] = prepared(mode)
        epoch(mode)


def prepared(mode: str):
    """The network, optimizer and loss of a mode."""
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
        data_loader=DataLoader(TensorDataset(STATE["images"], STATE["digits"]), batch_size=BATCH),
        noise_multiplier=0.8,
        max_grad_norm=1.0,
        poisson_sampling=False,
        grad_sample_mode=mode,
    )
    loss = made[2] if mode == "ghost" else nn.CrossEntropyLoss()
    return made[0], made[1], loss


def epoch(mode: str) -> None:
    """Does one epoch, without the data loader."""
    network, optimizer, loss = STATE[mode]
    for x, wanted in zip(STATE["images"].split(BATCH), STATE["digits"].split(BATCH), strict=True):
        optimizer.zero_grad()
        loss(network(x), wanted).backward()
        optimizer.step()
