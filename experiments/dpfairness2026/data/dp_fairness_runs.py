"""Gaps of the authors' runs on private synthetic records of ACSIncome, California.

They are the lines of examined.csv, ten seeds at each epsilon.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dpfair_cli.plugin as dp

from ..formats.stored_lines import stored
from ..models.stored_gaps import METHODS, Gap, Learner, StoredGaps

SEEDS = 10


@dp.checked
def load(
    folder: Path,
    *,
    learner: Learner = "logistic regression",
    gap: Gap = "equalized odds",
    epsilon: dp.Epsilon = 1.0,
) -> StoredGaps:
    """The gaps of a learner at one epsilon; no file in the data folder `folder` is read."""
    found = stored(learner, gap)
    seeds = map(str, range(SEEDS))
    private = [[found[f"{epsilon:g}", seed, method] for method in METHODS] for seed in seeds]
    clean = [found["", "", method] for method in METHODS]
    return StoredGaps(gap, np.array(private), np.array(clean))


DATASET = dp.DataSource(
    load=load,
    note="gaps on synthetic ACSIncome (California), stored by dpfairness2026",
    task="seed_statistics",
    expected={"rows": SEEDS, "columns": len(METHODS)},
)
