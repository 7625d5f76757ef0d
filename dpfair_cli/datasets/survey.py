"""SURVEY, the Bayesian network of a survey of transport (Scutari and Denis 2014), and records drawn from it.

Made, not measured: the network comes from the Bayesian network repository of bnlearn, each seed draws its own records.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts import ExpectedNetwork, File
from dpfair_cli.models.bayesian_network import NetworkSample, parse_bif

TASK = "causal_discovery"
NOTE = "made: records of the Bayesian network SURVEY (6 variables, 6 arcs); bnlearn repository, CC BY-SA 3.0"
FILES = (
    File(
        path="bnlearn/survey.bif",
        sha256="3698ccc0f1f74b9f935617d91989e4cdb39edb5360b558216af64047fc88b3b0",
        size=891,
        urls=("https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/survey.bif",),
    ),
)
EXPECTED = ExpectedNetwork(nodes=6, arcs=6, parameters=21)


def load(folder: Path, *, records: int = 10_000) -> NetworkSample:
    """The network in the file below `folder`, from which a draw takes `records` records."""
    return NetworkSample(parse_bif((folder / FILES[0].path).read_text(encoding="utf-8")), records)
