"""UCI Parkinsons Telemonitoring; label: the score total_UPDRS is above its median, 27.576.

The data set has the 5,875 voice recordings of lowy2023. They are of 42 people, with about 140
recordings each: one record is a recording and not a person, so that privacy of one record is not
privacy of one person. Ranges and median are those of the published file, which is public.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import dpfair_cli.plugin as dp
from dpfair_cli.datasets._published_tables import table_replica
from dpfair_cli.models.tabular.encoding import Encoding, encode

FILES = (
    dp.File(
        path="parkinsons/parkinsons_updrs.csv",
        licence="CC BY 4.0",
        sha256="cacdc7007846c68ca852cb3dbb43b1f68b7a9edefa2336f965f6610551cd30e6",
        size=911_262,
        urls=(
            "https://archive.ics.uci.edu/ml/machine-learning-databases/parkinsons/"
            "telemonitoring/parkinsons_updrs.data",
            "https://raw.githubusercontent.com/devanshgupta160/"
            "Stochastic-Differentially-Private-and-Fair-Learning/"
            "1c4dc84a4fe77355d5d2b94243b89f838729f831/Datasets/Parkinsons/parkinsons_updrs.csv",
        ),
    ),
)
SCORE, MEDIAN = "total_UPDRS", 27.576
SEXES = ("male", "female")  # the names of the codes 0 and 1

DOMAIN = dp.Schema(
    attributes={
        "age": dp.Numeric(36, 85),
        "test_time": dp.Numeric(-4.2625, 215.49),
        "motor_UPDRS": dp.Numeric(5.0377, 39.511),
        "Jitter(%)": dp.Numeric(0.00083, 0.09999),
        "Jitter(Abs)": dp.Numeric(2.25e-6, 4.4559e-4),
        "Jitter:RAP": dp.Numeric(0.00033, 0.05754),
        "Jitter:PPQ5": dp.Numeric(0.00043, 0.06956),
        "Jitter:DDP": dp.Numeric(0.00098, 0.17263),
        "Shimmer": dp.Numeric(0.00306, 0.26863),
        "Shimmer(dB)": dp.Numeric(0.026, 2.107),
        "Shimmer:APQ3": dp.Numeric(0.00161, 0.16267),
        "Shimmer:APQ5": dp.Numeric(0.00194, 0.16702),
        "Shimmer:APQ11": dp.Numeric(0.00249, 0.27546),
        "Shimmer:DDA": dp.Numeric(0.00484, 0.48802),
        "NHR": dp.Numeric(0.000286, 0.74826),
        "HNR": dp.Numeric(1.659, 37.875),
        "RPDE": dp.Numeric(0.15102, 0.96608),
        "DFA": dp.Numeric(0.51404, 0.8656),
        "PPE": dp.Numeric(0.021983, 0.73173),
    },
    label="high_score",
    positive="1",
    protected="sex",
    groups=("female", "male"),
)


def read(folder: Path) -> pd.DataFrame:
    """The table of the recordings, (5875 rows, 19 attributes + sex + high_score).

    The file is below `folder`.
    """
    frame = pd.read_csv(folder / FILES[0].path)
    high = (frame[SCORE] > MEDIAN).map({False: "0", True: "1"})
    sex = frame["sex"].map(dict(enumerate(SEXES)))
    # without the score itself, which determines the label
    return frame[[*DOMAIN.attributes]].assign(sex=sex, high_score=high)


@dp.checked
def load(folder: Path, *, encoding: Encoding = "one_hot") -> dp.Records:
    """The Records of the recordings; only the encoding "binned" changes their columns.

    The file is below `folder`.
    """
    return encode(read(folder), DOMAIN, encoding=encoding)


DATASET = dp.DataSource(
    load=load,
    note="UCI Parkinsons Telemonitoring, 5,875 recordings of 42 people; CC BY 4.0",
    files=FILES,
    expected={"rows": 5_875, "columns": 19, "groups": (1_867, 4_008), "base_rate": 0.4994},
    expected_by_option={("encoding", "binned"): {"columns": 76}},
    replica=table_replica("parkinsons", DOMAIN),
)
