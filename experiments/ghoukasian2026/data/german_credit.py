"""German Credit: 1,000 applicants, with groups of age and sex, as in the authors' script.

Age is 1 above 25 years. Sex is 1 for the codes A91, A93 and A94 of the column of sex and marriage.
The groups are those of both. Age is randomised, sex is not. Ranges and levels are those of the
file.
"""

from __future__ import annotations

import pandas as pd

import dpfair_cli.plugin as dp

from ..formats.script_table import BINARY, ScriptTable, file

FILES = (
    file(
        "german.data",
        sha256="b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
        size=79_793,
    ),
)


def _levels(prefix: str, *numbers: int) -> dp.Categorical:
    return dp.Categorical(tuple(f"{prefix}{number}" for number in numbers))


DOMAIN = dp.Schema(
    attributes={
        "status": _levels("A1", 1, 2, 3, 4),
        "month": dp.Numeric(4, 72),
        "credit_history": _levels("A3", 0, 1, 2, 3, 4),
        "purpose": _levels("A4", 0, 1, 2, 3, 4, 5, 6, 8, 9, 10),
        "credit_amount": dp.Numeric(250, 18_424),
        "savings": _levels("A6", 1, 2, 3, 4, 5),
        "employment": _levels("A7", 1, 2, 3, 4, 5),
        "instalment_percentage": dp.Numeric(1, 4),
        "sex": dp.Numeric(0, 1),
        "other_debtors": _levels("A10", 1, 2, 3),
        "residence_since": dp.Numeric(1, 4),
        "property": _levels("A12", 1, 2, 3, 4),
        "age": dp.Categorical(BINARY),
        "instalment_plans": _levels("A14", 1, 2, 3),
        "housing": _levels("A15", 1, 2, 3),
        "credits": dp.Numeric(1, 4),
        "skill": _levels("A17", 1, 2, 3, 4),
        "liable": dp.Numeric(1, 2),
        "telephone": _levels("A19", 1, 2),
        "foreign_worker": _levels("A20", 1, 2),
    },
    label="credit",
    positive="1",
    protected="age and sex",
    groups=("0 0", "0 1", "1 0", "1 1"),
)


def prepare(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with binary age and sex, their groups, and credit 1 (good) or 2."""
    age = (frame["age"] > 25).astype(int)
    sex = frame["sex"].isin(["A91", "A93", "A94"]).astype(int)
    coded = frame.assign(age=age.astype(str), sex=sex, credit=frame["credit"].astype(str))
    coded["age and sex"] = age.astype(str) + " " + sex.astype(str)
    return coded


TABLE = ScriptTable(
    FILES[0],
    DOMAIN,
    randomised="age",
    prepare=prepare,
    separator=" ",
    names=(*DOMAIN.attributes, DOMAIN.label),
)
read = TABLE.read  # for the program that makes the replicas

DATASET = dp.DataSource(
    load=TABLE.load,
    note="UCI German Credit, groups of age and sex, age randomised; CC BY 4.0",
    task="group_gaps",
    files=FILES,
    expected={"rows": 1000, "columns": 59, "groups": (105, 85, 205, 605), "base_rate": 0.7},
    replica=TABLE.replica("german_credit"),
)
