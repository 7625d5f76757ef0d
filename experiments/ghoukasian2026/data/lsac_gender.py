"""LSAC with gender randomised: the table of law students on which the authors compare mechanisms.

The table of codes of arcolezi2023, with the label "passed the bar exam". Levels are public: they
are those of the table.
"""

from __future__ import annotations

import dpfair_cli.plugin as dp

from ..formats.coded_table import coded, coded_file, texts
from ..formats.script_table import BINARY, ScriptTable

FILES = (
    coded_file(
        "lsac",
        "db_LSAC.csv",
        sha256="296a428e55cc5f2b7f4f8d9374f6c11320dfe022a64e752a582014bf0e560e1d",
        size=306_315,
    ),
)
LEVELS = {"fam_inc": 5, "gender": 2, "fulltime": 2, "race1": 2, "lsat": 37, "ugpa": 6}
DOMAIN = dp.Schema(
    attributes=coded(LEVELS), label="pass_bar", positive="1", protected="gender", groups=BINARY
)
TABLE = ScriptTable(FILES[0], DOMAIN, randomised="gender", prepare=texts, separator=",")

DATASET = dp.DataSource(
    load=TABLE.load,
    note="law students, bar exam passed, gender protected and randomised",
    task="group_gaps",
    files=FILES,
    expected={"rows": 20427, "columns": 54, "groups": (8926, 11501), "base_rate": 0.9492},
    replica=TABLE.replica("lsac"),
)
