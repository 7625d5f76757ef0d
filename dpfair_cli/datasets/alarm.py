"""Records of the Bayesian network ALARM: monitoring of anaesthesia (Beinlich et al. 1989).

Synthetic data: the network is in the Bayesian network repository of bnlearn, and each seed draws
new records.
"""

from dpfair_cli.contracts.declarations import File
from dpfair_cli.formats.published_network import published_network

DATASET = published_network(
    File(
        path="bnlearn/alarm.bif",
        licence="CC BY-SA 3.0",
        sha256="701e6c561f71b55669070c29614f0724b761289aa2c4a35bcc97b638ee881fa2",
        size=13_376,
        urls=(
            "https://raw.githubusercontent.com/Jia-Pan/BN/8ca182c1d98e45457017a8377bdebb9edfe5874d/bifs/alarm.bif",
        ),
    ),
    nodes=37,
    arcs=46,
    parameters=509,
)
