"""The Bayesian network EARTHQUAKE: a textbook example (Korb and Nicholson 2010)."""

from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    "earthquake",
    counts={"nodes": 5, "arcs": 4, "parameters": 10},
    sha256="74dd131e2c6437a39de17f2963d2d16fadd91e70450d1fc20501df05e8dc4f2e",
    size=747,
)
