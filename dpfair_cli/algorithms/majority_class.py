"""The majority class: everybody gets the most frequent label. Whoever does not beat it may have learnt nothing.

Source: none; the base rate beside which the accuracies of xu2021, chapter 9, have to be read.
Privacy: none.
Neighbours: none.
Status: as-published
Differs: nothing to differ from.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts import Records
from dpfair_cli.models.linear import LinearClassifier

VERSION = 1


def fit(data: Records, *, rng: np.random.Generator) -> LinearClassifier:
    """Decide 1 for everybody if more than half of the records have label 1, else 0."""
    return LinearClassifier(np.zeros(data.X.shape[1]), 1.0 if data.y.mean() > 0.5 else -1.0)
