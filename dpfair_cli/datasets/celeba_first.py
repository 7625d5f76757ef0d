"""CelebA with only the first p attributes in the order of the file, p from 1 to 38.

mangold2023 does not use this data set. It shows how the bounds of the paper, which grow as sqrt(p)
like the norm of a record, depend on p.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.parameters import Count, checked
from dpfair_cli.datasets import celeba
from dpfair_cli.datasets._published_tables import table_replica
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding


@checked
def load(folder: Path, *, encoding: Encoding = "one_hot", attributes: Count = 38) -> Records:
    """The Records of CelebA with only the first `attributes` columns.

    Raises:
        DpfairError: there are not that many attributes.
    """
    return keep(celeba.DATASET.load(folder, encoding=encoding), attributes=attributes)


@checked
def keep(records: Records, *, attributes: Count = 38) -> Records:
    """The first `attributes` columns of real or of replica records.

    Raises:
        DpfairError: there are not that many attributes.
    """
    domain = records.domain
    if attributes > len(domain.columns):
        raise DpfairError(
            f"`attributes` must be at most {len(domain.columns)}, the number of attributes, "
            f"got {attributes}"
        )
    narrow = replace(  # the domain of fewer columns
        domain,
        columns=domain.columns[:attributes],
        attributes={
            name: places for name, places in domain.attributes.items() if places[0] < attributes
        },
        standard=domain.standard[:attributes],
    )
    return Records(records.X[:, :attributes].copy(), records.y, records.protected, narrow)


DATASET = replace(
    celeba.DATASET,
    load=load,
    expected_by_option={
        ("attributes", p): {"columns": p} for p in range(1, celeba.DATASET.expected["columns"])
    },
    replica=table_replica("celeba", celeba.DOMAIN, keep=keep),
)
