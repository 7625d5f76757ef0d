"""ASIA, the Bayesian network of chest clinic (Lauritzen and Spiegelhalter 1988), and records drawn from it.

Made, not measured: the network comes from the Bayesian network repository of bnlearn, each seed draws its own records.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts import ExpectedNetwork, File
from dpfair_cli.models.bayesian_network import NetworkSample, parse_bif

TASK = "causal_discovery"
NOTE = "made: records of the Bayesian network ASIA (8 variables, 8 arcs); bnlearn repository, CC BY-SA 3.0"
FILES = (
    File(
        path="bnlearn/asia.bif",
        sha256="9f770c96940dc4d860b581602120790ac538983b30b28d38631b8184dc7b5f89",
        size=1_074,
        urls=("https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/asia.bif",),
    ),
)
EXPECTED = ExpectedNetwork(nodes=8, arcs=8, parameters=18)


def load(folder: Path, *, records: int = 10_000) -> NetworkSample:
    """The network in the file below `folder`, from which a draw takes `records` records."""
    return NetworkSample(parse_bif((folder / FILES[0].path).read_text(encoding="utf-8")), records)
