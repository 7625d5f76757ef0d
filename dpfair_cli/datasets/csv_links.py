"""A user's graph without classes, for link prediction: a file of edges as in csv_edges.

The nodes are the nodes with an edge and are therefore read from the private edges. A
`PrivacyLeakWarning` says this, and no privacy guarantee holds.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import PrivacyLeakWarning
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets.csv_edges import numbered, read_pairs
from dpfair_cli.formats.graph_profile import graph_profile
from dpfair_cli.formats.table_profile import TableProfile
from dpfair_cli.kinds.graphs import NO_LABELS, Graph


@checked
def load(folder: Path, *, file: str) -> Graph:
    """The Graph with the edges in the file `file`; `folder` is not used.

    Raises:
        DpfairError: the file is missing or malformed, or edges have weights.
    """
    message = f"{file}: its nodes are read from the edges: give labels=FILE"
    warnings.warn(message, PrivacyLeakWarning, 2)
    pairs = read_pairs(file)
    nodes = sorted(set(np.ravel(pairs).tolist()))
    return replace(numbered(file, pairs, nodes, NO_LABELS, ()), bounds="data")


def profile(*, file: str) -> TableProfile:
    """The profile of a user's graph, printed before the runs.

    Raises:
        DpfairError: for the same reasons as in `load`.
    """
    return graph_profile(load(Path(), file=file))


DATASET = DataSource(
    load=load,
    note="your own graph, for link prediction: file=PATH of edges",
    task="link_prediction",
    own_files=("file",),
    profile=profile,
    # the file of labels that csv_edges reads; without this file the nodes are read from the edges
    public_files=("labels",),
)
