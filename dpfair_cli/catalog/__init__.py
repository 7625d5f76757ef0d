"""Algorithms, data sources, studies and layouts by name, and which of them fit together.

`method`, `data_set` and `task` turn a name into an object. The module `matching` finds out which
algorithms, data sources and studies fit together.
"""

from __future__ import annotations

from dpfair_cli.catalog.registry import (
    algorithm,
    algorithms,
    data_set,
    data_source,
    data_sources,
    layout,
    layouts,
    method,
    model,
    studies,
    study,
    task,
)

__all__ = [
    "algorithm", "algorithms", "data_set", "data_source", "data_sources", "layout", "layouts",
    "method", "model", "studies", "study", "task",
]  # fmt: skip
