"""Declares data sets that draw records from a published Bayesian network, anew for each seed.

The data are synthetic: only the network is read. The networks are those of the Bayesian network
repository of bnlearn.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dpfair_cli.contracts.declarations import DataSource, File
from dpfair_cli.contracts.parameters import Count, checked
from dpfair_cli.models.causal_discovery.bayesian_network import NetworkSample, parse_bif

# the address names a commit, so that the bytes of a file stay the same
COPIES = (
    "https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs"
)


def published_network(
    name: str, *, counts: Mapping[str, int], sha256: str, size: int, url: str = ""
) -> DataSource:
    """The declaration of the network `name` of the bnlearn repository, a file in the format BIF.

    `url` is the address of the file if COPIES lacks it. The network must have the given counts.
    """
    file = File(
        path=f"bnlearn/{name}.bif",
        sha256=sha256,
        size=size,
        urls=(url or f"{COPIES}/{name}.bif",),
        licence="CC BY-SA 3.0",
    )

    @checked
    def load(folder: Path, *, records: Count = 10_000) -> NetworkSample:
        """The network in the file below `folder`, from which each sample has `records` records."""
        return NetworkSample(parse_bif((folder / file.path).read_text(encoding="utf-8")), records)

    return DataSource(
        load=load,
        note=f"made: records of the Bayesian network {name.upper()} ({counts['nodes']} variables, "
        f"{counts['arcs']} arcs); bnlearn repository, CC BY-SA 3.0",
        task="causal_discovery",
        files=(file,),
        expected=counts,
    )
