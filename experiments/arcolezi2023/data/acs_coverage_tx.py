"""ACSCoverage for Texas: public health insurance of individuals with a low income.

The table of arcolezi2023, made by its authors from the American Community Survey 2018. The
protected attribute is DIS, disability. The column ST, the state, has a single value and is left
out. Levels are public: they are those of the authors' table.
"""

from __future__ import annotations

import dpfair_cli.plugin as dp

from ..formats.local_table import AuthorsTable, coded

FILES = (
    dp.File(
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
DOMAIN = dp.Schema(
    attributes=coded(LEVELS),
    label="PUBCOV",
    positive="1",
    protected="DIS",
    groups=("0", "1"),
)
TABLE = AuthorsTable(FILES[0], DOMAIN, randomised=("DIS", "AGEP", "SEX", "SCHL"))
read = TABLE.read  # for the program that makes the replicas

DATASET = dp.DataSource(
    load=TABLE.load,
    note="ACSCoverage, Texas, disability protected; table of arcolezi2023",
    task="stratified_classification",
    files=FILES,
    expected={"rows": 98739, "columns": 123, "groups": (84900, 13839), "base_rate": 0.1856},
    replica=TABLE.replica("acs_coverage_tx"),
)
