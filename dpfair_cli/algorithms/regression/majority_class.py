"""The majority class: the most frequent label for all records.

Source: none; the base rate next to which the accuracies of xu2021, chapter 9, have to be read.
Differs: The method is not from a paper. The majority class is a constant baseline: a method that is
    not more accurate may have learned nothing.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.partitioned_records import PartitionedRecords, total
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.constant import ConstantClassifier


@checked
def fit(
    data: Records | PartitionedRecords | Images, *, rng: np.random.Generator
) -> ConstantClassifier:
    """The classifier that gives every record the most frequent label.

    If two labels are equally frequent, the classifier gives the smaller label.
    """
    # argmax takes the first of equal counts, which is the smaller label
    return ConstantClassifier(int(total(data, _label_counts).argmax()))


def _label_counts(data: Records | Images) -> Ints:
    """The number of records with each label, (2,) or more."""
    return np.bincount(data.y, minlength=2)


ALGORITHM = Algorithm(
    fit,
    source="none; the base rate next to which the accuracies of xu2021, chapter 9, have to be read",
)
