"""UCI Adult with race as the protected attribute: five groups of very different sizes.

The rows of `adult`; race is no feature, sex is one. The largest group comes first: jagielski2019 compares every group
with the first.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpfair_cli.contracts import Categorical, Expected, Records, Schema
from dpfair_cli.datasets import adult
from dpfair_cli.models.encoding import Encoding, encode

NOTE = "UCI Adult with race protected, rows without missing values; CC BY 4.0"
FILES = adult.FILES
REPLICA = "adult"  # the same table, read otherwise

GROUPS = "White Black Asian-Pac-Islander Amer-Indian-Eskimo Other"
DOMAIN = Schema(
    attributes={name: kind for name, kind in adult.DOMAIN.attributes.items() if name != "race"}
    | {"sex": Categorical(adult.DOMAIN.groups)},
    label=adult.DOMAIN.label,
    positive=adult.DOMAIN.positive,
    protected="race",
    groups=tuple(GROUPS.split()),
)
EXPECTED = Expected(rows=45_222, columns=37, groups=(38_903, 4_228, 1_303, 435, 353), base_rate=0.2478)


def read(folder: Path) -> pd.DataFrame:
    """The table of `adult`."""
    return adult.read(folder)


def load(folder: Path, *, encoding: Encoding = "one_hot") -> Records:
    """The Records of the files below `folder`; `encoding` as in `models.encoding`."""
    return encode(read(folder), DOMAIN, encoding=encoding)
