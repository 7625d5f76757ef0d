"""UCI Adult with its five numeric attributes as features, all 48,842 rows (ficiu2023).

No row has a missing number, so that rows with a `?` elsewhere are kept. The rows of adult.test come
first.
"""

from __future__ import annotations

from pathlib import Path

import dpfair_cli.plugin as dp
from dpfair_cli.datasets import adult

from . import adult_pfairdp


@dp.checked
def load(folder: Path) -> dp.Records:
    """The Records of Adult below `folder` with five features."""
    return adult_pfairdp.load(folder, features="numeric")


def load_replica(path: Path) -> dp.Records:
    """The records of the synthetic replica of Adult in the file `path`."""
    return adult_pfairdp.load_replica(path, features="numeric")


DATASET = dp.DataSource(
    load=load,
    note="UCI Adult with five numeric features, all rows (ficiu2023); CC BY 4.0",
    task="classification",
    files=adult.FILES,
    expected={"rows": 48_842, "columns": 5, "groups": (16_192, 32_650), "base_rate": 0.2393},
    replica=dp.Replica(path=lambda folder: folder / "adult.csv.gz", load=load_replica),
)
