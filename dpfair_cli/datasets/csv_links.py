"""A user's graph without classes, for link prediction: a file of edges as in csv_edges.

The nodes are the nodes with an edge and are therefore read from the private edges. A
`PrivacyLeakWarning` says this, and no privacy guarantee holds.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import PrivacyLeakWarning
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.datasets.csv_edges import graph_profile, numbered, read_pairs
from dpfair_cli.formats.profiles import TableProfile
from dpfair_cli.kinds.graphs import NO_LABELS, Graph


def _nodes(pairs: np.ndarray) -> list[str]:
    """The names of the nodes that have an edge, in the order of the rows of an embedding."""
    return sorted(set(np.ravel(pairs).tolist()))


def named_nodes(*, file: str) -> dict[str, Any]:
    """The names of the nodes in the order of the rows of an embedding, for a model file."""
    return {"nodes": _nodes(read_pairs(file))}


@checked
def load(folder: Path, *, file: str) -> Graph:
    """The Graph with the edges in the file `file`; `folder` is not used.

    Raises:
        DpfairError: the file is missing or malformed, or edges have weights.
    """
    message = f"{file}: its nodes are read from the edges: give labels=FILE"
    warnings.warn(message, PrivacyLeakWarning, 2)
    pairs = read_pairs(file)
    return replace(numbered(file, pairs, _nodes(pairs), NO_LABELS, ()), bounds="data")


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
    table=named_nodes,
    # the file of labels that csv_edges reads; without this file the nodes are read from the edges
    public_files=("labels",),
    version=7,
)
