"""The rule that says the same to everybody."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts import Floats, Images, Records


@dataclass(frozen=True)
class ConstantClassifier:
    """Everybody gets `label`."""

    label: int

    def predict(self, data: Records | Images) -> Floats:
        """The label, which on records is also the probability of outputting 1, (n,)."""
        return np.full(len(data), float(self.label))
