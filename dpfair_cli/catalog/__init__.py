"""Every algorithm, data source, study and layout by its name, and which fit together.

`method`, `data_set` and `task` resolve a name into an object; `matching` compares objects.
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
