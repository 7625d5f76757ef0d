"""The files of the stored tables: which file has which table, and its codes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import dpfair_cli.plugin as dp

from ..models.stored_tables import LEVELS, Admissible, Synthesiser

STEMS: dict[Synthesiser, tuple[str, str]] = {  # folder and first part of the name of a file
    "MST": ("original", "results_original"),
    "fair MST (greedy)": ("fair_greedy", "results_greedy"),
    "fair MST (exponential)": ("fair_opt", "results_opt"),
    "PrivBayes": ("Bayes_original", "sythetic_data"),
    "fair PrivBayes (greedy)": ("Bayes_fair", "sythetic_data"),
}


@dataclass(frozen=True)
class StoredFiles:
    """The files of the synthetic tables of one epsilon, below a folder."""

    folder: Path
    epsilon: float

    def __call__(self, synthesiser: Synthesiser, admissible: Admissible, number: int) -> dp.Ints:
        """The codes of a synthetic table, (m, 14)."""
        folder, stem = STEMS[synthesiser]
        parts = [folder, *(["small_admis"] if admissible == "two" else [])]
        return read_codes(
            self.folder.joinpath(*parts, f"eps={self.epsilon:g}", f"{stem}_{number}.csv")
        )


def read_codes(file: Path) -> dp.Ints:
    """The codes in a file of a table, (n, 14), in the order of LEVELS.

    Raises:
        ValueError: a code is not one of its attribute.
    """
    codes = pd.read_csv(file)[[*LEVELS]].to_numpy()
    if not ((codes == codes.round()) & (codes >= 0) & (codes < [*LEVELS.values()])).all():
        raise ValueError(f"{file} has a code that its attribute does not have")
    return np.asarray(codes, dtype=np.int64)
