"""Gaps of the authors' runs on the records of ACSIncome, California, without privacy.

They are lines of `table-not-run` in published.csv, one run of each method.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import dpfair_cli.plugin as dp

from ..formats.stored_lines import stored
from ..models.stored_gaps import METHODS, Gap, Learner, StoredGaps


@dp.checked
def load(
    folder: Path, *, learner: Learner = "logistic regression", gap: Gap = "equalized odds"
) -> StoredGaps:
    """The gaps of a learner; no file in the data folder `folder` is read."""
    found = stored(learner, gap)
    clean = np.array([found["", "", method] for method in METHODS])  # (4,)
    return StoredGaps(gap, clean[None], clean)


DATASET = dp.DataSource(
    load=load,
    note="gaps on ACSIncome (California) without privacy, stored by dpfairness2026",
    task="gap_digits",
    expected={"rows": 1, "columns": len(METHODS)},
)
