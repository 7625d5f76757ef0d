"""The Bayesian network CANCER: a textbook example (Korb and Nicholson 2010)."""

from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    "cancer",
    counts={"nodes": 5, "arcs": 4, "parameters": 10},
    sha256="05d4ea00a758450eed6fe68ea6de4da05ce0e3e919bd3e8ff7f0bc80a1db4b48",
    size=725,
)
