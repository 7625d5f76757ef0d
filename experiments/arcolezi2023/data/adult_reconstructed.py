"""Reconstructed Adult, with the label "income above 26,000 dollars" and gender protected.

The table of arcolezi2023, made by its authors from the reconstruction of Adult by Ding, Hardt,
Miller and Schmidt (2021), as codes. Levels are public: they are those of the authors' table.
"""

from __future__ import annotations

import dpfair_cli.plugin as dp

from ..formats.local_table import AuthorsTable, coded

FILES = (
    dp.File(
        path="retired-adult/db_adult_processed_26k.csv",
        licence="MIT",
        sha256="86b00911881f1a37bd5d6ee3873f73c7d13ee5b32814dfc915c534fb0ca851df",
        size=1_174_124,
        urls=(
            "https://raw.githubusercontent.com/hharcolezi/ldp-fairness-impact/512752136637f8478b37acaaaf9d87f06685270c/datasets/db_adult_processed_26k.csv",
        ),
    ),
)
LEVELS = {
    "age": 74,
    "workclass": 7,
    "education": 16,
    "marital-status": 7,
    "occupation": 14,
    "native-country": 41,
    "relationship": 6,
    "hours-per-week": 96,
    "gender": 2,
    "race": 5,
}
DOMAIN = dp.Schema(
    attributes=coded(LEVELS),
    label="income",
    positive="1",
    protected="gender",
    groups=("0", "1"),
)
TABLE = AuthorsTable(FILES[0], DOMAIN, randomised=("gender", "race", "native-country", "age"))
read = TABLE.read  # for the program that makes the replicas

DATASET = dp.DataSource(
    load=TABLE.load,
    note="reconstructed Adult, income above 26,000, gender protected; table of arcolezi2023",
    task="stratified_classification",
    files=FILES,
    expected={"rows": 45849, "columns": 268, "groups": (14845, 31004), "base_rate": 0.5177},
    replica=TABLE.replica("adult_reconstructed"),
)
