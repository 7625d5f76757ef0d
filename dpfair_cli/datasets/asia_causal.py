"""Records of the Bayesian network ASIA with its graph, whose causal effects are known.

Synthetic data: each seed draws new records. The protected variable is smoking and the label is
dyspnoea. There are two paths between them, through lung cancer and through bronchitis. The indirect
effect is along the path through lung cancer.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import Count, checked
from dpfair_cli.datasets import asia
from dpfair_cli.models.causal_discovery.bayesian_network import parse_bif
from dpfair_cli.models.causal_fairness.binary_records import NetworkRecords

(FILE,) = asia.DATASET.files
TIERS = (("asia", "smoke"), ("tub", "lung", "bronc"), ("either",), ("xray", "dysp"))


@checked
def load(folder: Path, *, records: Count = 10_000) -> NetworkRecords:
    """The Bayesian network in the file below `folder`, from which records are drawn.

    Each draw has `records` records.
    """
    network = parse_bif((folder / FILE.path).read_text(encoding="utf-8"))
    return NetworkRecords(
        network, records, "smoke", "dysp", through=("lung",), context=("asia",), tiers=TIERS
    )


DATASET = DataSource(
    load=load,
    note="made: records of the Bayesian network ASIA, smoking as the protected variable, "
    "dyspnoea as the label",
    task="causal_fairness",
    files=(FILE,),
    expected={"nodes": 8, "arcs": 8, "parameters": 18},
    version=2,
)
