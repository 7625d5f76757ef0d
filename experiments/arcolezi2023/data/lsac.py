"""LSAC: six coded attributes of law students, with the label "passed the bar exam".

The table of arcolezi2023, made by its authors from the study of the Law School Admission Council.
The protected attribute is race1, where 1 means not black. Levels are public: they are those of the
authors' table.
"""

from __future__ import annotations

import dpfair_cli.plugin as dp

from ..formats.local_table import AuthorsTable, coded

FILES = (
    dp.File(
        path="lsac/db_LSAC.csv",
        licence="MIT",
        sha256="296a428e55cc5f2b7f4f8d9374f6c11320dfe022a64e752a582014bf0e560e1d",
        size=306_315,
        urls=(
            "https://raw.githubusercontent.com/hharcolezi/ldp-fairness-impact/512752136637f8478b37acaaaf9d87f06685270c/datasets/db_LSAC.csv",
        ),
    ),
)
LEVELS = {"fam_inc": 5, "gender": 2, "fulltime": 2, "race1": 2, "lsat": 37, "ugpa": 6}
DOMAIN = dp.Schema(
    attributes=coded(LEVELS),
    label="pass_bar",
    positive="1",
    protected="race1",
    groups=("0", "1"),
)
TABLE = AuthorsTable(FILES[0], DOMAIN, randomised=("race1", "fam_inc", "gender", "fulltime"))
read = TABLE.read  # for the program that makes the replicas

DATASET = dp.DataSource(
    load=TABLE.load,
    note="law students, bar exam passed, race protected; table of arcolezi2023",
    task="stratified_classification",
    files=FILES,
    expected={"rows": 20427, "columns": 54, "groups": (1198, 19229), "base_rate": 0.9492},
    replica=TABLE.replica("lsac"),
)
