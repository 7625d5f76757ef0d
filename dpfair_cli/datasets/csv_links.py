"""A user's own graph without classes, for link prediction: a file of edges as in csv_edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpfair_cli.contracts.declarations import Dataset
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets.csv_edges import numbered, read_pairs
from dpfair_cli.kinds.graphs import NO_LABELS, Graph


@checked
def load(folder: Path, *, file: str) -> Graph:
    """The Graph of the edges in `file`, a path as typed (`folder` is not used).

    Raises:
        DpfairError: the file is not there or not of its form, or has weights.
    """
    pairs = read_pairs(file)
    return numbered(pairs, sorted(set(np.ravel(pairs).tolist())), NO_LABELS, ())


DATASET = Dataset(
    load=load,
    note="your own graph, for link prediction: file=PATH of edges",
    task="link_prediction",
    own_files=("file",),
)
