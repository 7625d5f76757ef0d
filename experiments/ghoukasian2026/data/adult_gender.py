"""Reconstructed Adult with gender randomised: the table on which the authors compare mechanisms.

The table of codes of arcolezi2023, with the label "income above 26,000 dollars". Levels are public:
they are those of the table.
"""

from __future__ import annotations

import dpfair_cli.plugin as dp

from ..formats.coded_table import coded, coded_file, texts
from ..formats.script_table import BINARY, ScriptTable

FILES = (
    coded_file(
        "retired-adult",
        "db_adult_processed_26k.csv",
        sha256="86b00911881f1a37bd5d6ee3873f73c7d13ee5b32814dfc915c534fb0ca851df",
        size=1_174_124,
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
    attributes=coded(LEVELS), label="income", positive="1", protected="gender", groups=BINARY
)
TABLE = ScriptTable(FILES[0], DOMAIN, randomised="gender", prepare=texts, separator=",")

DATASET = dp.DataSource(
    load=TABLE.load,
    note="reconstructed Adult, income above 26,000, gender protected and randomised",
    task="group_gaps",
    files=FILES,
    expected={"rows": 45849, "columns": 268, "groups": (14845, 31004), "base_rate": 0.5177},
    replica=TABLE.replica("adult_reconstructed"),
)
