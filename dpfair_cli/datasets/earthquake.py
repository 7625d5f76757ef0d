"""The Bayesian network EARTHQUAKE: a textbook example (Korb and Nicholson 2010)."""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import COPIES, LICENCE, published_network

DATASET = published_network(
    File(
        path="bnlearn/earthquake.bif",
        sha256="74dd131e2c6437a39de17f2963d2d16fadd91e70450d1fc20501df05e8dc4f2e",
        size=747,
        urls=(f"{COPIES}/earthquake.bif",),
        licence=LICENCE,
    ),
    nodes=5,
    arcs=4,
    parameters=10,
)
