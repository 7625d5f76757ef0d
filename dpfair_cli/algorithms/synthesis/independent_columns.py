"""Records whose 0/1 columns are drawn independently of each other: a baseline for generators.

Source: ours, after xu2021, Section 6.4.2.2.
Differs: No paper has this baseline. A drawn record can have several levels of one attribute, or
    none, so that it equals a real record only by chance. With `probability` "one half" nothing is
    learned from the records.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.fixed_records import FixedRecords, fixed_records


@checked
def fit(
    records: Records,
    *,
    probability: Literal["column means", "one half"] = "column means",
    rng: np.random.Generator,
) -> FixedRecords:
    """As many synthetic records as there are records, with independent columns.

    Label and group are drawn with their own means.

    Args:
        probability: The probability of a 1 in a column: its mean, or one half.
    """
    n, d = records.X.shape
    means = records.X.mean(axis=0) if probability == "column means" else np.full(d, 0.5)  # (d,)
    for_columns, for_label, for_group = _uniform_numbers(n, d, rng)
    X = (for_columns < means).astype(float)  # (n, d)
    y = (for_label < records.y.mean()).astype(np.int64)
    protected = (for_group < records.protected.mean()).astype(np.int64)
    return fixed_records(Records(X, y, protected, records.domain))


def _uniform_numbers(n: int, d: int, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Numbers between 0 and 1 for the columns (n, d), the label (n,) and the group (n,)."""
    return rng.random((n, d)), rng.random(n), rng.random(n)


ALGORITHM = Algorithm(
    fit,
    source="ours, after xu2021, Section 6.4.2.2",
    data_options={"encoding": "binned"},
)
