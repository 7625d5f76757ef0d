"""The instance of jagielski2019, Section 4.2: one feature X in {U, V}, two groups A in {R, B}.

The paper uses this instance to show that the least error of fair rules that use only the feature
can change much if the group of one record changes. Synthetic data: a quarter of the records has
each group and label; X is U for label 1 and V for label 0. The task fair_error_sensitivity also
uses data sets in which some records with label 0 have X = U.
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
    folder: Path, *, encoding: Encoding = "one_hot", people: Annotated[int, MultipleOf(CELLS)] = 100
) -> Records:
    """Records with one feature, which says whether X is the value U.

    `people` is the number of records. `folder` and `encoding` are not used.
    """
    # the same number in each cell
    group, y = np.divmod(np.repeat(np.arange(CELLS), people // CELLS), 2)
    return Records(y[:, None].astype(float), y, group, Domain(("U",), {"X": (0,)}, ("R", "B")))


DATASET = DataSource(load=load, note="made: the instance of jagielski2019, Section 4.2; no person")
