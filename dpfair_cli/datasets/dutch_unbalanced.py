"""Dutch census of 2001 with three times as many records of one sex (xu2021, Section 9.5.1).

The dissertation draws "30,000 males and 10,000 females" but swaps the two sexes (see `dutch`). The
larger group of the dissertation is therefore the women. Only with more women is the accuracy of
logistic regression in the larger group as far above the accuracy in the smaller group as published.
`majority` "male" gives the sample as printed. The dissertation does not say which records were
drawn. Ours are drawn once, with SEED.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets import dutch
from dpfair_cli.datasets._published_tables import sample_groups, table_replica
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding

Majority = Literal["female", "male"]

SEED = 0
# women, men
SIZES: dict[Majority, tuple[int, int]] = {"female": (30_000, 10_000), "male": (10_000, 30_000)}


@checked
def load(folder: Path, *, encoding: Encoding = "one_hot", majority: Majority = "female") -> Records:
    """An unbalanced sample of the Records of the Dutch census; `majority` is the larger group."""
    return keep(dutch.load(folder, encoding=encoding), majority=majority)


def keep(records: Records, *, majority: Majority = "female") -> Records:
    """An unbalanced sample of `records`, the same at every call; `majority` is the larger group.

    `records` are the real Dutch census or its synthetic replica.
    """
    return sample_groups(records, SIZES[majority], rng=np.random.default_rng(SEED))


DATASET = DataSource(
    load=load,
    note="Dutch census 2001, 30,000 records of one sex and 10,000 of the other "
    "(xu2021, Section 9.5.1); IPUMS terms apply",
    files=dutch.FILES,
    expected={"rows": 40_000, "columns": 35, "groups": SIZES["female"], "base_rate": 0.4021},
    expected_by_option={
        ("encoding", "ordinal"): {"columns": 10},
        ("encoding", "binned"): {"columns": 49},
        ("majority", "male"): {"groups": SIZES["male"], "base_rate": 0.5513},
    },
    replica=table_replica("dutch", dutch.DOMAIN, keep=keep),
)
