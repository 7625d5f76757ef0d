"""Dutch census of 2001; label: a prestigious occupation.

The data set has 60,420 records with the 35 features of xu2021, chapters 8 and 9. In the file, sex 1
is male (30,147 records) and sex 2 is female (30,273 records). The dissertation swaps the two sexes
and calls the 30,273 women males.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.declarations import DataSource, File
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.datasets._published_tables import table_replica
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding, encode

COPY = "https://raw.githubusercontent.com/yongkaiwu/Fairness-Aware-Classification"
FILES = (
    File(
        path="dutch/dutch.csv",
        licence="not stated; IPUMS International terms apply",
        sha256="cd86552131520fedeabb800813e2ca880008187ad52c710c1fc6f264e98f5f5d",
        size=2_198_214,
        urls=(f"{COPY}/155713996ce91d770ef95977586959b255acd8b9/data/dutch/dutch.csv",),
    ),
)

SEX = {"1": "male", "2": "female"}
DOMAIN = Schema(
    attributes={
        "age": Numeric(4, 15),  # bands of five years
        "household_position": Categorical(
            ("1110", "1121", "1122", "1131", "1132", "1140", "1210", "1220")
        ),
        # codes of the census
        "household_size": Categorical(("111", "112", "113", "114", "125", "126")),
        "prev_residence_place": Numeric(1, 2),
        "citizenship": Categorical(("1", "2", "3")),
        "country_birth": Categorical(("1", "2", "3")),
        "edu_level": Numeric(0, 5),  # in the order of schooling
        "economic_status": Categorical(("111", "112", "120")),
        "cur_eco_activity": Categorical(
            ("111", "122", "124", "131", "132", "133", "134", "135", "136", "137", "138", "139")
        ),
        "Marital_status": Categorical(("1", "2", "3", "4")),
    },
    label="occupation",
    positive="2_1",
    protected="sex",
    groups=("female", "male"),
)


def read(folder: Path) -> pd.DataFrame:
    """The table of the Dutch census below `folder`, (60420 rows, attributes + sex + occupation).

    All codes are text.
    """
    # as text, since most columns are codes of categories that look like numbers
    frame = pd.read_csv(folder / FILES[0].path, dtype=str)
    frame["sex"] = frame["sex"].map(SEX)  # the words of the groups
    return frame[[*DOMAIN.attributes, DOMAIN.protected, DOMAIN.label]]


@checked
def load(folder: Path, *, encoding: Encoding = "one_hot") -> Records:
    """The Records of the Dutch census; see models/tabular/encoding.py for `encoding`.

    The file is below `folder`.
    """
    return encode(read(folder), DOMAIN, encoding=encoding)


DATASET = DataSource(
    load=load,
    note="Dutch census 2001, prestigious occupation; no licence stated, "
    "IPUMS International terms apply",
    files=FILES,
    expected={"rows": 60_420, "columns": 35, "groups": (30_273, 30_147), "base_rate": 0.4761},
    expected_by_option={
        ("encoding", "ordinal"): {"columns": 10},
        ("encoding", "binned"): {"columns": 49},
    },
    replica=table_replica("dutch", DOMAIN),
)
