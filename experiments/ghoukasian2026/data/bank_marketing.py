"""Bank Marketing: 45,211 clients of a bank, with the label "subscribed a deposit".

Age is 1 above 25 years, protected and randomised, as in the authors' script. Ranges and levels are
those of the file.
"""

from __future__ import annotations

import pandas as pd

import dpfair_cli.plugin as dp

from ..formats.script_table import BINARY, ScriptTable, file

FILES = (
    file(
        "bank.csv",
        sha256="d1513ec63b385506f7cfce9f2c5caa9fe99e7ba4e8c3fa264b3aaf0f849ed32d",
        size=4_610_348,
    ),
)
NO_YES = dp.Categorical(("no", "yes"))
JOBS = (
    "admin., blue-collar, entrepreneur, housemaid, management, retired, self-employed, services, "
    "student, technician, unemployed, unknown"
)
MONTHS = ("apr", "aug", "dec", "feb", "jan", "jul", "jun", "mar", "may", "nov", "oct", "sep")
DOMAIN = dp.Schema(
    attributes={
        "age": dp.Categorical(BINARY),
        "job": dp.Categorical(tuple(JOBS.split(", "))),
        "marital": dp.Categorical(("divorced", "married", "single")),
        "education": dp.Categorical(("primary", "secondary", "tertiary", "unknown")),
        "default": NO_YES,
        "balance": dp.Numeric(-8_019, 102_127),
        "housing": NO_YES,
        "loan": NO_YES,
        "contact": dp.Categorical(("cellular", "telephone", "unknown")),
        "day": dp.Numeric(1, 31),
        "month": dp.Categorical(MONTHS),
        "duration": dp.Numeric(0, 4_918),
        "campaign": dp.Numeric(1, 63),
        "pdays": dp.Numeric(-1, 871),
        "previous": dp.Numeric(0, 275),
        "poutcome": dp.Categorical(("failure", "other", "success", "unknown")),
    },
    label="y",
    positive="yes",
    protected="age",
    groups=BINARY,
)


def prepare(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with binary age."""
    return frame.assign(age=(frame["age"] > 25).astype(int).astype(str))


TABLE = ScriptTable(FILES[0], DOMAIN, randomised="age", prepare=prepare)
read = TABLE.read  # for the program that makes the replicas

DATASET = dp.DataSource(
    load=TABLE.load,
    note="UCI Bank Marketing, age protected and randomised; CC BY 4.0",
    task="group_gaps",
    files=FILES,
    expected={"rows": 45_211, "columns": 52, "groups": (1336, 43875), "base_rate": 0.117},
    replica=TABLE.replica("bank_marketing"),
)
