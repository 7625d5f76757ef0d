"""A constant classifier."""

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
    """A classifier that gives every record the same label."""

    form: ClassVar[str] = "constant"  # the module whose `restore` reads a model file of this class
    label: int  # the decision on every record, 0 or 1

    @property
    def reads_group(self) -> bool:
        """False, because the decision does not depend on the group of the record."""
        return False

    def predict(self, data: Records | Images) -> Floats:
        """The label of each record, which is also the probability of decision 1, (n,)."""
        return np.full(len(data), float(self.label))


def restore(saved: Mapping[str, Any]) -> ConstantClassifier:
    """The constant classifier that a model file holds."""
    found = ConstantClassifier.from_saved(saved)
    if found.label not in (0, 1):
        raise ValueError(f"the label in the model file must be 0 or 1, got {found.label}")
    return found
