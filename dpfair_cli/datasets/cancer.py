"""Records of the Bayesian network CANCER: a textbook example (Korb and Nicholson 2010).

Synthetic data: the network is in the Bayesian network repository of bnlearn, and each seed draws
new records.
"""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    File(
        path="bnlearn/cancer.bif",
        licence="CC BY-SA 3.0",
        sha256="05d4ea00a758450eed6fe68ea6de4da05ce0e3e919bd3e8ff7f0bc80a1db4b48",
        size=725,
        urls=(
            "https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/cancer.bif",
        ),
    ),
    nodes=5,
    arcs=4,
    parameters=10,
)
