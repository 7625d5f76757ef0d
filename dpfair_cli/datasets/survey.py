"""The Bayesian network SURVEY: a survey of transport (Scutari and Denis 2014)."""

from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    "survey",
    counts={"nodes": 6, "arcs": 6, "parameters": 21},
    sha256="3698ccc0f1f74b9f935617d91989e4cdb39edb5360b558216af64047fc88b3b0",
    size=891,
)
