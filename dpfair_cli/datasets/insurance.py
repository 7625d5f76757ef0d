"""The Bayesian network INSURANCE: car insurance risks (Binder et al. 1997)."""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import COPIES, LICENCE, published_network

DATASET = published_network(
    File(
        path="bnlearn/insurance.bif",
        sha256="39f9e706e9208e720a55a98b6811188b33a7292335a53373a9343a0c7065dab4",
        size=22_719,
        urls=(f"{COPIES}/insurance.bif",),
        licence=LICENCE,
    ),
    nodes=27,
    arcs=52,
    parameters=1008,
)
