"""SACHS, the Bayesian network of protein signalling in human cells (Sachs et al. 2005), and records drawn from it.

Made, not measured: the network comes from the Bayesian network repository of bnlearn, each seed draws its own records.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts import ExpectedNetwork, File
from dpfair_cli.models.bayesian_network import NetworkSample, parse_bif

TASK = "causal_discovery"
NOTE = "made: records of the Bayesian network SACHS (11 variables, 17 arcs); bnlearn repository, CC BY-SA 3.0"
FILES = (
    File(
        path="bnlearn/sachs.bif",
        sha256="b7bd3931192f9e529f0f88bba15fca6cc61ba3c805d5c8ae57eba57ed3b332ec",
        size=5_734,
        urls=("https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/sachs.bif",),
    ),
)
EXPECTED = ExpectedNetwork(nodes=11, arcs=17, parameters=178)


def load(folder: Path, *, records: int = 10_000) -> NetworkSample:
    """The network in the file below `folder`, from which a draw takes `records` records."""
    return NetworkSample(parse_bif((folder / FILES[0].path).read_text(encoding="utf-8")), records)
