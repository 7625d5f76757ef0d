"""CHILD, the Bayesian network of babies with heart disease (Spiegelhalter and Cowell 1992), and records drawn from it.

Made, not measured: the network comes from the Bayesian network repository of bnlearn, each seed draws its own records.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts import ExpectedNetwork, File
from dpfair_cli.models.bayesian_network import NetworkSample, parse_bif

TASK = "causal_discovery"
NOTE = "made: records of the Bayesian network CHILD (20 variables, 25 arcs); bnlearn repository, CC BY-SA 3.0"
FILES = (
    File(
        path="bnlearn/child.bif",
        sha256="432c22e661cd0e8235c8d95599ac22ccc261002459f5c4e6e7235b057908fe6e",
        size=5_863,
        urls=(
            "https://raw.githubusercontent.com/MelleStarke/SPML_programmingTask3/130de9d8c0818644c7a1ee4a70e73802e9eb33cf/newVarElim/child.bif",
        ),
    ),
)
EXPECTED = ExpectedNetwork(nodes=20, arcs=25, parameters=230)


def load(folder: Path, *, records: int = 10_000) -> NetworkSample:
    """The network in the file below `folder`, from which a draw takes `records` records."""
    return NetworkSample(parse_bif((folder / FILES[0].path).read_text(encoding="utf-8")), records)
