"""The Bayesian network SURVEY: a survey of transport (Scutari and Denis 2014)."""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import COPIES, LICENCE, published_network

DATASET = published_network(
    File(
        path="bnlearn/survey.bif",
        sha256="3698ccc0f1f74b9f935617d91989e4cdb39edb5360b558216af64047fc88b3b0",
        size=891,
        urls=(f"{COPIES}/survey.bif",),
        licence=LICENCE,
    ),
    nodes=6,
    arcs=6,
    parameters=21,
)
