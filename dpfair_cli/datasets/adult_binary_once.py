"""UCI Adult as the 11 two-valued variables of adult_binary, with each of the 48,842 rows once."""

from __future__ import annotations

from pathlib import Path

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets import adult, adult_binary
from dpfair_cli.datasets.adult_binary import Graph
from dpfair_cli.kinds.causal_records import CausalRecords


@checked
def load(folder: Path, *, graph: Graph = "pc") -> CausalRecords:
    """The records of Adult, each row once, with the causal graph that `graph` names.

    The files are below `folder`.
    """
    return adult_binary.records(adult_binary.read(folder), graph)


DATASET = DataSource(
    load=load,
    note="UCI Adult as 11 two-valued variables with a causal graph, all 48,842 rows once; "
    "CC BY 4.0",
    task="causal_fairness",
    files=adult.FILES,
    replica=adult_binary.REPLICA,
    expected={"rows": 48_842, "columns": 18, "groups": (16_192, 32_650), "base_rate": 0.2393},
)
