"""The rule that says the same to everybody."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.people import Records


@dataclass(frozen=True)
class ConstantClassifier(NotSaved):
    """Everybody gets `label`."""

    label: int

    @property
    def reads_group(self) -> bool:
        """False: the decision is the same for everybody."""
        return False

    def predict(self, data: Records | Images) -> Floats:
        """The label, which on records is also the probability of outputting 1, (n,)."""
        return np.full(len(data), float(self.label))
