"""UCI Adult with race as the protected attribute: five groups of very different sizes.

The rows are those of `adult`. Sex is a feature, and race is not. The largest group comes first,
because jagielski2019 compares every other group with the first group.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Categorical
from dpfair_cli.datasets import adult
from dpfair_cli.datasets._published_tables import table_replica
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding, encode

GROUPS = "White Black Asian-Pac-Islander Amer-Indian-Eskimo Other"
OTHERS = {name: kind for name, kind in adult.DOMAIN.attributes.items() if name != "race"}
DOMAIN = replace(
    adult.DOMAIN,
    attributes={**OTHERS, "sex": Categorical(adult.DOMAIN.groups)},
    protected="race",
    groups=tuple(GROUPS.split()),
)


@checked
def load(folder: Path, *, encoding: Encoding = "one_hot") -> Records:
    """The Records of Adult below `folder`; the group of a record is the race."""
    return encode(adult.read(folder), DOMAIN, encoding=encoding)


DATASET = DataSource(
    load=load,
    note="UCI Adult with race protected, rows without missing values; CC BY 4.0",
    files=adult.FILES,
    expected={
        "rows": 45_222,
        "columns": 37,
        "groups": (38_903, 4_228, 1_303, 435, 353),
        "base_rate": 0.2478,
    },
    expected_by_option={
        ("encoding", "ordinal"): {"columns": 11},
        ("encoding", "binned"): {"columns": 54},
    },
    replica=table_replica("adult", DOMAIN),
)
