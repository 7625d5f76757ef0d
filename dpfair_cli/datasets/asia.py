"""Records of the Bayesian network ASIA: chest clinic (Lauritzen and Spiegelhalter 1988).

Synthetic data: the network is in the Bayesian network repository of bnlearn, and each seed draws
new records.
"""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    File(
        path="bnlearn/asia.bif",
        licence="CC BY-SA 3.0",
        sha256="9f770c96940dc4d860b581602120790ac538983b30b28d38631b8184dc7b5f89",
        size=1_074,
        urls=(
            "https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/asia.bif",
        ),
    ),
    nodes=8,
    arcs=8,
    parameters=18,
)
