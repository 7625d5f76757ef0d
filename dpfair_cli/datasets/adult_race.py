"""UCI Adult with race as the protected attribute: five groups of very different sizes.

The rows are those of `adult`. Sex is a feature, and race is not. The largest group comes first,
because jagielski2019 compares every other group with the first group.
"""

from __future__ import annotations

from dataclasses import replace

from dpfair_cli.contracts.schemas import Categorical
from dpfair_cli.datasets import adult
from dpfair_cli.datasets._published_tables import table_source

GROUPS = "White Black Asian-Pac-Islander Amer-Indian-Eskimo Other"
OTHERS = {name: kind for name, kind in adult.DOMAIN.attributes.items() if name != "race"}
DOMAIN = replace(
    adult.DOMAIN,
    attributes={**OTHERS, "sex": Categorical(adult.DOMAIN.groups)},
    protected="race",
    groups=tuple(GROUPS.split()),
)


DATASET = table_source(
    "adult",
    adult.read,
    DOMAIN,
    note="UCI Adult with race protected, rows without missing values; CC BY 4.0",
    files=adult.FILES,
    rows=45_222,
    columns={"one_hot": 37, "ordinal": 11, "binned": 54},
    groups=(38_903, 4_228, 1_303, 435, 353),
    base_rate=0.2478,
)
