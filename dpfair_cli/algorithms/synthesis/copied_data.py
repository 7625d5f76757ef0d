"""The training records with one column shuffled: baselines for generators of records.

Source: ours; D1-Real and C1-Real of xu2021, Section 6.4.1, where nothing is shuffled.
Differs: No paper has these baselines. `shuffled` "protected" makes the data fair by every measure
    of Table 6.1. "label within groups" keeps the risk difference of the labels and leaves nothing
    to learn. "label within cells" shuffles among records with equal attributes, which keeps what
    can be learned.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.fixed_records import FixedRecords, fixed_records

Shuffled = Literal["nothing", "protected", "label within groups", "label within cells"]


@checked
def fit(
    records: Records, *, shuffled: Shuffled = "nothing", rng: np.random.Generator
) -> FixedRecords:
    """The training records as synthetic data, with the column that `shuffled` names shuffled.

    Args:
        shuffled: The column that is shuffled, and among which records.
    """
    y, protected = records.y, records.protected
    if shuffled == "protected":
        protected = rng.permutation(protected)
    if shuffled == "label within groups":
        y = _shuffled_within(protected, y, rng)
    if shuffled == "label within cells":
        _, cells = np.unique(records.X, axis=0, return_inverse=True)
        y = _shuffled_within(cells.ravel(), y, rng)
    return fixed_records(Records(records.X, y, protected, records.domain))


def _shuffled_within(cells: Ints, y: Ints, rng: np.random.Generator) -> Any:
    """The labels y (n,) after a random permutation among the records of each cell, (n,)."""
    order, shuffled = np.argsort(cells, kind="stable"), rng.permutation(len(y))
    found = np.empty_like(y)
    found[order] = y[shuffled[np.argsort(cells[shuffled], kind="stable")]]
    return found


ALGORITHM = Algorithm(
    fit,
    source="ours; D1-Real and C1-Real of xu2021, Section 6.4.1, where nothing is shuffled",
    data_options={"encoding": "binned"},
)
