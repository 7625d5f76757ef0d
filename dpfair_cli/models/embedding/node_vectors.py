"""The result of an embedding: a vector for each node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import FittedFields


@dataclass(frozen=True, eq=False)
class Embedding(FittedFields):
    """An embedding of the nodes of a graph."""

    vectors: Floats  # the vector of each node, (n, k)

    def saved(self) -> dict[str, Any]:
        """The vectors of the nodes as JSON, for a model file."""
        return {"form": "node_vectors", "vectors": self.vectors.tolist()}


def restore(saved: Mapping[str, Any]) -> Embedding:
    """The vectors of the nodes that a model file holds."""
    vectors = np.array(saved["vectors"], dtype=float)
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise ValueError(
            "the vectors in the model file must be a (nodes, dimensions) array of finite numbers"
        )
    return Embedding(vectors)
