"""The Bayesian network ASIA: chest clinic (Lauritzen and Spiegelhalter 1988)."""

from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    "asia",
    counts={"nodes": 8, "arcs": 8, "parameters": 18},
    sha256="9f770c96940dc4d860b581602120790ac538983b30b28d38631b8184dc7b5f89",
    size=1_074,
)
