"""The replays of one model of a library, or of all models.

Source: Cebere et al. 2026, Re:cord-play.
Differs: The replays are ours, with other data and another instrumentation; no line is the authors'.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import dpfair_cli.plugin as dp

from ..models.replays import Model, Replays


@dataclass(frozen=True, eq=False)
class ModelReplays(dp.NotSaved):
    """The replays of a model."""

    lines: tuple[Mapping[str, str], ...]
    """The lines of replays.csv."""

    seeds: int
    """How often each test was replayed."""


@dp.checked
def fit(replays: Replays, *, model: Model = "all", rng: np.random.Generator) -> ModelReplays:
    """The replays of a model; `rng` is not used.

    Args:
        replays: The replays of all models.
        model: The model of the library, or "all".
        rng: The source of randomness.
    """
    lines = tuple(one for one in replays.lines if model in ("all", one["model"]))
    return ModelReplays(lines, len({one["seed"] for one in lines}))


ALGORITHM = dp.Algorithm(fit, source="Cebere et al. 2026, Re:cord-play")
