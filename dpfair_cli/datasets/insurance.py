"""Records of the Bayesian network INSURANCE: car insurance risks (Binder et al. 1997).

Synthetic data: the network is in the Bayesian network repository of bnlearn, and each seed draws
new records.
"""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    File(
        path="bnlearn/insurance.bif",
        licence="CC BY-SA 3.0",
        sha256="39f9e706e9208e720a55a98b6811188b33a7292335a53373a9343a0c7065dab4",
        size=22_719,
        urls=(
            "https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/insurance.bif",
        ),
    ),
    nodes=27,
    arcs=52,
    parameters=1008,
)
