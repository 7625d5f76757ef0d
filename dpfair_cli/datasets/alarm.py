"""ALARM, the Bayesian network of monitoring of anaesthesia (Beinlich et al. 1989), and records drawn from it.

Made, not measured: the network comes from the Bayesian network repository of bnlearn, each seed draws its own records.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts import ExpectedNetwork, File
from dpfair_cli.models.bayesian_network import NetworkSample, parse_bif

TASK = "causal_discovery"
NOTE = "made: records of the Bayesian network ALARM (37 variables, 46 arcs); bnlearn repository, CC BY-SA 3.0"
FILES = (
    File(
        path="bnlearn/alarm.bif",
        sha256="701e6c561f71b55669070c29614f0724b761289aa2c4a35bcc97b638ee881fa2",
        size=13_376,
        urls=("https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/alarm.bif",),
    ),
)
EXPECTED = ExpectedNetwork(nodes=37, arcs=46, parameters=509)


def load(folder: Path, *, records: int = 10_000) -> NetworkSample:
    """The network in the file below `folder`, from which a draw takes `records` records."""
    return NetworkSample(parse_bif((folder / FILES[0].path).read_text(encoding="utf-8")), records)
