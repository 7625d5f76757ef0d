"""UCI Adult with as many men as women: the sample of 14,000 and 14,000 of xu2021, Section 9.5.1.

The dissertation does not say which records were drawn. Ours are drawn once, with SEED. The share of
label 1 in each group differs by chance from the share in `adult`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets import adult
from dpfair_cli.datasets._published_tables import sample_groups, table_replica
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding

SEED, SIZES = 0, (14_000, 14_000)


@checked
def load(folder: Path, *, encoding: Encoding = "one_hot") -> Records:
    """A balanced sample of the Records of Adult.

    The files are below `folder`.
    """
    return keep(adult.load(folder, encoding=encoding))


def keep(records: Records) -> Records:
    """A balanced sample of real or replica records, the same at every call."""
    return sample_groups(records, SIZES, rng=np.random.default_rng(SEED))


DATASET = DataSource(
    load=load,
    note="UCI Adult, 14,000 women and 14,000 men (xu2021, Section 9.5.1); CC BY 4.0",
    files=adult.FILES,
    expected={"rows": 28_000, "columns": 40, "groups": SIZES, "base_rate": 0.2102},
    expected_by_option={
        ("encoding", "ordinal"): {"columns": 11},
        ("encoding", "binned"): {"columns": 57},
    },
    replica=table_replica("adult", adult.DOMAIN, keep=keep),
)
