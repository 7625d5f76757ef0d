"""The Bayesian network ALARM: monitoring of anaesthesia (Beinlich et al. 1989)."""

from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    "alarm",
    counts={"nodes": 37, "arcs": 46, "parameters": 509},
    sha256="701e6c561f71b55669070c29614f0724b761289aa2c4a35bcc97b638ee881fa2",
    size=13_376,
)
