"""Student Performance: 395 pupils in mathematics, with the label "passed" (ten points or more).

Sex is 1 for M, protected and randomised, as in the authors' script. Ranges and levels are those of
the file.
"""

from __future__ import annotations

import pandas as pd

import dpfair_cli.plugin as dp

from ..formats.script_table import BINARY, ScriptTable, file

FILES = (
    file(
        "student-mat.csv",
        sha256="e47f9ee225e1ee6e69b7564e6dac7123e80b8486677fe111f351964cef5dec80",
        size=56_993,
    ),
)
NO_YES = dp.Categorical(("no", "yes"))
JOB = dp.Categorical(("at_home", "health", "other", "services", "teacher"))
QUESTIONS = ("schoolsup", "famsup", "paid", "activities", "nursery", "higher")
ONE_TO_FIVE = ("famrel", "freetime", "goout", "Dalc", "Walc", "health")
DOMAIN = dp.Schema(
    attributes={
        "school": dp.Categorical(("GP", "MS")),
        "sex": dp.Categorical(BINARY),
        "age": dp.Numeric(15, 22),
        "address": dp.Categorical(("R", "U")),
        "famsize": dp.Categorical(("GT3", "LE3")),
        "Pstatus": dp.Categorical(("A", "T")),
        "Medu": dp.Numeric(0, 4),
        "Fedu": dp.Numeric(0, 4),
        "Mjob": JOB,
        "Fjob": JOB,
        "reason": dp.Categorical(("course", "home", "other", "reputation")),
        "guardian": dp.Categorical(("father", "mother", "other")),
        "traveltime": dp.Numeric(1, 4),
        "studytime": dp.Numeric(1, 4),
        "failures": dp.Numeric(0, 3),
        **dict.fromkeys((*QUESTIONS, "internet", "romantic"), NO_YES),
        **dict.fromkeys(
            ("famrel", "freetime", "goout", "Dalc", "Walc", "health"), dp.Numeric(1, 5)
        ),
        "absences": dp.Numeric(0, 75),
        "G1": dp.Numeric(3, 19),
        "G2": dp.Numeric(0, 19),
    },
    label="passed",
    positive="1",
    protected="sex",
    groups=BINARY,
)


def prepare(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with binary sex and the label."""
    sex = (frame["sex"] == "M").astype(int).astype(str)
    return frame.assign(sex=sex, passed=(frame["G3"] >= 10).astype(int).astype(str))


TABLE = ScriptTable(FILES[0], DOMAIN, randomised="sex", prepare=prepare)
read = TABLE.read  # for the program that makes the replicas

DATASET = dp.DataSource(
    load=TABLE.load,
    note="UCI Student Performance, mathematics, sex protected and randomised; CC BY 4.0",
    task="group_gaps",
    files=FILES,
    expected={"rows": 395, "columns": 58, "groups": (208, 187), "base_rate": 0.6709},
    replica=TABLE.replica("student_mathematics"),
)
