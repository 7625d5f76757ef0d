"""EARTHQUAKE, the Bayesian network of a textbook example (Korb and Nicholson 2010), and records drawn from it.

Made, not measured: the network comes from the Bayesian network repository of bnlearn, each seed draws its own records.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts import ExpectedNetwork, File
from dpfair_cli.models.bayesian_network import NetworkSample, parse_bif

TASK = "causal_discovery"
NOTE = "made: records of the Bayesian network EARTHQUAKE (5 variables, 4 arcs); bnlearn repository, CC BY-SA 3.0"
FILES = (
    File(
        path="bnlearn/earthquake.bif",
        sha256="74dd131e2c6437a39de17f2963d2d16fadd91e70450d1fc20501df05e8dc4f2e",
        size=747,
        urls=(
            "https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/earthquake.bif",
        ),
    ),
)
EXPECTED = ExpectedNetwork(nodes=5, arcs=4, parameters=10)


def load(folder: Path, *, records: int = 10_000) -> NetworkSample:
    """The network in the file below `folder`, from which a draw takes `records` records."""
    return NetworkSample(parse_bif((folder / FILES[0].path).read_text(encoding="utf-8")), records)
