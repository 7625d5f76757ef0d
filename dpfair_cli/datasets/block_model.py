"""A fixed graph drawn from the stochastic block model; its classes are the blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import Count, Share, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding.block_model import block_model

SEED = 0  # fixes the graph


@checked
def load(
    folder: Path,
    *,
    nodes: Count = 600,
    classes: Count = 4,
    edges: Count = 3_000,
    within: Share = 0.8,
) -> Graph:
    """A random graph of about `edges` edges, whose nodes have classes.

    The share `within` of the edges is between nodes of the same class. `folder` is not used.
    """
    # the first classes take the rest
    sizes = np.full(classes, nodes // classes) + (np.arange(classes) < nodes % classes)
    return block_model(sizes.tolist(), edges, within, rng=np.random.default_rng(SEED))


DATASET = DataSource(
    load=load,
    note="made: one graph of the stochastic block model with 600 nodes in 4 blocks; no person",
    task="vertex_classification",
)
