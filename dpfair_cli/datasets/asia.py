"""The Bayesian network ASIA: chest clinic (Lauritzen and Spiegelhalter 1988)."""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import COPIES, LICENCE, published_network

DATASET = published_network(
    File(
        path="bnlearn/asia.bif",
        sha256="9f770c96940dc4d860b581602120790ac538983b30b28d38631b8184dc7b5f89",
        size=1_074,
        urls=(f"{COPIES}/asia.bif",),
        licence=LICENCE,
    ),
    nodes=8,
    arcs=8,
    parameters=18,
)
