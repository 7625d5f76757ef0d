"""The speed bars of private training, for `make bench`: against Opacus on the same batches, and of the network.

Both need torch and get an environment of their own, .venv-bench-deep.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPPONENT = "opacus==1.6.0"
STEPS = 300  # of Opacus, whose steps take the same time each; 20 epochs of Adult are 2,827

OPACUS_SCRIPT = """
import json, sys, time, warnings
import numpy as np, torch
from opacus import GradSampleModule
from opacus.optimizers import DPOptimizer
warnings.simplefilter("ignore")
torch.set_num_threads(1)
data = np.load(sys.argv[1])
X, y = torch.tensor(data["X"], dtype=torch.float32), torch.tensor(data["y"], dtype=torch.float32)[:, None]
rows, ends = torch.tensor(data["rows"]), data["ends"]
model = GradSampleModule(torch.nn.Linear(X.shape[1], 1))
optimizer = DPOptimizer(torch.optim.SGD(model.parameters(), lr=0.5), noise_multiplier=1.0, max_grad_norm=0.5,
                        expected_batch_size=256)
loss = torch.nn.BCEWithLogitsLoss()
def run(first, last):
    for start, end in zip(ends[first:last], ends[first + 1:last + 1]):
        chosen = rows[start:end]
        optimizer.zero_grad()
        loss(model(X[chosen]), y[chosen]).backward()
        optimizer.step()
run(0, 20)
began = time.perf_counter()
run(20, len(ends) - 1)
print(json.dumps((time.perf_counter() - began) / (len(ends) - 21)))
"""

NETWORK_SCRIPT = """
import json, resource, time
import numpy as np
from dpfair_cli import paths
from dpfair_cli.data_access import loading, locating
from dpfair_cli.algorithms.training import dpsgd, sgd
located = locating.locate("mnist", {}, data_dir=paths.data_folder(), replica_ok=True)
images = loading.load(located, {})
images = images.take(np.flatnonzero(~images.held_out)[:8192])
def seconds(module, **options):
    began = time.perf_counter()
    module.fit(images, epochs=1, batch_size=256, learning_rate=0.01, **options, rng=np.random.default_rng(0))
    return time.perf_counter() - began
private = {"epsilon": 6.55, "clip_norm": 1.0}
seconds(sgd), seconds(dpsgd, **private)
plain, noisy = (min(times) for times in zip(*((seconds(sgd), seconds(dpsgd, **private)) for _ in range(3))))
print(json.dumps([noisy, noisy / plain, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6]))
"""

RIVAL_NETWORK_SCRIPT = """
import json, time, warnings
import torch
from opacus import PrivacyEngine
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from dpfair_cli import paths
from dpfair_cli.data_access import loading, locating
from dpfair_cli.models.training.cnn import pixels
warnings.simplefilter("ignore")
torch.set_num_threads(1)
located = locating.locate("mnist", {}, data_dir=paths.data_folder(), replica_ok=True)
images = loading.load(located, {})
X, y = pixels(torch.tensor(images.X[:8192])), torch.tensor(images.y[:8192])
def seconds(mode):
    network = nn.Sequential(nn.Conv2d(1, 20, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 50, 5), nn.ReLU(),
                            nn.MaxPool2d(2), nn.Flatten(), nn.Linear(800, 500), nn.ReLU(), nn.Linear(500, 10))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    loader = DataLoader(TensorDataset(X, y), batch_size=256)
    made = PrivacyEngine().make_private(module=network, optimizer=optimizer, criterion=nn.CrossEntropyLoss(),
        data_loader=loader, noise_multiplier=0.8, max_grad_norm=1.0, poisson_sampling=False, grad_sample_mode=mode)
    network, optimizer, loss = made[0], made[1], made[2] if mode == "ghost" else nn.CrossEntropyLoss()
    times = []
    for repeat in range(3):
        began = time.perf_counter()
        for x, wanted in zip(X.split(256), y.split(256)):  # without the loader, which takes its own time
            optimizer.zero_grad()
            loss(network(x), wanted).backward()
            optimizer.step()
        times.append(time.perf_counter() - began)
    return min(times)
print(json.dumps(min(seconds(mode) for mode in ("hooks", "ew", "functorch", "ghost"))))
"""

Bar = tuple[str, str, str, bool]


def training_bars(folder: Path) -> list[Bar]:
    """DPSGD on Adult and the network against Opacus; an epoch of the network with norms and without."""
    ours = dpsgd_seconds(folder / "batches.npz")
    rival = 2827 * answer(OPACUS_SCRIPT, str(folder / "batches.npz"))
    epoch, slowdown, memory = answer(NETWORK_SCRIPT)
    faster = answer(RIVAL_NETWORK_SCRIPT) / epoch
    return [
        (
            "DPSGD, 20 epochs of Adult, against Opacus",
            f"{rival / ours:.0f} times faster",
            ">= 8 times",
            rival >= 8 * ours,
        ),
        ("the network: an epoch of DPSGD over one of SGD", f"{slowdown:.2f}", "<= 2.0", slowdown <= 2.0),
        ("  against the fastest mode of Opacus", f"{faster:.2f} times faster", ">= 1 times", faster >= 1),
        ("  its memory", f"{memory:.2f} GB", "<= 4 GB", memory <= 4),
    ]


def dpsgd_seconds(target: Path) -> float:
    """The best of three fits on the first split of Adult; leaves records and the first batches for the rival."""
    import numpy as np
    from bench import training_case
    from threadpoolctl import threadpool_limits

    from dpfair_cli.algorithms.training import dpsgd
    from dpfair_cli.models.training.schedule import DEFAULT_SCHEDULE, PlannedSteps

    train = training_case()[0].train
    planned = PlannedSteps(DEFAULT_SCHEDULE, len(train))
    drawn = [batch.rows for batch, _ in zip(planned.draw(np.random.default_rng(0)), range(STEPS), strict=False)]
    ends = np.cumsum([0, *map(len, drawn)])
    np.savez(target, X=train.X, y=train.y, rows=np.concatenate(drawn), ends=ends)
    times = []
    with threadpool_limits(1):
        for seed in range(4):  # the first one also finds the noise for epsilon
            began = time.perf_counter()
            dpsgd.fit(train, rng=np.random.default_rng(seed))
            times.append(time.perf_counter() - began)
    return min(times[1:])


def answer(script: str, *arguments: str) -> float | list[float]:
    """What a script prints in the environment with torch and Opacus."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [str(opacus_python()), "-c", script, *arguments]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=ROOT)
    found: float | list[float] = json.loads(printed.stdout)
    return found


def opacus_python() -> Path:
    """The interpreter of the environment with torch and Opacus, made on first use."""
    home = ROOT / ".venv-bench-deep"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt")]
        subprocess.run([*install, "-e", f"{ROOT}[deep]", OPPONENT], check=True)
    return python
