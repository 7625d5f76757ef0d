"""The Bayesian network INSURANCE: car insurance risks (Binder et al. 1997)."""

from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    "insurance",
    counts={"nodes": 27, "arcs": 52, "parameters": 1008},
    sha256="39f9e706e9208e720a55a98b6811188b33a7292335a53373a9343a0c7065dab4",
    size=22_719,
)
