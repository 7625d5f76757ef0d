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
    """`vectors` (n, k): row i is the vector of node i."""

    vectors: Floats

    def saved(self) -> dict[str, Any]:
        """The vectors, for a model file."""
        return {"form": "node_vectors", "vectors": self.vectors.tolist()}


def restore(saved: Mapping[str, Any]) -> Embedding:
    """The vectors in a model file.

    Raises:
        ValueError: they are not one row of numbers for each node.
    """
    vectors = np.array(saved["vectors"], dtype=float)
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise ValueError("vectors are rows of numbers, one a node")
    return Embedding(vectors)
