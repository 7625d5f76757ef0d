"""Records of the Bayesian network EARTHQUAKE: a textbook example (Korb and Nicholson 2010).

Synthetic data: the network is in the Bayesian network repository of bnlearn, and each seed draws
new records.
"""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    File(
        path="bnlearn/earthquake.bif",
        licence="CC BY-SA 3.0",
        sha256="74dd131e2c6437a39de17f2963d2d16fadd91e70450d1fc20501df05e8dc4f2e",
        size=747,
        urls=(
            "https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/earthquake.bif",
        ),
    ),
    nodes=5,
    arcs=4,
    parameters=10,
)
