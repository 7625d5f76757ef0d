"""Records of the Bayesian network SURVEY: a survey of transport (Scutari and Denis 2014).

Synthetic data: the network is in the Bayesian network repository of bnlearn, and each seed draws
new records.
"""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    File(
        path="bnlearn/survey.bif",
        licence="CC BY-SA 3.0",
        sha256="3698ccc0f1f74b9f935617d91989e4cdb39edb5360b558216af64047fc88b3b0",
        size=891,
        urls=(
            "https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/survey.bif",
        ),
    ),
    nodes=6,
    arcs=6,
    parameters=21,
)
