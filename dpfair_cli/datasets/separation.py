"""The instance of jagielski2019, Section 4.2, on which fairness is expensive to measure: X in {U,
V}, A in {R, B}.

Made, not measured: a quarter of the records in each cell of group and label; all positives are U,
the negatives V. Tasks that need other members of the family move negatives from V to U.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np

from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.parameters import MultipleOf, checked
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.tabular.encoding import Encoding

CELLS = 4  # of group and label


@checked
def load(
    folder: Path,
    *,
    encoding: Encoding = "one_hot",
    people: Annotated[int, MultipleOf(CELLS)] = 100,
) -> Records:
    """`people` records with the one feature "X is U" (`folder` and `encoding` change nothing)."""
    group, y = np.divmod(np.repeat(np.arange(CELLS), people // CELLS), 2)
    return Records(y[:, None].astype(float), y, group, Domain(("U",), {"X": (0,)}, ("R", "B")))


DATASET = DataSource(load=load, note="made: the instance of jagielski2019, Section 4.2; no person")
