"""The rule that says the same to everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import SavedFields
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True)
class ConstantClassifier(SavedFields):
    """Everybody gets `label`."""

    form: ClassVar[str] = "constant"
    label: int

    @property
    def reads_group(self) -> bool:
        """False: the decision is the same for everybody."""
        return False

    def predict(self, data: Records | Images) -> Floats:
        """The label, which on records is also the probability of outputting 1, (n,)."""
        return np.full(len(data), float(self.label))


def restore(saved: Mapping[str, Any]) -> ConstantClassifier:
    """The rule in a model file.

    Raises:
        ValueError: the label is not 0 or 1.
    """
    found = ConstantClassifier.from_saved(saved)
    if found.label not in (0, 1):
        raise ValueError("the label is 0 or 1")
    return found
