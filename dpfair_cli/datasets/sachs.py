"""Records of the Bayesian network SACHS: protein signalling in human cells (Sachs et al. 2005).

Synthetic data: the network is in the Bayesian network repository of bnlearn, and each seed draws
new records.
"""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    File(
        path="bnlearn/sachs.bif",
        licence="CC BY-SA 3.0",
        sha256="b7bd3931192f9e529f0f88bba15fca6cc61ba3c805d5c8ae57eba57ed3b332ec",
        size=5_734,
        urls=(
            "https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/sachs.bif",
        ),
    ),
    nodes=11,
    arcs=17,
    parameters=178,
)
