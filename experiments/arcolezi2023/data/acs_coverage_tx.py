"""ACSCoverage for Texas: public health insurance of individuals with a low income.

The table of arcolezi2023, made by its authors from the American Community Survey 2018. The
protected attribute is DIS, disability. The column ST, the state, has a single value and is left
out. The four attributes `RANDOMISED` are those that arcolezi2023 randomises. Levels are public:
they are those of the authors' table.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.declarations import DataSource, File
from dpfair_cli.contracts.schemas import Schema

from ..formats.local_table import coded, local_records, local_replica
from ..models.local_records import LocalRecords

FILES = (
    File(
        path="acs-coverage-tx/db_ACSCoverage.csv",
        licence="US government work",
        sha256="d3a2713e71b6557f07b22dc0e77ff885ceac3ff522146027524d39512a007ff7",
        size=3_319_247,
        urls=(
            "https://raw.githubusercontent.com/hharcolezi/ldp-fairness-impact/512752136637f8478b37acaaaf9d87f06685270c/datasets/db_ACSCoverage.csv",
        ),
    ),
)
LEVELS = {
    "AGEP": 50,
    "SCHL": 24,
    "MAR": 5,
    "SEX": 2,
    "DIS": 2,
    "ESP": 9,
    "CIT": 5,
    "MIG": 3,
    "MIL": 5,
    "ANC": 4,
    "NATIVITY": 2,
    "ESR": 7,
    "FER": 3,
    "RAC1P": 2,
}
RANDOMISED = ("DIS", "AGEP", "SEX", "SCHL")
DOMAIN = Schema(
    attributes=coded(LEVELS),
    label="PUBCOV",
    positive="1",
    protected="DIS",
    groups=("0", "1"),
)


def read(folder: Path) -> pd.DataFrame:
    """The table of codes below `folder`, (98739 rows, 15 columns)."""
    return pd.read_csv(folder / FILES[0].path, usecols=[*LEVELS, DOMAIN.label], dtype=str)


def load(folder: Path) -> LocalRecords:
    """The records below `folder`, with a 0/1 column for each level."""
    return local_records(read(folder), DOMAIN, randomised=RANDOMISED)


DATASET = DataSource(
    load=load,
    note="ACSCoverage, Texas, disability protected; table of arcolezi2023",
    task="stratified_classification",
    files=FILES,
    expected={"rows": 98739, "columns": 123, "groups": (84900, 13839), "base_rate": 0.1856},
    replica=local_replica("acs_coverage_tx", DOMAIN, randomised=RANDOMISED),
)
