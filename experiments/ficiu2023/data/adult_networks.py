"""UCI Adult with the features of the networks of ficiu2023, all 48,842 rows.

The features are five numbers and a 0/1 column for every level of four attributes. The rows of
adult.test come first, and an occupation `?` is a level.
"""

from __future__ import annotations

from pathlib import Path

import dpfair_cli.plugin as dp
from dpfair_cli.datasets import adult

from . import adult_pfairdp


@dp.checked
def load(folder: Path) -> dp.Records:
    """The Records of Adult below `folder` with 38 features."""
    return adult_pfairdp.load(folder, features="network")


def load_replica(path: Path) -> dp.Records:
    """The records of the synthetic replica of Adult in the file `path`."""
    return adult_pfairdp.load_replica(path, features="network")


DATASET = dp.DataSource(
    load=load,
    note="UCI Adult with the features of the networks of ficiu2023, all rows; CC BY 4.0",
    task="classification",
    files=adult.FILES,
    expected={"rows": 48_842, "columns": 38, "groups": (16_192, 32_650), "base_rate": 0.2393},
    replica=dp.Replica(path=lambda folder: folder / "adult.csv.gz", load=load_replica),
)
