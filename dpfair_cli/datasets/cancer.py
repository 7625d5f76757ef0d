"""CANCER, the Bayesian network of a textbook example (Korb and Nicholson 2010), and records drawn from it.

Made, not measured: the network comes from the Bayesian network repository of bnlearn, each seed draws its own records.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts import ExpectedNetwork, File
from dpfair_cli.models.bayesian_network import NetworkSample, parse_bif

TASK = "causal_discovery"
NOTE = "made: records of the Bayesian network CANCER (5 variables, 4 arcs); bnlearn repository, CC BY-SA 3.0"
FILES = (
    File(
        path="bnlearn/cancer.bif",
        sha256="05d4ea00a758450eed6fe68ea6de4da05ce0e3e919bd3e8ff7f0bc80a1db4b48",
        size=725,
        urls=("https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/cancer.bif",),
    ),
)
EXPECTED = ExpectedNetwork(nodes=5, arcs=4, parameters=10)


def load(folder: Path, *, records: int = 10_000) -> NetworkSample:
    """The network in the file below `folder`, from which a draw takes `records` records."""
    return NetworkSample(parse_bif((folder / FILES[0].path).read_text(encoding="utf-8")), records)
