"""A stored synthetic table: the output of the authors' run of a synthesiser, read from its file.

Source: pujol2023, files in the authors' repository.
Differs: Nothing is synthesised: the table of the authors is read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpfair_cli.plugin as dp

from ..models.stored_tables import Admissible, StoredTables, Synthesiser


@dataclass(frozen=True, eq=False)
class SyntheticTable(dp.NotSaved):
    """A synthetic table."""

    codes: dp.Ints  # (m, 14)


@dp.checked
def fit(
    tables: StoredTables,
    *,
    synthesiser: Synthesiser = "MST",
    admissible: Admissible = "seven",
    rng: np.random.Generator,
) -> SyntheticTable:
    """The stored table of a synthesiser with the number of the run; `rng` is not used.

    Args:
        tables: The stored tables.
        synthesiser: The synthesiser that the authors ran.
        admissible: The list of admissible attributes for which the table was made.
        rng: The source of randomness.
    """
    return SyntheticTable(tables.synthetic(synthesiser, admissible))


ALGORITHM = dp.Algorithm(fit, source="pujol2023, files in the authors' repository")
