"""UCI Adult, a sample of the 1994 census survey of the United States; label: income above 50,000.

The data set has the 45,222 rows of both files without a missing value, and the 40 features of
xu2021, chapters 8 and 9. With the encoding "binned" there are 57 features 0 or 1, as many as in
chapter 6. The bins are ours and were chosen without looking at the rows. The last bins of capital
gains and losses end below the range, because decoding draws a number uniformly from a bin and most
values are small.

The dissertation has 12 attributes in its 57 features, and "binned" has 11. Two other encodings with
57 features have 12 attributes: the education is one attribute in four bins, and the years of
school are another one in three bins. Two encodings cut capital gains at 5,000 and capital losses at
1,700, and the others tell only whether there is a gain or a loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, cast

import pandas as pd

from dpfair_cli.contracts.declarations import DataSource, File, Replica
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric, Schema
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding, encode

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult"
COPY = (
    "https://raw.githubusercontent.com/ryan112358/hd-datasets/"
    "8e69757cec2ba8d430f7c915509163c708497f58/raw/adult"
)
FILES = (
    File(
        path="adult/adult.data",
        licence="CC BY 4.0",
        sha256="5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        size=3_974_305,
        urls=(f"{UCI}/adult.data", f"{COPY}/adult.data"),
    ),
    File(
        path="adult/adult.test",
        licence="CC BY 4.0",
        sha256="a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
        size=2_003_153,
        urls=(f"{UCI}/adult.test", f"{COPY}/adult.test"),
    ),
)

WORKCLASS = "Federal-gov Local-gov Private Self-emp-inc Self-emp-not-inc State-gov Without-pay"
MARITAL = (
    "Divorced Married-AF-spouse Married-civ-spouse Married-spouse-absent Never-married "
    "Separated Widowed"
)
OCCUPATION = (
    "Adm-clerical Armed-Forces Craft-repair Exec-managerial Farming-fishing Handlers-cleaners "
    "Machine-op-inspct Other-service Priv-house-serv Prof-specialty Protective-serv Sales "
    "Tech-support Transport-moving"
)
RELATIONSHIP = "Husband Not-in-family Other-relative Own-child Unmarried Wife"
RACE = "Amer-Indian-Eskimo Asian-Pac-Islander Black Other White"
COUNTRIES = (
    "Cambodia Canada China Columbia Cuba Dominican-Republic Ecuador El-Salvador England France "
    "Germany Greece Guatemala Haiti Holand-Netherlands Honduras Hong Hungary India Iran Ireland "
    "Italy Jamaica Japan Laos Mexico Nicaragua Outlying-US(Guam-USVI-etc) Peru Philippines Poland "
    "Portugal Puerto-Rico Scotland South Taiwan Thailand Trinadad&Tobago United-States Vietnam "
    "Yugoslavia"
)

DOMAIN = Schema(
    attributes={
        "age": Numeric(17, 90, bins=((17, 25), (26, 35), (36, 45), (46, 60), (61, 90))),  # years
        "workclass": Categorical(tuple(WORKCLASS.split())),
        # years of school; 9 is a school degree, 13 a first degree of a university
        "education-num": Numeric(1, 16, bins=((1, 8), (9, 9), (10, 12), (13, 13), (14, 16))),
        "marital-status": Categorical(tuple(MARITAL.split())),
        "occupation": Categorical(tuple(OCCUPATION.split())),
        "relationship": Categorical(tuple(RELATIONSHIP.split())),
        "race": Categorical(tuple(RACE.split())),
        "capital-gain": Numeric(0, 99_999, bins=((0, 0), (1, 15_000))),  # dollars, as is the loss
        "capital-loss": Numeric(0, 4_356, bins=((0, 0), (1, 3_800))),
        "hours-per-week": Numeric(1, 99, bins=((1, 40), (41, 99))),  # of work
        # `read` merges the other countries
        "native-country": Categorical(("other", "United-States")),
    },
    label="income",
    positive=">50K",
    protected="sex",
    groups=("Female", "Male"),
)

LARGE_SUMS: Mapping[str, ColumnType] = {
    "capital-gain": Numeric(0, 99_999, bins=((0, 4_999), (5_000, 15_000))),
    "capital-loss": Numeric(0, 4_356, bins=((0, 1_699), (1_700, 3_800))),
}
EDUCATION = "education"  # in adult.data a name for each number of years of school
SCHOOL: Mapping[str, ColumnType] = {
    "age": Numeric(low=17, high=90, bins=((17, 29), (30, 45), (46, 90))),
    "education-num": Numeric(1, 16, bins=((1, 9), (10, 12), (13, 16))),
    EDUCATION: Numeric(1, 16, bins=((1, 8), (9, 9), (10, 12), (13, 16))),
}


def _with_attributes(changes: Mapping[str, ColumnType]) -> Schema:
    """The schema of Adult with other or more attributes."""
    return replace(DOMAIN, attributes={**DOMAIN.attributes, **changes})


OTHER_BINS = {
    "binned_large_sums": _with_attributes(LARGE_SUMS),
    "binned_twelve": _with_attributes(SCHOOL),
    "binned_twelve_large_sums": _with_attributes({**SCHOOL, **LARGE_SUMS}),
}
"""The schemas of the encodings that are "binned" with other bins than DOMAIN has."""
AdultEncoding = Literal[
    "one_hot", "ordinal", "binned", "binned_large_sums", "binned_twelve", "binned_twelve_large_sums"
]

RAW = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
)


def read(folder: Path) -> pd.DataFrame:
    """The rows of Adult without a `?`, (45222, attributes + sex + income).

    The rows are those of the training file and then of the test file below `folder`.
    """
    frame = read_raw(folder).dropna()  # as the works do
    # nine in ten rows have the United States; all other countries are one level
    frame["native-country"] = frame["native-country"].where(
        frame["native-country"] == "United-States", "other"
    )
    return frame[[*DOMAIN.attributes, DOMAIN.protected, DOMAIN.label]]


def read_raw(folder: Path) -> pd.DataFrame:
    """All 48842 rows and 15 columns of Adult; `?` is a missing value.

    The two files of Adult are below `folder`.
    """
    frame = pd.concat(
        [_read(folder / FILES[0].path), _read(folder / FILES[1].path)], ignore_index=True
    )
    return frame.assign(income=frame["income"].str.rstrip("."))  # adult.test writes ">50K."


@checked
def load(folder: Path, *, encoding: AdultEncoding = "one_hot") -> Records:
    """The Records of Adult below `folder`.

    See models/tabular/encoding.py for `encoding`. The encodings in OTHER_BINS are "binned" with
    other bins.
    """
    return encoded(read(folder), encoding)


def encoded(frame: pd.DataFrame, encoding: AdultEncoding) -> Records:
    """The rows of a table of Adult as Records."""
    if encoding not in OTHER_BINS:
        return encode(frame, DOMAIN, encoding=cast(Encoding, encoding))
    # education is a second column with the same numbers, which has other bins
    with_education = frame.assign(**{EDUCATION: frame["education-num"]})
    return encode(with_education, OTHER_BINS[encoding], encoding="binned")


def load_replica(path: Path, *, encoding: AdultEncoding = "one_hot") -> Records:
    """The records of the synthetic replica of Adult in the file `path`."""
    frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
    return encoded(frame, encoding)


def _read(path: Path) -> pd.DataFrame:
    """The rows of one of the two files of Adult, (rows, 15 columns); `?` is a missing value."""
    return pd.read_csv(
        path,
        # the files have no heading; the first line of adult.test begins with |
        names=RAW.split(),
        comment="|",
        skipinitialspace=True,
        keep_default_na=False,
        na_values="?",
    )


DATASET = DataSource(
    load=load,
    note="UCI Adult, 1994 census survey, rows without missing values; CC BY 4.0",
    files=FILES,
    expected={"rows": 45_222, "columns": 40, "groups": (14_695, 30_527), "base_rate": 0.2478},
    expected_by_option={
        ("encoding", "ordinal"): {"columns": 11},  # one for each attribute
        ("encoding", "binned"): {"columns": 57},
        ("encoding", "binned_large_sums"): {"columns": 57},
        ("encoding", "binned_twelve"): {"columns": 57},
        ("encoding", "binned_twelve_large_sums"): {"columns": 57},
    },
    replica=Replica(path=lambda folder: folder / "adult.csv.gz", load=load_replica),
)
