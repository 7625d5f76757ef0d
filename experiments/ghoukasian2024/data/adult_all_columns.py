"""UCI Adult with all 14 attributes: the 45,222 complete rows of both files, each once.

The encoding is that of adult_training_twice, which has the training rows only and each of them
twice.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import dpfair_cli.plugin as dp
from dpfair_cli.datasets import adult, adult_training_twice
from dpfair_cli.models.tabular.encoding import Encoding, encode

DOMAIN = adult_training_twice.DOMAIN


def read(folder: Path) -> pd.DataFrame:
    """The complete rows of both files of Adult below `folder`, (45222, 15 columns)."""
    return adult.read_raw(folder).dropna().reset_index(drop=True)


@dp.checked
def load(folder: Path, *, encoding: Encoding = "one_hot") -> dp.Records:
    """The Records of both files of Adult below `folder`."""
    return encode(read(folder), DOMAIN, encoding=encoding)


def load_replica(path: Path, *, encoding: Encoding = "one_hot") -> dp.Records:
    """The replica of adult_training_twice, each record once."""
    return adult_training_twice.load_replica(path, encoding=encoding, copies=1)


DATASET = dp.DataSource(
    load=load,
    note="UCI Adult, 45,222 complete rows of both files with all 14 attributes; CC BY 4.0",
    files=adult.FILES,
    expected={"rows": 45_222, "columns": 95, "groups": (14_695, 30_527), "base_rate": 0.2478},
    expected_by_option={
        ("encoding", "ordinal"): {"columns": 13},
        ("encoding", "binned"): {"columns": 116},
    },
    replica=dp.Replica(path=lambda folder: folder / "adult.csv.gz", load=load_replica),
)
