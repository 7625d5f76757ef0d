"""Records as the authors' framework codes them: a table of numbers, among them race.

Levels are their places in the domain, which are alphabetical for COMPAS, and ages and priors are
whole numbers.

Source: verona2026, DataGenerator/datagen.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import dpfair_cli.plugin as dp

GROUP = 2  # the column of the protected attribute, after sex and age


@dataclass(frozen=True, eq=False)
class Coded:
    """Coded records; group 1 is the privileged one."""

    X: dp.Floats  # the attributes and the group, (n, d + 1)
    y: dp.Ints  # the label, 0 or 1, (n,)
    group: dp.Ints  # 0 or 1, (n,)


def coded(records: dp.Records) -> Coded:
    """The records with one number for each attribute, and the group between them.

    Raises:
        ValueError: the records do not have a 0/1 column for each level, or not two groups.
    """
    domain = records.domain
    if not domain.values or len(domain.groups) != 2:
        raise ValueError("the interventions need two groups and a 0/1 column for each level")
    columns = []
    for name, places in domain.attributes.items():
        level = records.X[:, list(places)].argmax(axis=1)
        columns.append(_numbers(domain.values[name])[level])
    X = np.insert(np.column_stack(columns), GROUP, records.protected, axis=1)
    return Coded(X, records.y, records.protected)


def _numbers(levels: tuple[Any, ...]) -> dp.Floats:
    """The number of each level or bin: the level itself if it is a number, else its place."""
    named = [
        float(level) if isinstance(level, str) and level.isdigit() else place
        for place, level in enumerate(levels)
    ]
    return np.array(named, dtype=float)
