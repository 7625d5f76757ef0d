"""The 30,162 complete rows of adult.data, each of them twice: the Adult file of lowy2023.

lowy2023 and ghoukasian2024 publish the git object id of their Adult file, 485326a3. A file with a
header, these rows and then the same rows again has this id; it has no row of adult.test. A record
and its copy can be on both sides of a split into training and test records. Neighbouring inputs
differ in one of the 60,324 records, not in both copies of a record. The option `copies` 1 gives
each row once.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd

from dpfair_cli.contracts.declarations import DataSource, Replica
from dpfair_cli.contracts.parameters import AtLeast, AtMost, checked
from dpfair_cli.contracts.schemas import Categorical, Numeric
from dpfair_cli.datasets import adult
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding, encode

FILES = adult.FILES[:1]  # the training file
ROWS = 30_162
Copies = Annotated[int, AtLeast(1), AtMost(2)]
EDUCATION = (  # the names of the education-num 1 to 16
    "Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad Some-college Assoc-voc "
    "Assoc-acdm Bachelors Masters Prof-school Doctorate"
)
LARGEST_WEIGHT = 1_500_000  # fnlwgt; a round number above all weights of the published file
OTHER_COUNTRY = "Mexico"  # stands for every other country, which adult's replica does not name

ATTRIBUTES = {
    **adult.DOMAIN.attributes,
    "fnlwgt": Numeric(0, LARGEST_WEIGHT),
    "education": Categorical(tuple(EDUCATION.split())),
    "native-country": Categorical(tuple(adult.COUNTRIES.split())),  # each one, not two levels
}
# in the order of the columns of the file
DOMAIN = replace(
    adult.DOMAIN,
    attributes={name: ATTRIBUTES[name] for name in adult.RAW.split() if name in ATTRIBUTES},
)


def read(folder: Path, *, copies: int = 2) -> pd.DataFrame:
    """The complete rows of adult.data below `folder`, `copies` times, (30162 copies, 15 columns).

    The order of the columns and of the rows is that of the file.
    """
    rows = pd.read_csv(
        folder / FILES[0].path,
        names=adult.RAW.split(),
        skipinitialspace=True,
        keep_default_na=False,
        na_values="?",
    )
    return pd.concat([rows.dropna()] * copies, ignore_index=True)  # one copy after the other


@checked
def load(folder: Path, *, encoding: Encoding = "one_hot", copies: Copies = 2) -> Records:
    """The Records of adult.data below `folder`, all rows and then all rows again.

    With `copies` 1 each row is there once.
    """
    return encode(read(folder, copies=copies), DOMAIN, encoding=encoding)


def load_replica(path: Path, *, encoding: Encoding = "one_hot", copies: Copies = 2) -> Records:
    """The first 30,162 rows of the replica of Adult in the file `path`, `copies` times.

    The replica of Adult lacks two columns. `education` follows from the years of school, and
    `fnlwgt` is made up from the number of the row.
    """
    frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False).head(ROWS)
    country = frame["native-country"].replace("other", OTHER_COUNTRY)
    school, names = frame["education-num"].astype(float).astype(int), EDUCATION.split()
    made = frame.assign(
        education=[names[years - 1] for years in school],
        fnlwgt=np.arange(len(frame)) * 7_919 % LARGEST_WEIGHT,
        **{"native-country": country},
    )
    return encode(pd.concat([made] * copies, ignore_index=True), DOMAIN, encoding=encoding)


DATASET = DataSource(
    load=load,
    note="UCI Adult, the complete rows of the training file twice (lowy2023); CC BY 4.0",
    files=FILES,
    expected={"rows": 60_324, "columns": 95, "groups": (19_564, 40_760), "base_rate": 0.2489},
    expected_by_option={
        ("copies", 1): {"rows": 30_162, "groups": (9_782, 20_380)},
        ("encoding", "ordinal"): {"columns": 13},
        ("encoding", "binned"): {"columns": 116},
    },
    replica=Replica(path=lambda folder: folder / "adult.csv.gz", load=load_replica),
)
