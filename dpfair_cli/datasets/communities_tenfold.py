"""Ten copies of Communities and Crime: the upsampled data of jagielski2019, Section 5.

The data set has 19,940 records. Neighbouring inputs differ in the group of one of these records,
not in the group of all ten copies of a community.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets import communities
from dpfair_cli.datasets._published_tables import table_replica
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding

COPIES = 10


@checked
def load(folder: Path, *, encoding: Encoding = "one_hot") -> Records:
    """The Records of Communities and Crime, repeated ten times, one full copy after another."""
    records = communities.load(folder, encoding=encoding)
    return records.take(np.tile(np.arange(len(records)), COPIES))  # encoded once, then repeated


DATASET = DataSource(
    load=load,
    note="UCI Communities and Crime, each community ten times (jagielski2019, Section 5); "
    "CC BY 4.0",
    files=communities.FILES,
    expected={"rows": 19_940, "columns": 121, "groups": (10_240, 9_700), "base_rate": 0.2924},
    expected_by_option={("encoding", "binned"): {"columns": 484}},
    replica=table_replica("communities", communities.DOMAIN),
)
