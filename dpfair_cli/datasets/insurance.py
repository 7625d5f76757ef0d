"""INSURANCE, the Bayesian network of car insurance risks (Binder et al. 1997), and records drawn from it.

Made, not measured: the network comes from the Bayesian network repository of bnlearn, each seed draws its own records.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts import ExpectedNetwork, File
from dpfair_cli.models.bayesian_network import NetworkSample, parse_bif

TASK = "causal_discovery"
NOTE = "made: records of the Bayesian network INSURANCE (27 variables, 52 arcs); bnlearn repository, CC BY-SA 3.0"
FILES = (
    File(
        path="bnlearn/insurance.bif",
        sha256="39f9e706e9208e720a55a98b6811188b33a7292335a53373a9343a0c7065dab4",
        size=22_719,
        urls=(
            "https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/insurance.bif",
        ),
    ),
)
EXPECTED = ExpectedNetwork(nodes=27, arcs=52, parameters=1008)


def load(folder: Path, *, records: int = 10_000) -> NetworkSample:
    """The network in the file below `folder`, from which a draw takes `records` records."""
    return NetworkSample(parse_bif((folder / FILES[0].path).read_text(encoding="utf-8")), records)
