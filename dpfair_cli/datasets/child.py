"""The Bayesian network CHILD: babies with heart disease (Spiegelhalter and Cowell 1992)."""

from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    "child",
    counts={"nodes": 20, "arcs": 25, "parameters": 230},
    sha256="432c22e661cd0e8235c8d95599ac22ccc261002459f5c4e6e7235b057908fe6e",
    size=5_863,
    url="https://raw.githubusercontent.com/MelleStarke/SPML_programmingTask3/130de9d8c0818644c7a1ee4a70e73802e9eb33cf/newVarElim/child.bif",
)
