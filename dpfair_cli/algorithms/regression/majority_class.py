"""The majority class: everybody gets the most frequent label. Whoever does not beat it may have
learnt nothing.

Source: none; the base rate beside which the accuracies of xu2021, chapter 9, have to be read.
Privacy: none.
Neighbours: none.
Status: as-published
Differs: nothing to differ from.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.constant import ConstantClassifier


@checked
def fit(data: Records | Images, *, rng: np.random.Generator) -> ConstantClassifier:
    """Everybody gets the most frequent label, the smaller of two that are as frequent."""
    return ConstantClassifier(int(np.bincount(data.y).argmax()))


ALGORITHM = Algorithm(fit, version=1)
