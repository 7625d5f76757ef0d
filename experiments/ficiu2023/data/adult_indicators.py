"""UCI Adult as 57 features that are 0 or 1, as in xu2021, chapter 6: `adult` with its bins."""

from __future__ import annotations

from pathlib import Path

import dpfair_cli.plugin as dp
from dpfair_cli.datasets import adult


@dp.checked
def load(folder: Path) -> dp.Records:
    """The Records of Adult below `folder` with a column for every level and bin."""
    return adult.load(folder, encoding="binned")


def load_replica(path: Path) -> dp.Records:
    """The records of the synthetic replica of Adult in the file `path`."""
    return adult.load_replica(path, encoding="binned")


DATASET = dp.DataSource(
    load=load,
    note="UCI Adult, 57 features 0 or 1, rows without missing values (xu2021, ch. 6); CC BY 4.0",
    task="classification",
    files=adult.FILES,
    expected={"rows": 45_222, "columns": 57, "groups": (14_695, 30_527), "base_rate": 0.2478},
    replica=dp.Replica(path=lambda folder: folder / "adult.csv.gz", load=load_replica),
)
