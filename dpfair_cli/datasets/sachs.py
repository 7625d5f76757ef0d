"""The Bayesian network SACHS: protein signalling in human cells (Sachs et al. 2005)."""

from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    "sachs",
    counts={"nodes": 11, "arcs": 17, "parameters": 178},
    sha256="b7bd3931192f9e529f0f88bba15fca6cc61ba3c805d5c8ae57eba57ed3b332ec",
    size=5_734,
)
