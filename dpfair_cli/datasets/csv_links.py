"""A user's graph without classes, for link prediction: a file of edges as in csv_edges.

Its nodes are those with an edge, so that they are known from the private edges alone: a
`PrivacyLeakWarning` says so, and no privacy guarantee holds.
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
    """The Graph with the edges in `file`, a path as the user wrote it (`folder` is not used).

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
        DpfairError: as `load`.
    """
    return graph_profile(load(Path(), file=file))


DATASET = DataSource(
    load=load,
    note="your own graph, for link prediction: file=PATH of edges",
    task="link_prediction",
    own_files=("file",),
    profile=profile,
    # the file that csv_edges reads: without it the nodes are known from the edges alone
    public_files=("labels",),
)
