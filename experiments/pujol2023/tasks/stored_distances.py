"""Distances of a stored synthetic table from the original one, by the notebooks of pujol2023.

Run k reads the synthetic table with number k. A `tv_distance` is the total variation distance of
1-way or 2-way marginals; `_counts` are sums of counts in place of means of shares.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import dpfair_cli.plugin as dp

from ..methods.stored_synthetic import SyntheticTable
from ..models import marginals
from ..models.stored_tables import TABLES, StoredTables

KINDS = ("tv_distance_1way", "tv_distance_2way", "cramers_v_distance")
SCORES = tuple(f"{kind}{unit}" for kind in KINDS for unit in ("", "_counts"))


@dataclass(frozen=True, eq=False)
class NumberedTables:
    """The stored tables with the number of the run."""

    train: StoredTables


@dp.checked
def split(tables: StoredTables, *, rng: np.random.Generator) -> NumberedTables:
    """The tables with the number of the run, which is the seed of `rng`.

    Raises:
        ValueError: there is no table with this number.
    """
    number: Any = rng.bit_generator.seed_seq.entropy  # type: ignore[attr-defined]
    if not (isinstance(number, int) and number < TABLES):
        raise ValueError(f"there are {TABLES} stored tables of each kind: make {TABLES} runs")
    return NumberedTables(replace(tables, number=number))


def score(table: SyntheticTable, case: NumberedTables) -> dict[str, float]:
    """The distances of a synthetic table from the original one, by name."""
    one, other = case.train.original, table.codes
    return {
        **marginals.marginal_distances(one, other, 1),
        **marginals.marginal_distances(one, other, 2),
        **marginals.association_distances(one, other),
    }


TASK = dp.Study(
    split=split,
    study=dp.fitted_once(score),
    scores=SCORES,
    unbounded=SCORES,
    ranges={**dict.fromkeys(SCORES, (0.0, np.inf)), **dict.fromkeys(KINDS[:2], (0.0, 1.0))},
    result=SyntheticTable,
)
