"""What a dask cluster must not change in the present process."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import pytest

from dpfair_cli.running.pool import Workers


@runtime_checkable
class Named(Protocol):
    """Anything with a name."""

    name: str


class City:
    """Something with a name, which knows nothing of the protocol."""

    name = "Lille"


@pytest.mark.filterwarnings("ignore")
def test_a_protocol_that_goes_to_a_cluster_keeps_its_members() -> None:
    distributed = pytest.importorskip(
        "distributed", reason="dask is not installed: pip install distributed"
    )
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        Workers(cluster=cluster.scheduler_address) as workers,
    ):
        assert workers.submit(isinstance, City(), Named).result()
    assert isinstance(City(), Named)
    assert "__slotnames__" not in vars(Named)
