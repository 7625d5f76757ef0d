"""UCI Adult as 14 categorical variables of 2 to 4 levels (xu2021, Section 4.6.3).

The data set is for causal discovery and has all 48,842 records; the true graph is unknown. The bins
of the dissertation are not published. Ours were chosen without looking at the data. Years of school
are left out, because they determine the degree, and causal discovery cannot tell the two variables
apart. Numbers are cut at round values, and `?` is in the last level.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets import adult
from dpfair_cli.kinds.variables import Observations

NUMBERS = {  # the upper ends of all levels except the last
    "age": (29, 44, 59),
    "fnlwgt": (180_000,),
    "capital-gain": (0,),  # nothing, or something
    "capital-loss": (0,),
    "hours-per-week": (39, 40),  # 40 hours alone are a level: nearly half of the people
}
CATEGORIES = {  # the values of all levels except the last, which has the others
    "workclass": ("Private", "Self-emp-inc Self-emp-not-inc", "Federal-gov Local-gov State-gov"),
    "education": (
        "Bachelors Masters Prof-school Doctorate",
        "Some-college Assoc-acdm Assoc-voc",
        "HS-grad",
    ),
    "marital-status": (
        "Married-civ-spouse Married-AF-spouse Married-spouse-absent",
        "Never-married",
    ),
    "occupation": (
        "Exec-managerial Prof-specialty Tech-support",
        "Adm-clerical Sales",
        "Craft-repair Farming-fishing Handlers-cleaners Machine-op-inspct Transport-moving",
    ),
    "relationship": ("Husband Wife", "Own-child Other-relative"),
    "race": ("White", "Black"),
    "sex": ("Female",),
    "native-country": ("United-States",),
    "income": (">50K",),
}
ORDER = tuple(name for name in adult.RAW.split() if name != "education-num")  # see above
LEVELS = tuple(len((NUMBERS | CATEGORIES)[name]) + 1 for name in ORDER)


@checked
def load(folder: Path) -> Observations:
    """The discretised Observations of Adult, from the files below `folder`."""
    frame = adult.read_raw(folder)
    return Observations(
        np.column_stack([_codes(name, frame[name]) for name in ORDER]), ORDER, LEVELS
    )


def _codes(name: str, column: pd.Series) -> np.typing.NDArray[np.int64]:
    """The index of the level, or of the bin, of each value in the column `name` of Adult, (n,)."""
    if name in NUMBERS:
        # an upper end belongs to its bin, which is the side that searchsorted takes
        return np.searchsorted(NUMBERS[name], column.to_numpy()).astype(np.int64)
    places: dict[str, int] = {}
    for k, values in enumerate(CATEGORIES[name]):
        places |= dict.fromkeys(values.split(), k)
    # values that no level names, missing ones included, are the last level
    return column.map(places).fillna(len(CATEGORIES[name])).to_numpy().astype(np.int64)


DATASET = DataSource(
    load=load,
    note="UCI Adult, all 48,842 records as 14 variables of 2 to 4 categories, "
    "for causal discovery; CC BY 4.0",
    task="causal_discovery",
    files=adult.FILES,
    expected={"rows": 48_842, "levels": LEVELS},
    truth=False,
    unpublished="which 14 of Adult's 15 columns, and which 2 to 4 categories each of them has",
)
